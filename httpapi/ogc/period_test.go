package ogc

import (
	"testing"
	"time"
)

// The ends are what date -d computes.
func TestPeriodWithDuration(t *testing.T) {
	for text, want := range map[string]string{
		"2026-08-20/P2D":                   "2026-08-22T00:00:00Z",
		"2026-01-31/P1M":                   "2026-03-03T00:00:00Z",
		"2024-02-28/P1Y1D":                 "2025-03-01T00:00:00Z",
		"2026-08-20/P2W":                   "2026-09-03T00:00:00Z",
		"2026-08-20T06:30:00Z/PT36H10M5S":  "2026-08-21T18:40:05Z",
		"2026-08-20T06:30:00+02:00/P1DT1H": "2026-08-21T05:30:00Z",
		"2026-08-20/P":                     "",
		"2026-08-20/PT":                    "",
		"2026-08-20/P2":                    "",
		"2026-08-20/P-2D":                  "",
		"2026-08-20/P99999999999999999Y":   "",
		"../P2D":                           "",
		"P2D/2026-08-20":                   "",
	} {
		t.Run(text, func(t *testing.T) {
			var p period
			err := p.UnmarshalText([]byte(text))
			_, to, _ := p.bounds()
			if got := to.UTC().Format(time.RFC3339); (err == nil) != (want != "") || err == nil && got != want {
				t.Errorf("got %s and %v, want %q", got, err, want)
			}
		})
	}
}
