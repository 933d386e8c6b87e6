package measure

import (
	"time"

	"relais/geo"
	"relais/market"
	"relais/site"
	"relais/site/observation"
)

// An Observation has the serving cells that a speedtest or coverage point states.
type Observation struct {
	Operator int // position in the market's table
	segment  *segment
	row      uint32
}

// Position returns where it was made.
func (h *Observation) Position() geo.Point {
	return geo.Point{Lat: geo.Degrees(h.segment.lat[h.row]), Lng: geo.Degrees(h.segment.lng[h.row])}
}

// Time returns when it was made, the zero Time if that is not stated.
func (h *Observation) Time() time.Time {
	if at := h.segment.time[h.row]; at > 0 {
		return unix(int64(at))
	}
	return time.Time{}
}

// Generation returns the generation of the stated technology.
func (h *Observation) Generation() Generation {
	return technologies[h.segment.technology[h.row]].generation
}

// Cells returns the cells that it names, as CellObservations does. One or both may be empty.
func (h *Observation) Cells() (lte, nr observation.Cell) {
	both := h.segment.cells(h.row, h.Operator)
	return both[0], both[1]
}

// PCI returns the stated PCI of its NR cell or its LTE cell, -1 if that cell has none.
func (h *Observation) PCI(nr bool) int {
	if pci := h.segment.pci[h.row]; pci != noPCI && nr == (h.Generation() == 5) {
		return int(pci)
	}
	return -1
}

// ObservationsOf counts the measurements of a market that certainly name a base station or cell
// of an operator, wherever they were made. It calls f with an even sample of at most limit of
// them, which f must not keep. Measurements with only a PCI do not count.
func (s *Store) ObservationsOf(code market.Code, id site.RadioID, limit int, f func(*Observation)) (total int) {
	var found []Observation
	for _, seg := range s.view().segments {
		if seg.Market != code {
			continue
		}
		for _, i := range seg.candidates(id) {
			if operator := seg.operator(i); operator >= 0 && operator == id.Operator && seg.names(i, &id) {
				found = append(found, Observation{operator, seg, i})
			}
		}
	}
	n := min(limit, len(found))
	for k := range n {
		f(&found[k*len(found)/n])
	}
	return len(found)
}

// ObservationsNear calls do with the measurements of a market's operators in a disc, which do
// must not keep. If more than limit rows may be in the disc, it reads an even sample of the
// place. It returns how many rows it has read, and how many may be in the disc.
func (s *Store) ObservationsNear(code market.Code, d geo.Disc, limit int, do func(*Observation)) (read, total int) {
	v, q := s.view(), Query{Market: code, Disc: &d}
	filters := append(v.filters(Coverage, &q), v.filters(Speedtest, &q)...)
	for _, f := range filters {
		for from := range f.blockStarts() {
			total += min(blockRows, f.rows-from)
		}
	}
	step := max((total+limit-1)/limit, 1)
	// next is the row to look at, counted from the block's first. It runs on from block to block, so
	// that the sample is even over all of them.
	next := 0
	for _, f := range filters {
		for from := range f.blockStarts() {
			n := min(blockRows, f.rows-from)
			for ; next < n; next += step {
				read++
				i := uint32(from + next)
				if operator := f.operator(i); operator >= 0 && f.matchesRow(i) {
					do(&Observation{operator, f.segment, i})
				}
			}
			next -= n
		}
	}
	return read, total
}

// Counts are numbers of measurements of one kind: by operator, as the position in the market's
// table plus 1, 0 being networks without an operator, and by generation, 0 being unknown.
type Counts [][6]int

// Counts returns the numbers of measurements of a market.
func (s *Store) Counts(code market.Code, kind Kind) Counts {
	t := make(Counts, len(market.Get(code).Operators)+1)
	for _, seg := range s.view().segments {
		if seg.Market != code || seg.Kind != kind {
			continue
		}
		for o := range t {
			for g := range t[o] {
				t[o][g] += seg.counts[o][g]
			}
		}
	}
	return t
}

func (s *segment) newCounts() Counts {
	t := make(Counts, len(s.table.Operators)+1)
	for i, n := range s.network {
		t[s.operators[n]+1][technologies[s.technology[i]].generation]++
	}
	return t
}
