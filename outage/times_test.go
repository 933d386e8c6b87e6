package outage

import (
	"fmt"
	"testing"
	"time"

	"relais/market"
)

// Times of Paris, as written; the instants by hand: UTC+1 until 29 March 2026 at 01:00
// UTC, UTC+2 until 25 October at 01:00 UTC.
func TestMoments(t *testing.T) {
	p, err := newParser(market.Get(market.FR), "SFR")
	must(t, err)
	for _, tt := range []struct{ cell, want string }{
		{"2026-01-20 06:10:00", "2026-01-20T05:10:00Z"},
		{"2026-03-29 01:59:59", "2026-03-29T00:59:59Z"},
		{"2026-03-29 03:00:00", "2026-03-29T01:00:00Z"},
		{"2026-10-25 01:59:59", "2026-10-24T23:59:59Z"},
		{"2026-10-25 03:00:00", "2026-10-25T02:00:00Z"},
		{"20/08/2026 06:10", "2026-08-20T04:10:00Z"},
		{"2026-08-20T06:10", "2026-08-20T04:10:00Z"},
		{"2026-08-20T06:10:00Z", "2026-08-20T06:10:00Z"},
		{"2026-08-20T06:10:00-04:00", "2026-08-20T10:10:00Z"},
		{"2026-08-20 06:10:00.999", "2026-08-20T04:10:00Z"},
		{"2028-02-29", "2028-02-28T23:00:00Z"},
		{"", "none"},
		{"2026-02-29", "none, left out"},
		{"2026-02-30 06:10:00", "none, left out"},
		{"2026-13-01", "none, left out"},
		{"26-1-1", "none, left out"},
		{"32/01/2026", "none, left out"},
		{"2026-08-20 25:00:00", "none, left out"},
		{"1970-01-01 00:00:00", "none, left out"},
		{"9999-12-31 00:00:00", "none, left out"},
		{"hier", "none, left out"},
	} {
		t.Run(tt.cell, func(t *testing.T) {
			w := &row{parser: p, cells: make([]string, len(columns))}
			w.cells[colStart] = tt.cell
			m := w.moment(colStart, false)
			got := "none"
			if at := m.instant(); at != nil {
				got = at.Format(time.RFC3339)
			} else if m.raw != tt.cell {
				t.Errorf("%q: the raw row has %q", tt.cell, m.raw)
			}
			if len(w.odd) > 0 {
				got += ", left out"
			}
			if got != tt.want {
				t.Errorf("%q: %s, want %s", tt.cell, got, tt.want)
			}
		})
	}
}

func TestManaged(t *testing.T) {
	for _, tt := range []struct{ cell, want string }{
		{"OUI", "true OUI"},
		{"oui", "true OUI"},
		{"1", "true OUI"},
		{"NON", "false NON"},
		{"0", "false NON"},
		{"", "nil "},
		{"SFR", "nil SFR"},
	} {
		t.Run(tt.cell, func(t *testing.T) {
			w := &row{cells: make([]string, len(columns))}
			w.cells[colManaged] = tt.cell
			got := "nil"
			if m := w.managed(); m != nil {
				got = fmt.Sprint(*m)
			}
			if got += " " + w.cells[colManaged]; got != tt.want || len(w.odd) > 0 != (tt.cell == "SFR") {
				t.Errorf("%q: %q, want %q, %v", tt.cell, got, tt.want, w.odd)
			}
		})
	}
}
