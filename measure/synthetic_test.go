package measure

import (
	"testing"
	"time"

	"relais/market"
)

// Of a file that says by its name that it is made up, every measure says so, for as long
// as it is kept. Operators are found even so, and nothing is learned from it.
func TestSynthetic(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	const known, unknown = "2026-11-20T10:03:00Z,45.5,4.25,-60,-80,12,LTE,CELLULAR,208,1,1000,,256001,7\n",
		"2026-11-20T10:04:00Z,45.5,4.25,-60,-80,12,LTE,CELLULAR,208,99,1000,,256001,7\n"
	imported(t, s, market.FR, write(t, "SYNTHETIC_coverage.csv",
		coverageHead+"a,"+known+"b,"+unknown+"c,2020"+known[4:]))
	imported(t, s, market.FR, write(t, "coverage.csv",
		coverageHead+"a,2026-11-20T10:02:00Z,45.5,4.25,-60,-80,12,LTE,CELLULAR,208,1,1001,,256257,7\n"))
	names := func(s *Store, operators ...string) (list []string) {
		points, err := s.Coverage(Query{Market: market.FR, Among: operators, Limit: 10,
			Since: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)})
		must(t, err)
		for _, p := range points {
			list = append(list, p.OperatorName)
		}
		return list
	}
	mustBe := func(s *Store) {
		t.Helper()
		if got := names(s); len(got) != 3 || got[0] != "SYNTHETIC" || got[1] != "SYNTHETIC Orange" ||
			got[2] != "Orange" {
			t.Errorf("names = %q, want SYNTHETIC, SYNTHETIC Orange, Orange", got)
		}
		if got := names(s, "ORANGE"); len(got) != 2 {
			t.Errorf("names of ORANGE = %q, want 2", got)
		}
		for n := range s.CellObservations(market.FR) {
			if n.Node != 1001 {
				t.Errorf("learned from synthetic data: %+v, want nothing", n)
			}
		}
	}
	mustBe(s)
	if n, err := s.Retain(300 * 24 * time.Hour); n != 1 || err != nil { // the segment is rewritten
		t.Fatalf("got %v, %v, want 1 and no error", n, err)
	}
	mustBe(s)
	mustBe(openReader(t, dir))
}
