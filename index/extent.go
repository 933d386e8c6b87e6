package index

import (
	"relais/market"
	"relais/site"
)

// A Presence counts the sites on which something is.
type Presence struct {
	Sites    int // where it is there in any status
	Projects int // those of Sites where it is there as a project only
}

// An Extent counts the sites of an operator.
type Extent struct {
	Sites       int                        // with an emission of it
	Generations [site.Generations]Presence // of its emissions, 0 being unknown
}

// Extent counts the sites of an operator or of Any. The first who asks waits until those of
// all of them are counted.
func (m *Market) Extent(operator int) Extent { return m.extents()[operator+1] }

// readExtents counts the sites by operator+1, 0 being all of them.
func (m *Market) readExtents() []Extent {
	w := m.scratch.Get().(*work)
	defer m.scratch.Put(w)
	list := make([]Extent, m.emissions.operators+1)
	for k := range list {
		list[k] = m.extent(k-1, w)
	}
	return list
}

func (m *Market) extent(operator int, w *work) (x Extent) {
	e, all, real, some := m.emissions, w.set, w.other, w.found
	some.clear()
	for g := range x.Generations {
		if e.generations[g] < 0 {
			continue
		}
		all.clear()
		real.clear()
		for o := range e.operators {
			for status, at := range e.statuses {
				if at < 0 || operator != Any && o != operator {
					continue
				}
				sites := e.having[e.bit(o, e.generations[g], at)]
				if sites.words == nil {
					continue
				}
				all.or(sites)
				if m.Table.Phase(status-1) != market.Project {
					real.or(sites)
				}
			}
		}
		n := all.count()
		x.Generations[g] = Presence{n, n - real.count()}
		some.or(all)
	}
	x.Sites = some.count()
	return x
}
