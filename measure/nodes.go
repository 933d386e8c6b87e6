package measure

import (
	"iter"

	"relais/geo"
	"relais/market"
	"relais/site"
	"relais/site/observation"
)

// CellObservations yields the cells and base stations of a market's operators that
// measurements name, with the positions of the phones. An index learns from them to which
// sites the cells belong. One measurement may name an eNB and a gNB.
func (s *Store) CellObservations(code market.Code) iter.Seq2[observation.Cell, geo.Point] {
	v := s.view()
	return func(yield func(observation.Cell, geo.Point) bool) {
		for _, seg := range v.segments {
			// Nothing is learned from synthetic measurements.
			if seg.Market == code && !seg.Synthetic && !seg.yieldCells(yield) {
				return
			}
		}
	}
}

func (s *segment) yieldCells(yield func(observation.Cell, geo.Point) bool) bool {
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

// cells returns the LTE and NR cells that the row names. An identifier that begins with the
// eNB is an ECI, also on a phone that uses 5G with LTE as anchor. Any other is of the stated
// technology, and so is the PCI.
func (r *row) cells(operator int) [2]observation.Cell {
	lte := observation.Cell{Operator: operator, Node: r.node(), PCI: -1}
	nr := observation.Cell{Operator: operator, NR: true, Node: r.gnb, PCI: -1}
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
	return [2]observation.Cell{lte, nr}
}
