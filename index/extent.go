package index

import (
	"relais/market"
	"relais/site"
	"relais/snapshot"
)

// A Presence counts the sites that have something.
type Presence struct {
	Sites    int // with it in any status
	Projects int // with it as a project only, included in Sites
}

// An Extent counts the sites of an operator.
type Extent struct {
	Sites       int                        // with an emission of the operator
	Generations [site.Generations]Presence // by generation of the emissions; 0 is unknown
}

// Extent returns the numbers of sites of an operator, or of Any. The first call counts all sites.
func (m *Market) Extent(operator int) Extent { return m.extents()[operator+1] }

// countExtents counts the sites by operator + 1. Element 0 is that of all operators.
func (m *Market) countExtents() []Extent {
	list := make([]Extent, m.emissions.operators+1)
	phases := make([][site.Generations]int, len(list)) // of one site
	for i := range m.Len() {
		clear(phases)
		m.Snap.EmissionKeys(i, func(k snapshot.EmissionKey) {
			phase := realPhase
			if m.Table.Phase(k.Status) == market.Project {
				phase = projectPhase
			}
			phases[0][k.Generation] |= phase
			phases[k.Operator+1][k.Generation] |= phase
		})
		for o := range list {
			list[o].add(&phases[o])
		}
	}
	return list
}

// Bits of the phases of a site's emissions.
const projectPhase, realPhase = 1, 2

// add counts a site that has emissions of these phases, by generation.
func (x *Extent) add(phases *[site.Generations]int) {
	if *phases == [site.Generations]int{} {
		return
	}
	x.Sites++
	for g, phase := range phases {
		if phase != 0 {
			x.Generations[g].Sites++
		}
		if phase == projectPhase {
			x.Generations[g].Projects++
		}
	}
}
