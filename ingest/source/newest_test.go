package source

import (
	"testing"
	"time"
)

// Days are those of UTC, whatever zone the clock has, and tomorrow is the last.
func TestNewest(t *testing.T) {
	at := func(text string) time.Time {
		d, err := time.Parse(time.RFC3339, text)
		must(t, err)
		return d
	}
	n := NewNewest(at("2026-02-28T20:00:00-05:00")) // 1 March in UTC
	for _, tt := range []struct {
		date, newest string
		ok           bool
	}{
		{"2026-03-03T00:00:00Z", "", false},
		{"2025-01-02T00:00:00Z", "2025-01-02T00:00:00Z", true},
		{"2026-03-02T23:59:59Z", "2026-03-02T23:59:59Z", true},
		{"2026-03-02T00:00:00Z", "2026-03-02T23:59:59Z", true},
		{"9999-12-31T00:00:00Z", "2026-03-02T23:59:59Z", false},
		{"0001-01-01T00:00:00Z", "2026-03-02T23:59:59Z", true},
	} {
		if ok := n.Add(at(tt.date)); ok != tt.ok {
			t.Errorf("%s: ok = %t, want %t", tt.date, ok, tt.ok)
		}
		if got := n.Time(); got.IsZero() != (tt.newest == "") || tt.newest != "" && !got.Equal(at(tt.newest)) {
			t.Errorf("after %s the newest is %s, want %s", tt.date, got, tt.newest)
		}
	}
	if n.Future() != 2 {
		t.Errorf("%d of the future, want 2", n.Future())
	}
	if empty := NewNewest(time.Now()); !empty.Time().IsZero() || empty.Future() != 0 {
		t.Errorf("of no dates: got %s, %d; want no time and none of the future", empty.Time(), empty.Future())
	}
}
