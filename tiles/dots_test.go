package tiles

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/paulmach/orb"

	"relais/geo"
	"relais/index"
	"relais/index/indextest"
	"relais/market"
	"relais/site"
)

// All dots of a zoom are the sites that a scan finds, under every filter.
func TestDotsCount(t *testing.T) {
	m, r := france(t), rand.New(rand.NewPCG(5, 6))
	all, found := sitesOf(m), map[bool]int{}
	for k := range 60 {
		f, want := randomFilter(r, m), uint64(0)
		if k == 0 {
			f = index.All
		}
		for i := range all {
			if satisfies(&all[i], f) {
				want++
			}
		}
		found[want > 0]++
		got := [everySite]uint64{}
		for _, tile := range Low(m, uint32([]int{5, 8, everySite - 1}[k%3])) {
			for _, feature := range decode(t, Dots(m, f, tile))[DotsLayer] {
				got[tile.Z] += number(feature, "n")
			}
		}
		for z, n := range got {
			if n != want && z <= []int{5, 8, everySite - 1}[k%3] {
				t.Errorf("zoom %d, filter %+v: %d sites, want %d", z, f, n, want)
			}
		}
	}
	if found[true] < 30 {
		t.Errorf("%d filters select sites, want 30", found[true])
	}
}

// A likeness is the values of a feature of dots, without n.
type likeness struct{ ops, live, gen uint64 }

// likenessOf is what a scan of the emissions of a site says.
func likenessOf(m *index.Market, s *site.Site, f index.Filter) (l likeness) {
	newest := map[uint64]uint64{} // by live
	for _, e := range s.Emissions {
		if !emits(s, e, f) {
			continue
		}
		live := uint64(1)
		if m.Snap.Statuses[e.Status] == "Projet approuvé" {
			live = 0
		}
		l.ops |= 1 << s.Stations[e.Station].Operator
		l.live = max(l.live, live)
		newest[live] = max(newest[live], uint64(e.Generation))
	}
	l.gen = newest[l.live]
	return l
}

// A feature has the number of the sites that are like it, and their places.
func TestDotsAreTheSites(t *testing.T) {
	m, r := france(t), rand.New(rand.NewPCG(7, 8))
	all, shared := sitesOf(m), 0
	for range 100 {
		f, z := randomFilter(r, m), uint32(r.IntN(everySite))
		o := tileOf(all[r.IntN(len(all))].Position, z)
		want, got := map[likeness][]geo.Point{}, map[likeness]uint64{}
		for i := range all {
			if s := &all[i]; tileOf(s.Position, z) == o && satisfies(s, f) {
				l := likenessOf(m, s, f)
				want[l] = append(want[l], s.Position)
			}
		}
		for _, feature := range decode(t, Dots(m, f, Tile{z, o.X, o.Y}))[DotsLayer] {
			l := likeness{number(feature, "ops"), number(feature, "live"), number(feature, "gen")}
			if _, twice := got[l]; twice {
				t.Errorf("%v: two features of %+v", o, l)
			}
			got[l] = number(feature, "n")
			dots := placesOf(feature.Geometry)
			shared += int(got[l]) - len(dots)
			slices.SortFunc(dots, func(a, b orb.Point) int { return slices.Compare(a[:], b[:]) })
			if len(slices.Compact(slices.Clone(dots))) < len(dots) {
				t.Errorf("%v: a place of %+v is written twice", o, l)
			}
			var places []orb.Point
			for _, p := range want[l] {
				places = append(places, orb.Point{(p.Lng/360 + 0.5) * math.Exp2(float64(z+dotBits)),
					(0.5 - math.Asinh(math.Tan(p.Lat*math.Pi/180))/(2*math.Pi)) * math.Exp2(float64(z+dotBits))})
			}
			corner := orb.Point{float64(o.X << dotBits), float64(o.Y << dotBits)}
			for _, lists := range [][2][]orb.Point{{dots, shift(places, corner)}, {shift(places, corner), dots}} {
				for _, p := range lists[0] {
					if !slices.ContainsFunc(lists[1], func(q orb.Point) bool {
						return math.Abs(p[0]-q[0]) < 1.01 && math.Abs(p[1]-q[1]) < 1.01
					}) {
						t.Fatalf("%v, filter %+v: %v of %+v is far from all places", o, f, p, l)
					}
				}
			}
		}
		counts := map[likeness]uint64{}
		for l, places := range want {
			counts[l] = uint64(len(places))
		}
		if diff := cmp.Diff(counts, got); diff != "" {
			t.Errorf("%v, filter %+v: sites by likeness (-want +got)\n%s", o, f, diff)
		}
	}
	if shared == 0 {
		t.Error("no place has two sites that are alike")
	}
}

func shift(list []orb.Point, corner orb.Point) (moved []orb.Point) {
	for _, p := range list {
		moved = append(moved, orb.Point{p[0] - corner[0], p[1] - corner[1]})
	}
	return moved
}

// placesOf lists the points of a feature.
func placesOf(g orb.Geometry) []orb.Point {
	switch g := g.(type) {
	case orb.Point:
		return []orb.Point{g}
	case orb.Polygon:
		return slices.Clone(g[0])
	}
	return slices.Clone(g.(orb.MultiPoint))
}

// A market can have more kinds of sites than one step of the sorting tells apart.
func TestManyKindsOfDots(t *testing.T) {
	const operators, generations = 8, 4
	var sites []site.Site
	for k := range 2 * generations * (1<<operators - 1) {
		s := site.Site{ID: fmt.Sprint(k), Position: geo.Point{Lat: -21 + float64(k%50)/100, Lng: 55 + float64(k)/10000}}
		for operator := range operators {
			if (k%(1<<operators-1)+1)>>operator&1 != 0 {
				s.Emissions = append(s.Emissions, site.Emission{Station: len(s.Stations), System: "some",
					Generation: site.G2 + site.Generation(k/2%generations), Status: k % 2})
				s.Stations = append(s.Stations, site.Station{Operator: operator})
			}
		}
		sites = append(sites, s)
	}
	m := indextest.Market(t, market.DROM, sites...)
	seen := map[likeness]bool{}
	for _, f := range decode(t, Dots(m, index.All, Tile{}))[DotsLayer] {
		l := likeness{number(f, "ops"), number(f, "live"), number(f, "gen")}
		if n := number(f, "n"); n != 1 || len(placesOf(f.Geometry)) != 1 {
			t.Errorf("%+v: %d sites, want 1", l, n)
		}
		seen[l] = true
	}
	if len(seen) != len(sites) {
		t.Errorf("%d features, want %d", len(seen), len(sites))
	}
}

func TestNoDotsOfNearby(t *testing.T) {
	m := france(t)
	o := tileOf(m.Position(0), everySite)
	if got := Dots(m, index.All, Tile{everySite, o.X, o.Y}); got != nil {
		t.Errorf("zoom %d has %d bytes of dots, want none", everySite, len(got))
	}
}
