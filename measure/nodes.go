package measure

import (
	"iter"
	"runtime"

	"relais/geo"
	"relais/market"
)

// A Sighting is a base station that a measure names, and where the phone was.
type Sighting struct {
	MCC, MNC int    // -1: not known
	Operator string // key in the market's table, "" when it is none of them
	NR       bool   // Node is a gNB; else an eNB
	Node     uint32
	Cell     uint64 // ECI or NCI; 0: not stated
	PCI      int    // -1: not stated
	Position geo.Point
}

// NodeSightings goes over what measures of a market say of base stations, those that are
// near each other one behind the other. It is for an index, which may take a node for a
// site's when that is the only site of the operator within 300 m of where the node was
// seen, and it was not seen near another one; such a node is learned and not stated. One
// measure may name an eNB and a gNB.
func (s *Store) NodeSightings(code market.Code) iter.Seq[Sighting] {
	v := s.view()
	return func(yield func(Sighting) bool) {
		defer runtime.KeepAlive(v)
		for _, seg := range v.segments {
			if seg.Market == code && !seg.sightings(yield) {
				return
			}
		}
	}
}

func (s *segment) sightings(yield func(Sighting) bool) bool {
	for i := range s.rows {
		r := row{lat: s.lat[i], lng: s.lng[i], technology: s.technology[i], enb: s.enb[i], gnb: s.gnb[i], cell: s.cell[i], pci: s.pci[i]}
		enb := r.node()
		if enb == 0 && r.gnb == 0 {
			continue
		}
		n := &s.Networks[s.network[i]]
		seen := Sighting{MCC: n.MCC, MNC: n.MNC, Position: r.position(), PCI: -1}
		if o := s.operators[s.network[i]]; o >= 0 {
			seen.Operator = s.table.Operators[o].Key
		}
		// The cell is that of the technology, which of the two base stations has it.
		nr := technologies[r.technology].generation == 5
		for _, isNR := range [...]bool{false, true} {
			seen.NR, seen.Node, seen.Cell, seen.PCI = isNR, enb, 0, -1
			if isNR {
				seen.Node = r.gnb
			}
			if isNR == nr {
				seen.Cell = r.cell
				if r.pci != noPCI {
					seen.PCI = int(r.pci)
				}
			}
			if seen.Node != 0 && !yield(seen) {
				return false
			}
		}
	}
	return true
}
