package index

import (
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

// Shown sums up the emissions of site i that a filter selects.
func (m *Market) Shown(i uint32, f Filter) (sum Shown) {
	m.Snap.EmissionKeys(int(i), func(k snapshot.EmissionKey) {
		if !f.accepts(k) {
			return
		}
		one := Shown{Operators: 1 << k.Operator, Generation: k.Generation}
		if m.Table.Phase(k.Status) != market.Project {
			one.Live = one.Operators
		}
		sum.Add(one)
	})
	return sum
}

// Selects reports whether the filter selects an emission of a site. It ignores the area.
func (f *Filter) Selects(s *site.Site, e *site.Emission) bool {
	return f.accepts(snapshot.EmissionKey{Operator: s.Stations[e.Station].Operator, System: e.Order,
		Generation: e.Generation, Status: e.Status})
}
