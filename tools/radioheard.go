package tools

import (
	"relais/measure"
	"relais/sighting"
	"relais/site"
)

// servedIn is the generation of the cell of a measure that names an identifier for certain.
func servedIn(h *measure.Heard, id site.RadioID) site.Generation {
	if id.Kind == site.Cell {
		if lte, _ := h.Cells(); lte.ID == id.Value {
			return site.G4
		}
	}
	if id.Kind == site.ENB {
		return site.G4
	}
	return site.G5
}

// cellIn is the cell of a generation that a measure names.
func cellIn(h *measure.Heard, g site.Generation) sighting.Cell {
	lte, nr := h.Cells()
	if g == site.G4 {
		return lte
	}
	return nr
}

// nodeOf is the base station that a cell of a measure names, false where it names none.
func nodeOf(c *sighting.Cell) (site.RadioID, bool) {
	kind := site.ENB
	if c.NR {
		kind = site.GNB
	}
	return site.RadioID{Kind: kind, Operator: c.Operator, Value: uint64(c.Node)}, c.Node != 0
}

// named calls f with the identifiers that a measure names, and whether in NR or in LTE: its
// base stations, or those of nodes that have its cell; and the cell itself where it is one
// of nodes, or of no base station that is known.
func named(h *measure.Heard, nodes []site.RadioID, f func(id site.RadioID, nr bool)) {
	lte, nr := h.Cells()
	for _, c := range [...]*sighting.Cell{&lte, &nr} {
		node, known := nodeOf(c)
		if known {
			f(node, c.NR)
		}
		if c.ID == 0 {
			continue
		}
		of := known
		for _, n := range nodes {
			if !known && n.Kind == site.GNB && hasCell(n, c.ID) {
				of = true
				f(site.RadioID{Kind: site.GNB, Operator: n.Operator, Value: n.Value}, c.NR)
			}
		}
		if cell := (site.RadioID{Kind: site.Cell, Operator: c.Operator, Value: c.ID}); !of || given(nodes, cell) {
			f(cell, c.NR)
		}
	}
}

// hear calls f with the measures that name one of nodes, an even sample of them where there
// are more than most, with the generation of the cell that does, and with whether they name
// its base station, which is another of nodes, besides: then they are heard with that one.
// It returns how many there are, and by generation those that are heard here only.
func (s *radioSite) hear(nodes []site.RadioID, id site.RadioID, most int,
	f func(h *measure.Heard, g site.Generation, besides bool)) (total int, here [site.Generations]int) {
	looked := 0
	total = s.measures.HeardOf(s.market(), id, most, func(h *measure.Heard) {
		looked++
		generation, besides := servedIn(h, id), false
		if id.Kind == site.Cell {
			cell := cellIn(h, generation)
			node, known := nodeOf(&cell)
			besides = known && given(nodes, node)
		}
		if !besides {
			here[generation]++
		}
		f(h, generation, besides)
	})
	for g := range here { // of a sample: as many of all
		here[g] = here[g] * total / max(looked, 1)
	}
	return total, here
}
