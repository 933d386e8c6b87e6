package index

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"relais/geo"
	"relais/internal/tier"
	"relais/market"
	"relais/site"
)

// north returns a point so many metres north of the place of the tests.
func north(metres float64) geo.Point { return geo.Point{Lat: 46 + metres/111195, Lng: 3} }

func TestOperatorSite(t *testing.T) {
	const orange, sfr = 0, 1
	place := func(id string, metres float64, stations ...site.Station) site.Site {
		s := site.Site{ID: id, Position: north(metres), Area: -1, Height: site.Unknown, AntennaHeight: site.Unknown}
		for i, station := range stations {
			station.Code = fmt.Sprint("station ", id, i)
			s.Stations = append(s.Stations, station)
			s.Emissions = append(s.Emissions, site.Emission{Station: i, System: "LTE 800", Generation: site.G4})
		}
		return s
	}
	m := load(t, market.FR, []site.Site{
		place("a", 0, site.Station{Operator: orange, OperatorSiteID: "A1"},
			site.Station{Operator: sfr, OperatorSiteID: "77"}),
		place("b", 60, site.Station{Operator: orange, OperatorSiteID: "B1"}),
		place("c", 1000, site.Station{Operator: orange, OperatorSiteID: "77"}),
		place("d", 2000, site.Station{Operator: orange, OperatorSiteID: "twice"},
			site.Station{Operator: orange, OperatorSiteID: "twice"}),
		place("e", 3000, site.Station{Operator: orange, OperatorSiteID: "shared"}),
		place("f", 4000, site.Station{Operator: orange, OperatorSiteID: "shared"}),
		place("g", 5000, site.Station{Operator: orange}),
	})
	for _, tt := range []struct {
		name     string
		operator int
		code     string
		metres   float64
		want     string
	}{
		{"the code, wherever it is said to be", orange, "A1", 1000, "a"},
		{"a code of two operators, of the one", orange, "77", 0, "c"},
		{"a code of two operators, of the other", sfr, "77", 1000, "a"},
		{"a code in another case is another", orange, "a1", 2500, ""},
		{"two stations of one site", orange, "twice", 0, "d"},
		{"a code of two sites, at none", orange, "shared", 3500, ""},
		{"a code of two sites, at one", orange, "shared", 4010, "f"},
		{"no code, at a site", orange, "", 4960, "g"},
		{"no code is not that of a site without one", orange, "", 2500, ""},
		{"an unknown code, at a site", orange, "new", 5049, "g"},
		{"too far", orange, "new", 5051, ""},
		{"between two sites", orange, "new", 30, ""},
		{"near the first of two", orange, "new", -20, "a"},
		{"two sites, one of the operator", sfr, "new", 30, "a"},
		{"no site of the operator", sfr, "new", 5000, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			if i, ok := m.OperatorSite(tt.operator, tt.code, new(north(tt.metres))); ok {
				got = m.Snap.ID(int(i))
			}
			if got != tt.want {
				t.Errorf("got site %q, want %q", got, tt.want)
			}
		})
	}
}

func TestOperatorSiteAgainstAScan(t *testing.T) {
	tier.Slow(t)
	sites := register(market.FR, 3000, 9)
	r := rand.New(rand.NewPCG(9, 9))
	for i := range sites {
		for k := range sites[i].Stations {
			sites[i].Stations[k].OperatorSiteID = []string{"", fmt.Sprint(r.IntN(5000))}[r.IntN(2)]
		}
	}
	m := load(t, market.FR, sites)
	found := 0
	for range 5000 {
		operator, code := r.IntN(len(m.Table.Operators)), fmt.Sprint(r.IntN(6000))
		p := sites[r.IntN(len(sites))].Position
		p.Lat += (r.Float64() - 0.5) / 600
		named, near := map[string]bool{}, map[string]bool{}
		for _, s := range sites {
			for k, station := range s.Stations {
				if station.Operator != operator {
					continue
				}
				if station.OperatorSiteID == code {
					named[s.ID] = true
				}
				for _, e := range s.Emissions {
					if e.Station == k && geo.Distance(s.Position, p) <= siteReach {
						near[s.ID] = true
					}
				}
			}
		}
		want := near
		if len(named) == 1 {
			want = named
		}
		i, ok := m.OperatorSite(operator, code, &p)
		if ok != (len(want) == 1) || ok && !want[m.Snap.ID(int(i))] {
			t.Fatalf("operator %d, code %s at %v: got %d, %v, want one of %v if it is alone", operator, code, p, i, ok, want)
		}
		if ok {
			found++
		}
	}
	if found < 500 {
		t.Errorf("%d of 5000 were found, too few for a test", found)
	}
}

func BenchmarkOperatorSite(b *testing.B) {
	sites := register(market.FR, 100_000, 9)
	m := load(b, market.FR, sites)
	for i := 0; b.Loop(); i++ {
		m.OperatorSite(0, "unknown", &sites[i%len(sites)].Position)
	}
}
