package index

import (
	"slices"
	"testing"

	"relais/market"
	"relais/site"
)

func TestExtentAgainstAScan(t *testing.T) {
	for _, code := range []market.Code{market.FR, market.DROM, market.CA} {
		sites := register(code, 900, 77)
		m := load(t, code, sites)
		projects := 0
		for operator := -1; operator < len(m.Table.Operators); operator++ {
			var want Extent
			for i := range sites {
				var any, real [site.Generations]bool
				for _, e := range sites[i].Emissions {
					if operator == Any || sites[i].Stations[e.Station].Operator == operator {
						any[e.Generation] = true
						project := e.Status >= 0 && e.Status < len(m.Table.Statuses) &&
							m.Table.Statuses[e.Status].Phase == market.Project
						real[e.Generation] = real[e.Generation] || !project
					}
				}
				if slices.Contains(any[:], true) {
					want.Sites++
				}
				for g := range want.Generations {
					if any[g] {
						want.Generations[g].Sites++
						if !real[g] {
							want.Generations[g].Projects++
							projects++
						}
					}
				}
			}
			if got := m.Extent(operator); got != want {
				t.Errorf("%s: Extent(%d) = %+v, want %+v", code, operator, got, want)
			}
		}
		if (projects > 0) != (len(m.Table.Statuses) > 0) {
			t.Errorf("%s: %d sites with projects only, want some", code, projects)
		}
	}
}
