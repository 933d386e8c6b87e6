package tools

import (
	"relais/measure"
	"relais/sighting"
	"relais/site"
)

// served returns the cell of a measure that names an identifier for certain, and the
// generation of that cell.
func served(h *measure.Heard, id site.RadioID) (sighting.Cell, site.Generation) {
	if id.Kind == site.ENB || id.Kind == site.Cell && h.LTE.ID == id.Value {
		return h.LTE, site.G4
	}
	return h.NR, site.G5
}

// nodeOf is the base station that a cell of a measure names, false where it names none.
func nodeOf(c *sighting.Cell) (site.RadioID, bool) {
	kind := site.ENB
	if c.NR {
		kind = site.GNB
	}
	return site.RadioID{Kind: kind, Operator: c.Operator, Value: uint64(c.Node)}, c.Node != 0
}

// named calls f with the identifiers that a measure names: its base stations, or those of
// nodes that have its cell; and the cell itself where it is one of nodes, or of no base
// station that is known.
func named(h *measure.Heard, nodes []site.RadioID, f func(site.RadioID)) {
	for _, c := range [...]*sighting.Cell{&h.LTE, &h.NR} {
		node, known := nodeOf(c)
		if known {
			f(node)
		}
		if c.ID == 0 {
			continue
		}
		of := known
		for _, n := range nodes {
			if !known && n.Kind == site.GNB && hasCell(n, c.ID) {
				of = true
				f(site.RadioID{Kind: site.GNB, Operator: n.Operator, Value: n.Value})
			}
		}
		if cell := (site.RadioID{Kind: site.Cell, Operator: c.Operator, Value: c.ID}); !of || given(nodes, cell) {
			f(cell)
		}
	}
}

// hear calls f with the measures that name one of nodes, an even sample of them where there
// are more than most, and with whether they name its base station, which is another of
// nodes, besides: then they are heard with that one. It returns how many there are, and by
// generation those that are heard here only.
func (s *radioSite) hear(nodes []site.RadioID, id site.RadioID, most int, f func(h *measure.Heard, c *sighting.Cell, g site.Generation, besides bool)) (total int, here [site.Generations]int) {
	looked := 0
	total = s.measures.HeardOf(s.market(), id, most, func(h *measure.Heard) {
		looked++
		cell, generation := served(h, id)
		node, known := nodeOf(&cell)
		besides := id.Kind == site.Cell && known && given(nodes, node)
		if !besides {
			here[generation]++
		}
		f(h, &cell, generation, besides)
	})
	for g := range here { // of a sample: as many of all
		here[g] = here[g] * total / max(looked, 1)
	}
	return total, here
}
