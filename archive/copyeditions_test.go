package archive

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"relais/archive/change"
	"relais/market"
)

// A copy has the editions that are wanted with the sites that are kept, and the differences between these.
func TestCopyEditions(t *testing.T) {
	s, _ := opened(t)
	r := rand.New(rand.NewPCG(5, 6))
	var dates []string
	var all []listed
	now := listed{}
	for i := range 8 {
		now = randomListed(r, now)
		dates, all = append(dates, fmt.Sprintf("2026-0%d-15", i+1)), append(all, maps.Clone(now))
		mustNote(t, s, snapshotOf(t, dates[i], now), true)
	}
	all[7] = randomListed(r, all[7])
	mustNote(t, s, snapshotOf(t, dates[7], all[7]), true) // what was told of it is not copied
	kept := func(id string) bool { return strings.HasSuffix(id, "1") || strings.HasSuffix(id, "4") }
	for _, tt := range []struct {
		name string
		left []int // editions that are not wanted
	}{
		{"all", nil}, {"without the newest", []int{7}}, {"without the oldest", []int{0, 1}},
		{"without some", []int{2, 4, 5}}, {"none", []int{0, 1, 2, 3, 4, 5, 6, 7}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			to, db := opened(t)
			var wantDates []string
			var want []listed
			for i := range all {
				if !slices.Contains(tt.left, i) {
					wantDates, want = append(wantDates, dates[i]), append(want, maps.Clone(all[i]))
					maps.DeleteFunc(want[len(want)-1], func(id string, _ listedSite) bool { return !kept(id) })
				}
			}
			n, err := s.CopyEditions(t.Context(), db, market.CH,
				func(e *Edition) bool { return slices.Contains(wantDates, e.Date.String()) },
				func(id string, _ change.Place) bool { return kept(id) })
			if err != nil || n != len(want) {
				t.Fatalf("got %d, %v; want %d editions", n, err, len(want))
			}
			mustDiffer(t, to, wantDates, want)
			if editions, err := to.Editions(market.CH); err != nil || len(editions) != len(want) {
				t.Errorf("got %d editions, %v; want %d", len(editions), err, len(want))
			}
			if _, _, n, err := to.CheckRecords(); n != len(want) || err != nil {
				t.Errorf("the check has %d editions, %v; want %d", n, err, len(want))
			}
			if n := len(want); n > 0 { // the copy goes on as an ordinary store
				next := randomListed(r, want[n-1])
				mustNote(t, to, snapshotOf(t, "2026-10-15", next), true)
				mustDiffer(t, to, append(wantDates, "2026-10-15"), append(want, next))
			}
		})
	}
}
