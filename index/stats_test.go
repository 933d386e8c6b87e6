package index

import (
	"slices"
	"testing"

	"relais/internal/tier"
	"relais/market"
	"relais/site"
)

func TestDepartmentsAgainstAScan(t *testing.T) {
	tier.Slow(t)
	for _, code := range []market.Code{market.FR, market.DROM} {
		m := load(t, code, register(code, 2000, 10))
		for o := Any; o < len(m.Table.Operators); o++ {
			sum := 0
			for area, got := range m.Departments(o) {
				has := func(what func(site.Emission) bool) int {
					return len(scan(m, func(s *site.Site) bool {
						return s.Area == area && slices.ContainsFunc(s.Emissions, func(e site.Emission) bool {
							return (o == Any || s.Stations[e.Station].Operator == o) && what(e)
						})
					}))
				}
				live := func(what func(site.Emission) bool) int {
					return has(func(e site.Emission) bool { return e.Status > 0 && what(e) })
				}
				want := Counts{
					Total:     has(func(site.Emission) bool { return true }),
					FiveG3500: live(func(e site.Emission) bool { return e.System == "5G NR 3500" }),
					FiveG2100: live(func(e site.Emission) bool { return e.System == "5G NR 2100" }),
					FiveG:     live(func(e site.Emission) bool { return e.Generation == site.G5 }),
					FourG:     live(func(e site.Emission) bool { return e.Generation == site.G4 }),
					ThreeG:    live(func(e site.Emission) bool { return e.Generation == site.G3 }),
					InService: has(func(e site.Emission) bool { return e.Status == 2 }),
				}
				want.Operational = has(func(e site.Emission) bool { return e.Status >= 1 }) - want.InService
				want.Projects = want.Total - want.InService - want.Operational
				if got != want {
					t.Fatalf("%s: counts of operator %d in area %d = %+v, want %+v", code, o, area, got, want)
				}
				sum += got.Total
			}
			if o == Any { // several operators together are all of them
				several := m.Departments(0, 1, 2, 3, 4, 5, 6, 7)
				if !slices.Equal(several, m.Departments(Any)) {
					t.Errorf("%s: all operators one by one have %v, all at once %v", code, several, m.Departments(Any))
				}
			}
			if want := len(scan(m, func(s *site.Site) bool {
				return satisfies(s, Filter{Operator: o, Generation: Any, Status: Any, Area: Any}) &&
					len(s.Emissions) > 0
			})); sum != want {
				t.Errorf("%s operator %d: departments have %d sites, the market %d", code, o, sum, want)
			}
		}
	}
}
