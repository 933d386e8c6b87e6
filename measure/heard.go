package measure

import (
	"runtime"
	"time"

	"relais/geo"
	"relais/market"
	"relais/sighting"
	"relais/site"
)

// A Heard is a speedtest or a coverage point as far as it says which cells served. What it
// says is read when it is asked for: of many, each is far from the next in memory.
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
// spread evenly, which it must not keep. A PCI names nothing. It takes the time of those
// that f is called with.
func (s *Store) HeardOf(code market.Code, id site.RadioID, most int, f func(*Heard)) (total int) {
	v := s.view()
	defer runtime.KeepAlive(v)
	type part struct {
		of   *segment
		rows []uint32
	}
	var parts []part
	for _, seg := range v.segments {
		if seg.Market != code {
			continue
		}
		for _, rows := range seg.naming(id) {
			if len(rows) > 0 {
				parts, total = append(parts, part{seg, rows}), total+len(rows)
			}
		}
	}
	h := Heard{Operator: id.Operator}
	n := min(most, total)
	for k, before, at := 0, 0, 0; k < n; k++ {
		i := k * total / n
		for ; i-before >= len(parts[at].rows); at++ {
			before += len(parts[at].rows)
		}
		h.of, h.row = parts[at].of, parts[at].rows[i-before]
		f(&h)
	}
	return total
}

// HeardNear calls do with the measures of a market's operators in a disc, which it must not
// keep. Where more than about most would have to be looked at, it looks at an even sample of
// the place: looked says at how many, of how many that can be in the disc.
func (s *Store) HeardNear(code market.Code, d geo.Disc, most int, do func(*Heard)) (looked, of int) {
	v := s.view()
	defer runtime.KeepAlive(v)
	q := Query{Market: code, Disc: &d}
	filters, met := append(v.filters(Coverage, &q), v.filters(Speedtest, &q)...), 0
	for _, f := range filters {
		of, met = of+f.reach().rows, met+f.reach().blocks()
	}
	each, n := blockRows, met
	if of > most { // fewer rows of more blocks are of more places
		each = min(max(most/met, leastRun), blockRows)
		n = min(max(most/each, 1), met)
	}
	h := Heard{}
	k, at := 0, 0
	for _, f := range filters {
		for b := range f.reach().all() {
			if k == at*met/n {
				at++
				from, to := b*blockRows, min(b*blockRows+each, f.rows)
				looked += to - from
				for i := from; i < to; i++ {
					if h = (Heard{f.operators[f.network[i]], f.segment, uint32(i)}); h.Operator >= 0 && f.disc.holds(f.lat[i], f.lng[i]) {
						do(&h)
					}
				}
			}
			k++
		}
	}
	return looked, of
}

// leastRun is how many rows of a block are looked at, at least: they lie in few lines of
// memory.
const leastRun = 32

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
