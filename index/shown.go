package index

import (
	"slices"

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
	market                 *Market
	filter                 Filter
	of                     *kinds
	parts                  [][]uint64 // a site must have a key of each
	operators, generations []selected // of the emissions that the filter selects
	seen                   []int32    // by kind: 0 before it is looked at, unselected, or 1 + a position in shown
	shown                  []Shown    // each once
	numbers                map[Shown]int32
}

// selected are the selected keys of an operator or a generation, and those of them that are more than projects.
type selected struct{ all, live []uint64 }

// unselected marks the kinds whose sites a Selection does not select.
const unselected = -1

// Select returns what a filter selects.
func (m *Market) Select(f Filter) *Selection {
	parts, of := f.parts(), &m.emissions.coarse
	if slices.ContainsFunc(parts, Filter.asksDetails) {
		of = &m.emissions.kinds
	}
	s := &Selection{market: m, filter: f, of: of, operators: of.noKeys(m.emissions.operators),
		generations: of.noKeys(site.Generations), seen: make([]int32, of.count), numbers: map[Shown]int32{}}
	for _, part := range parts {
		if mask := of.mask(part); mask != nil {
			s.parts = append(s.parts, mask)
		}
	}
	for n, k := range of.keys {
		if !f.accepts(k) {
			continue
		}
		for _, to := range []selected{s.operators[k.Operator], s.generations[k.Generation]} {
			to.all[n>>6] |= 1 << (n & 63)
			if m.Table.Phase(k.Status) != market.Project {
				to.live[n>>6] |= 1 << (n & 63)
			}
		}
	}
	return s
}

func (k *kinds) noKeys(n int) (list []selected) {
	for range n {
		list = append(list, selected{make([]uint64, k.words), make([]uint64, k.words)})
	}
	return list
}

// Each calls f for each selected site in a box, in the order of the snapshot. n is the number for Shown.
func (s *Selection) Each(box geo.Box, f func(i uint32, n int)) {
	places := All
	places.Area, places.Within = s.filter.Area, s.filter.Within
	s.market.Each(Query{Filter: places, Box: &box}, func(i uint32) {
		kind := s.of.kind[i]
		if s.seen[kind] == 0 {
			s.seen[kind] = s.look(kind)
		}
		if n := s.seen[kind]; n != unselected {
			f(i, int(n)-1)
		}
	})
}

// Shown returns what is shown of the sites with a number of Each. Numbers are small, and sites with equal emissions
// of those that the filter selects have one.
func (s *Selection) Shown(n int) Shown { return s.shown[n] }

// look returns what seen has for a kind.
func (s *Selection) look(kind uint32) int32 {
	mask := s.of.ofKind(kind)
	for _, part := range s.parts {
		if !meet(mask, part) {
			return unselected
		}
	}
	var shown Shown
	for operator, of := range s.operators {
		if meet(mask, of.all) {
			shown.Operators |= 1 << operator
		}
		if meet(mask, of.live) {
			shown.Live |= 1 << operator
		}
	}
	for generation, of := range s.generations {
		if shown.Live != 0 && meet(mask, of.live) || shown.Live == 0 && meet(mask, of.all) {
			shown.Generation = site.Generation(generation)
		}
	}
	n, known := s.numbers[shown]
	if !known {
		s.shown = append(s.shown, shown)
		n = int32(len(s.shown))
		s.numbers[shown] = n
	}
	return n
}

// Selects reports whether the filter selects an emission of a site. It ignores the area.
func (f *Filter) Selects(s *site.Site, e *site.Emission) bool {
	return f.accepts(snapshot.EmissionKey{Operator: s.Stations[e.Station].Operator, System: e.Order,
		Generation: e.Generation, Status: e.Status})
}
