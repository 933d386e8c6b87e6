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

// A Selection is what a filter selects, for questions about many sites. It is for one goroutine: it looks at each
// kind of sites once, when it meets the first site of the kind.
type Selection struct {
	market  *Market
	filter  Filter
	keys    []uint64   // of the emissions that the filter selects
	parts   [][]uint64 // a site must have a key of each
	kinds   []int32    // by kind: 0 before it is looked at, unselected, or 1 + a position in shown
	shown   []Shown    // each once
	numbers map[Shown]int32
}

// unselected marks the kinds whose sites a Selection does not select.
const unselected = -1

// Select returns what a filter selects.
func (m *Market) Select(f Filter) *Selection {
	s := &Selection{market: m, filter: f, keys: m.emissions.accepted(f), kinds: make([]int32, m.emissions.count),
		numbers: map[Shown]int32{}}
	for _, part := range f.parts() {
		if mask := m.emissions.mask(part); mask != nil {
			s.parts = append(s.parts, mask)
		}
	}
	return s
}

// Each calls f for each selected site in a box, in the order of the snapshot. n is the number for Shown.
func (s *Selection) Each(box geo.Box, f func(i uint32, n int)) {
	places := All
	places.Area, places.Within = s.filter.Area, s.filter.Within
	s.market.Each(Query{Filter: places, Box: &box}, func(i uint32) {
		kind := s.market.emissions.kind[i]
		if s.kinds[kind] == 0 {
			s.kinds[kind] = s.look(kind)
		}
		if n := s.kinds[kind]; n != unselected {
			f(i, int(n)-1)
		}
	})
}

// Shown returns what is shown of the sites with a number of Each. Numbers are small, and sites with equal emissions
// of those that the filter selects have one.
func (s *Selection) Shown(n int) Shown { return s.shown[n] }

// look returns what kinds has for a kind.
func (s *Selection) look(kind uint32) int32 {
	e := s.market.emissions
	mask := e.ofKind(kind)
	for _, part := range s.parts {
		if !meet(mask, part) {
			return unselected
		}
	}
	var shown Shown
	for w, word := range mask {
		for word &= s.keys[w]; word != 0; word &= word - 1 {
			k := e.keys[w<<6+bits.TrailingZeros64(word)]
			one := Shown{Operators: 1 << k.Operator, Generation: k.Generation}
			if s.market.Table.Phase(k.Status) != market.Project {
				one.Live = one.Operators
			}
			shown.Add(one)
		}
	}
	if s.numbers[shown] == 0 {
		s.shown = append(s.shown, shown)
		s.numbers[shown] = int32(len(s.shown))
	}
	return s.numbers[shown]
}

// Selects reports whether the filter selects an emission of a site. It ignores the area.
func (f *Filter) Selects(s *site.Site, e *site.Emission) bool {
	return f.accepts(snapshot.EmissionKey{Operator: s.Stations[e.Station].Operator, System: e.Order,
		Generation: e.Generation, Status: e.Status})
}
