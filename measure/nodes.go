package measure

import (
	"iter"

	"relais/geo"
	"relais/market"
	"relais/sighting"
	"relais/site"
)

// CellSightings goes over what measures of a market say of the cells and base stations of
// its operators, and where the phones were: those of a segment that are near each other
// one behind the other. It is for an index, which learns from it whose they are. One
// measure may name an eNB and a gNB.
func (s *Store) CellSightings(code market.Code) iter.Seq2[sighting.Cell, geo.Point] {
	v := s.view()
	return func(yield func(sighting.Cell, geo.Point) bool) {
		for _, seg := range v.segments {
			// What was made up teaches nothing.
			if seg.Market == code && !seg.Synthetic && !seg.sightings(yield) {
				return
			}
		}
	}
}

func (s *segment) sightings(yield func(sighting.Cell, geo.Point) bool) bool {
	for i := range uint32(s.rows) {
		operator := s.operator(i)
		if operator < 0 {
			continue
		}
		p := geo.Point{Lat: geo.Degrees(s.lat[i]), Lng: geo.Degrees(s.lng[i])}
		for _, c := range s.cells(i, operator) {
			if (c.Node != 0 || c.ID != 0) && !yield(c, p) {
				return false
			}
		}
	}
	return true
}

// cells returns the cells of LTE and NR that the row names. One that begins with the eNB
// is an ECI: on a phone in 5G that still hangs on LTE, too. Else it is that of the
// technology, and so is the PCI.
func (r *row) cells(operator int) [2]sighting.Cell {
	lte := sighting.Cell{Operator: operator, Node: r.node(), PCI: -1}
	nr := sighting.Cell{Operator: operator, NR: true, Node: r.gnb, PCI: -1}
	in5G := technologies[r.technology].generation == 5
	switch {
	case lte.Node != 0 && r.cell>>site.ECICellBits == uint64(lte.Node):
		lte.ID = r.cell
	case in5G:
		nr.ID = r.cell
	}
	switch {
	case r.pci == noPCI:
	case in5G:
		nr.PCI = int(r.pci)
	default:
		lte.PCI = int(r.pci)
	}
	return [2]sighting.Cell{lte, nr}
}
