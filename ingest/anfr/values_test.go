package anfr

import (
	"math"
	"testing"
)

func TestStationNumbers(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"0032700002", "0032700002"},
		{"32700002", "0032700002"}, // a spreadsheet removed the zeros
		{"02b2290164", "02B2290164"},
		{"abc", ""},
		{"00327000021", ""},
		{"003-270001", ""},
	} {
		t.Run(tt.in, func(t *testing.T) {
			got := ""
			if code, ok := parseStation([]byte(tt.in)); ok {
				got = code.String()
			}
			if got != tt.want {
				t.Errorf("parseStation(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestPadZeros(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"1004", "01004"}, {"2A04", "2A04"}, {"", ""}, {"123456", "123456"},
	} {
		if got := string(padZeros([]byte(tt.in), 5)); got != tt.want {
			t.Errorf("padZeros(%q, 5) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestTimeOfDay(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"2026-08-27T16:11:53", "16:11:53"},
		{"27/08/2026 08:09:10", "08:09:10"},
		{"2026-08-27", "00:00:00"},
		{"2026-08-27T16h11m53", "00:00:00"},
		{"2026-08-27T1a:11:53", "00:00:00"},
	} {
		if got := timeOfDay([]byte(tt.in)); got != tt.want {
			t.Errorf("timeOfDay(%q) = %s, want %s", tt.in, got, tt.want)
		}
	}
}

func TestHeights(t *testing.T) {
	unknown := math.NaN()
	for _, tt := range []struct {
		in   string
		want float64
	}{
		{"27,2", 27.2}, {"0", 0}, {"2000", 2000}, {"2000,1", unknown}, {"-1", unknown}, {"", unknown}, {"haut", unknown},
	} {
		if got := parseHeight(tt.in); got != tt.want && !(math.IsNaN(got) && math.IsNaN(tt.want)) {
			t.Errorf("parseHeight(%q) = %v, want %v", tt.in, got, tt.want)
		}
	}
}

func TestAzimuths(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want int16
	}{
		{"0", 0}, {"90", 90}, {"119,5", 120}, {"359,6", 0}, {"360", 0}, {"361", -1}, {"-5", -1}, {"", -1}, {"nord", -1},
	} {
		if got := parseAzimuth([]byte(tt.in)); got != tt.want {
			t.Errorf("parseAzimuth(%q) = %d, want %d", tt.in, got, tt.want)
		}
	}
}

func TestPublicSystems(t *testing.T) {
	for _, tt := range []struct {
		system string
		want   bool
	}{
		{"GSM 900", true}, {"UMTS 2100", true}, {"LTE 800", true}, {"5G NR 3500", true},
		{"GSM R", false}, {"LTE 2600 P", false}, {"5G NR 3500 Expe", false}, {"FH 18", false}, {"LTE", false}, {"", false},
	} {
		if got := isPublicSystem([]byte(tt.system)); got != tt.want {
			t.Errorf("isPublicSystem(%q) = %v, want %v", tt.system, got, tt.want)
		}
	}
}
