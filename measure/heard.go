package measure

import (
	"time"

	"relais/geo"
	"relais/market"
	"relais/sighting"
	"relais/site"
)

// A Heard is a speedtest or a coverage point as far as it says which cells served.
type Heard struct {
	Operator int // place in the market's table
	of       *segment
	row      uint32
}

// Position is where it was heard.
func (h *Heard) Position() geo.Point {
	return geo.Point{Lat: geo.Degrees(h.of.lat[h.row]), Lng: geo.Degrees(h.of.lng[h.row])}
}

// Time is when, the zero Time where that is not stated.
func (h *Heard) Time() time.Time {
	if at := h.of.time[h.row]; at > 0 {
		return unix(int64(at))
	}
	return time.Time{}
}

// Generation is that of the technology that is stated.
func (h *Heard) Generation() Generation { return technologies[h.of.technology[h.row]].generation }

// Cells are the cells that it names, as CellSightings yields them: one or both have nothing.
func (h *Heard) Cells() (lte, nr sighting.Cell) {
	both := h.of.cells(h.row, h.Operator)
	return both[0], both[1]
}

// PCI is that of the cell of NR, or of LTE, that it names; -1: it states none of that one.
func (h *Heard) PCI(nr bool) int {
	if pci := h.of.pci[h.row]; pci != noPCI && nr == (h.Generation() == 5) {
		return int(pci)
	}
	return -1
}

// HeardOf counts the measures of a market that name a base station or a cell of an
// operator for certain, wherever they were made, and calls f with at most most of them,
// spread evenly, which it must not keep. A PCI names nothing.
func (s *Store) HeardOf(code market.Code, id site.RadioID, most int, f func(*Heard)) (total int) {
	var found []Heard
	for _, seg := range s.view().segments {
		if seg.Market != code {
			continue
		}
		for _, i := range seg.candidates(id) {
			if operator := seg.operator(i); operator >= 0 && operator == id.Operator && seg.names(i, &id) {
				found = append(found, Heard{operator, seg, i})
			}
		}
	}
	n := min(most, len(found))
	for k := range n {
		f(&found[k*len(found)/n])
	}
	return len(found)
}

// HeardNear calls do with the measures of a market's operators in a disc, which it must not
// keep. Where more than most would have to be looked at, it looks at an even sample of the
// place: looked says at how many, of how many that can be in the disc.
func (s *Store) HeardNear(code market.Code, d geo.Disc, most int, do func(*Heard)) (looked, of int) {
	v, q := s.view(), Query{Market: code, Disc: &d}
	filters := append(v.filters(Coverage, &q), v.filters(Speedtest, &q)...)
	for _, f := range filters {
		for from := range f.blockStarts() {
			of += min(blockRows, f.rows-from)
		}
	}
	step := max((of+most-1)/most, 1)
	next := 0 // row to look at, counted from the block's first
	for _, f := range filters {
		for from := range f.blockStarts() {
			n := min(blockRows, f.rows-from)
			for ; next < n; next += step {
				looked++
				i := uint32(from + next)
				if operator := f.operator(i); operator >= 0 && f.matchesRow(i) {
					do(&Heard{operator, f.segment, i})
				}
			}
			next -= n
		}
	}
	return looked, of
}

// A Tally counts measures of one kind by the operator's place in the market's table plus
// one, 0 being networks of no operator, and by generation, 0 being unknown.
type Tally [][6]int

// Tally counts the measures of a market.
func (s *Store) Tally(code market.Code, kind Kind) Tally {
	t := make(Tally, len(market.Get(code).Operators)+1)
	for _, seg := range s.view().segments {
		if seg.Market != code || seg.Kind != kind {
			continue
		}
		for o := range t {
			for g := range t[o] {
				t[o][g] += seg.tally[o][g]
			}
		}
	}
	return t
}

func (s *segment) newTally() Tally {
	t := make(Tally, len(s.table.Operators)+1)
	for i, n := range s.network {
		t[s.operators[n]+1][technologies[s.technology[i]].generation]++
	}
	return t
}
