package index

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"relais/geo"
	"relais/internal/tier"
	"relais/market"
	"relais/site"
)

func TestBoxesAgainstAScan(t *testing.T) {
	tier.Slow(t)
	for _, code := range []market.Code{market.FR, market.DROM} {
		m := load(t, code, register(code, 9001, 5))
		r := rand.New(rand.NewPCG(11, 12))
		found, rounds := 0, 200
		for range rounds {
			f := randomFilter(r, m.Table)
			a, b := m.space.position(uint32(r.IntN(m.Len()))), m.space.position(uint32(r.IntN(m.Len())))
			// corners on sites; some cross the antimeridian
			box := geo.Box{South: min(a.Lat, b.Lat), North: max(a.Lat, b.Lat), West: a.Lng, East: b.Lng}
			want := scan(m, func(s *site.Site) bool { return box.Contains(s.Position) && satisfies(s, f) })
			got := pages(t, m, Query{Filter: f, Box: &box}, 1+r.IntN(3000))
			if !slices.Equal(got, want) {
				t.Fatalf("box %v, filter %+v: %d sites, want %d", box, f, len(got), len(want))
			}
			found += len(want)
		}
		if found < 25*rounds {
			t.Errorf("%d sites were in the boxes, want more", found)
		}
	}
}

// byDistance returns the sites that keep accepts, nearest to p first.
func byDistance(sp *space, p geo.Point, keep func(i uint32) bool) []Near {
	var all []away
	for i := range uint32(len(sp.lat)) {
		if keep(i) {
			all = append(all, away{i, geo.Haversine(p, sp.position(i))})
		}
	}
	slices.SortStableFunc(all, func(a, b away) int { return cmp.Compare(a.haversine, b.haversine) })
	near := make([]Near, len(all))
	for k, a := range all {
		near[k] = Near{a.site, geo.Distance(p, sp.position(a.site))}
	}
	return near
}

// within returns how many of the sites, nearest first, are in the radius. Sites of the same place
// may be written with a longitude of 180 and of -180, and then differ by nanometres.
func within(near []Near, radius float64) int {
	if k := slices.IndexFunc(near, func(n Near) bool { return n.Metres > radius*(1+1e-12) }); k >= 0 {
		return k
	}
	return len(near)
}

// satisfiesFilter is satisfies for a site of m.
func satisfiesFilter(m *Market, f Filter) func(i uint32) bool {
	var s site.Site
	return func(i uint32) bool {
		m.Site(i, &s)
		return satisfies(&s, f)
	}
}

func TestDiscsAgainstAScan(t *testing.T) {
	tier.Slow(t)
	m := load(t, market.FR, register(market.FR, 9001, 6))
	r := rand.New(rand.NewPCG(13, 14))
	for range 150 {
		f := randomFilter(r, m.Table)
		d := geo.Disc{Center: m.space.position(uint32(r.IntN(m.Len()))), Radius: 50000 * r.Float64() * r.Float64()}
		var want []string
		near := byDistance(m.space, d.Center, satisfiesFilter(m, f))
		for _, n := range near[:within(near, d.Radius)] {
			want = append(want, m.Snap.ID(int(n.Site)))
		}
		if got := pages(t, m, Query{Filter: f, Disc: &d}, 1+r.IntN(500)); !slices.Equal(got, want) {
			t.Fatalf("disc %v, filter %+v: sites %v, want %v", d, f, got, want)
		}
	}
}

// anywhere is a point of the Earth, often on the antimeridian or near a pole.
func anywhere(r *rand.Rand) geo.Point {
	p := geo.Point{Lat: 180*r.Float64() - 90, Lng: 360*r.Float64() - 180}
	switch r.IntN(6) {
	case 0:
		p.Lng = math.Copysign(180, p.Lng)
	case 1:
		p.Lat = math.Copysign(90-r.Float64(), p.Lat)
	case 2:
		p.Lat = math.Copysign(90, p.Lat)
	}
	return p
}

// TestSpaceOfTheWholeEarth has blocks that span many degrees, at the poles and
// along the antimeridian, where no market lies.
func TestSpaceOfTheWholeEarth(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	lat, lng := make([]int32, 999), make([]int32, 999)
	for i := 0; i < len(lat); {
		town, spread := anywhere(r), math.Pow(10, 2-4*r.Float64())
		if r.IntN(3) == 0 {
			spread = 0 // all on one spot
		}
		for end := min(i+1+r.IntN(4*blockSites), len(lat)); i < end; i++ {
			lat[i] = geo.Fix(min(max(town.Lat+spread*(r.Float64()-0.5), -90), 90))
			lng[i] = geo.Fix(min(max(town.Lng+spread*(r.Float64()-0.5), -180), 180))
		}
	}
	s := newSpace(lat, lng)
	set, spare := newBitset(len(lat)), []away(nil)
	for round := range 800 {
		p := anywhere(r)
		if round%4 == 0 {
			p = s.position(uint32(r.IntN(len(lat))))
		}
		all := byDistance(s, p, func(uint32) bool { return true })
		d := geo.Disc{Center: p, Radius: math.Pi * geo.EarthRadius * math.Pow(r.Float64(), 3)}
		if round%2 == 0 {
			d.Radius = all[r.IntN(len(all))].Metres // some are on the rim
		}
		total := within(all, d.Radius)
		s.addBox(set, d.Box())
		offset, limit := r.IntN(total+5), r.IntN(len(all))
		if round%3 > 0 {
			offset, limit = r.IntN(5), r.IntN(9)
		}
		want := all[min(offset, total):min(offset+limit, total)]
		got, gotTotal := s.disc(set, &spare, d, offset, limit)
		if !slices.Equal(got, want) || gotTotal != total {
			t.Fatalf("disc %v from %d on: %d sites of %d, want %d of %d", d, offset, len(got), gotTotal, len(want),
				total)
		}
		set.clear()
	}
}
