package site

import (
	"testing"
	"time"
)

func TestParseDate(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"2023-02-02", "2023-02-02"},
		{"02/03/2023", "2023-03-02"},
		{"2024-02-29", "2024-02-29"},
		{"2023-02-29", ""},
		{"2023-02-02T00:00:00", "2023-02-02"},
		{"31/12/1999 00:00", "1999-12-31"},
		{"0001-01-01", "0001-01-01"},
		{"9999-12-31", "9999-12-31"},
		{"0000-01-01", ""},
		{"", ""},
		{"2023-2-2", ""},
		{"20230202", ""},
		{"2023-02-02Z", ""},
		{"٢٠٢٣-٠٢", ""},
	} {
		if got := ParseDate([]byte(tt.in)).String(); got != tt.want {
			t.Errorf("ParseDate(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestDateCountsDays(t *testing.T) {
	at := time.Date(1890, 1, 1, 0, 0, 0, 0, time.UTC)
	first := DateOf(1890, 1, 1)
	for i := range 100000 {
		day := at.AddDate(0, 0, i)
		if d := DateOf(day.Year(), int(day.Month()), day.Day()); d != first+Date(i) || !d.Time().Equal(day) {
			t.Fatalf("%s = day %d (%s), want %d", day, d, d.Time(), first+Date(i))
		}
	}
}

func TestGeneration(t *testing.T) {
	for _, s := range Generation(0).Values() {
		var g Generation
		if err := g.UnmarshalText([]byte(s)); err != nil || g.String() != s {
			t.Errorf("unmarshal %s = %v, %v, want %v and no error", s, g, err, s)
		}
	}
	var g Generation
	for _, s := range []string{"", "1G", "6G", "5", "G5", "5GG", "５G", "NR"} {
		if err := g.UnmarshalText([]byte(s)); err == nil {
			t.Errorf("unmarshal %q = %v, want an error", s, g)
		}
	}
	if err := g.UnmarshalText([]byte("4g")); err != nil || g != G4 {
		t.Errorf("unmarshal 4g = %v, %v; want 4G", g, err)
	}
}
