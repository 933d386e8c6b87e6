package index

import (
	"math/bits"

	"relais/geo"
	"relais/market"
	"relais/site"
	"relais/snapshot"
)

// Each calls f for each site that a query selects, in the order of the snapshot.
func (m *Market) Each(q Query, f func(i uint32)) {
	w := m.scratch.Get().(*work)
	defer m.scratch.Put(w)
	m.match(q, w).each(f)
}

// Position returns the position of site i.
func (m *Market) Position(i uint32) geo.Point { return m.space.position(i) }

// A Shown sums up the emissions of a site, or of several sites, that a filter selects.
type Shown struct {
	Operators  uint64          // bits by position in the market's operators
	Live       uint64          // those with an emission that is more than a project
	Generation site.Generation // the newest of Live's emissions, or of all if they are projects
}

// Add adds another sum.
func (s *Shown) Add(o Shown) {
	switch {
	case (s.Live == 0) == (o.Live == 0):
		s.Generation = max(s.Generation, o.Generation)
	case s.Live == 0:
		s.Generation = o.Generation
	}
	s.Operators |= o.Operators
	s.Live |= o.Live
}

// A Selection is what a filter selects, for questions about many sites.
type Selection struct {
	market *Market
	filter Filter
	keys   []uint64   // of the emissions that the filter selects
	parts  [][]uint64 // a site must have a key of each
}

// Select returns what a filter selects.
func (m *Market) Select(f Filter) *Selection {
	s := &Selection{market: m, filter: f, keys: m.emissions.accepted(f)}
	for _, part := range f.parts() {
		if mask := m.emissions.mask(part); mask != nil {
			s.parts = append(s.parts, mask)
		}
	}
	return s
}

// Each calls f for each selected site in a box, in the order of the snapshot.
func (s *Selection) Each(box geo.Box, f func(i uint32)) {
	m, places := s.market, All
	places.Area, places.Within = s.filter.Area, s.filter.Within
	m.Each(Query{Filter: places, Box: &box}, func(i uint32) {
		for _, part := range s.parts {
			if !m.emissions.matches(i, part) {
				return
			}
		}
		f(i)
	})
}

// A Sum is the emissions of a site, or of several sites. Its zero value is empty.
type Sum []uint64

// Add adds the selected emissions of site i to a sum, and returns it.
func (s *Selection) Add(sum Sum, i uint32) Sum {
	if sum == nil {
		sum = make(Sum, len(s.keys))
	}
	for w, keys := range s.market.emissions.of(i) {
		sum[w] |= keys & s.keys[w]
	}
	return sum
}

// Shown returns what a sum says.
func (s *Selection) Shown(sum Sum) (shown Shown) {
	for w, word := range sum {
		for ; word != 0; word &= word - 1 {
			k := s.market.emissions.keys[w<<6+bits.TrailingZeros64(word)]
			one := Shown{Operators: 1 << k.Operator, Generation: k.Generation}
			if s.market.Table.Phase(k.Status) != market.Project {
				one.Live = one.Operators
			}
			shown.Add(one)
		}
	}
	return shown
}

// Selects reports whether the filter selects an emission of a site. It ignores the area.
func (f *Filter) Selects(s *site.Site, e *site.Emission) bool {
	return f.accepts(snapshot.EmissionKey{Operator: s.Stations[e.Station].Operator, System: e.Order,
		Generation: e.Generation, Status: e.Status})
}
