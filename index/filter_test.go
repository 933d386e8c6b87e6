package index

import (
	"math/rand/v2"
	"slices"
	"testing"

	"relais/internal/tier"
	"relais/market"
	"relais/site"
)

func TestFiltersAgainstAScan(t *testing.T) {
	tier.Slow(t)
	for _, code := range []market.Code{market.FR, market.DROM} {
		m := load(t, code, register(code, 5003, 5))
		r := rand.New(rand.NewPCG(9, 10))
		for range 100 {
			f := randomFilter(r, m.Table)
			want := scan(m, func(s *site.Site) bool { return satisfies(s, f) })
			if got := pages(t, m, Query{Filter: f}, 1000); !slices.Equal(got, want) {
				t.Fatalf("%s: Find(%+v) has %d sites, want %d", code, f, len(got), len(want))
			}
		}
	}
}
