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

// Generations counts the sites with emissions of each generation, 0 being unknown, of an
// operator or of Any.
func (m *Market) Generations(operator int) (counts [site.Generations]Presence) {
	w := m.scratch.Get().(*work)
	defer m.scratch.Put(w)
	e := m.emissions
	for g := range counts {
		if e.generations[g] < 0 {
			continue
		}
		all, real := w.set, w.other
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
		counts[g] = Presence{n, n - real.count()}
	}
	return counts
}
