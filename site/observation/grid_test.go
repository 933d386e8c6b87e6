package observation

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"relais/geo"
	"relais/site"
	"relais/snapshot"
)

const metre = 1 / 111195.0 // in degrees of latitude

// A list is a register.
type list []site.Site

func (l list) Len() int { return len(l) }

func (l list) Place(i int) snapshot.Place {
	p := snapshot.Place{Position: l[i].Position}
	for _, s := range l[i].Stations {
		p.Operators = append(p.Operators, uint8(s.Operator))
	}
	return p
}

func (l list) RadioIDs(i int, f func(site.RadioID)) {
	for _, id := range l[i].Radio {
		f(id)
	}
}

// near is compared with the distance to every site, also in the far north and at the
// antimeridian.
func TestNearAgreesWithBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, centre := range []geo.Point{{Lat: 0, Lng: 0.001}, {Lat: 47, Lng: 8}, {Lat: 83.9, Lng: -60},
		{Lat: -20, Lng: 179.9999}, {Lat: 89.999, Lng: 10}, {Lat: -90, Lng: 0}} {
		around := func(km float64) geo.Point {
			p := geo.Point{Lat: centre.Lat + (r.Float64()-0.5)*km*1000*metre,
				Lng: centre.Lng + (r.Float64()-0.5)*km*1000*metre/max(1e-6, math.Cos(centre.Lat*math.Pi/180))}
			return geo.Point{Lat: max(-90, min(90, p.Lat)), Lng: math.Remainder(p.Lng, 360)}
		}
		var all list
		for i := range 200 {
			all = append(all, site.Site{ID: fmt.Sprint(i), Position: around(6), Stations: []site.Station{{}}})
		}
		b := NewObservations(all, 1)
		found := [3]int{}
		for range 2000 {
			p := around(7)
			var want []uint32
			for i := range all {
				if geo.Distance(p, all[i].Position) <= 300 {
					want = append(want, uint32(i))
				}
			}
			got := b.sites[0].near(p, nil)
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Fatalf("near(%v) = %v, want %v", p, got, want)
			}
			found[min(2, len(got))]++
		}
		if found[0] == 0 || found[1] == 0 || found[2] == 0 {
			t.Errorf("around %v points had 0, 1, 2 sites %v times, want each to occur", centre, found)
		}
	}
}
