package measure

import (
	"iter"
	"runtime"
	"time"

	"relais/geo"
	"relais/market"
	"relais/sighting"
	"relais/site"
)

// A Heard is what a speedtest or a coverage point says of the cells that served.
type Heard struct {
	Operator   int // place in the market's table
	Generation Generation
	// LTE and NR are the cells that it names, as CellSightings yields them: one or both
	// have nothing.
	LTE, NR sighting.Cell

	of  *segment
	row uint32
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

// heard sets h to what row i says, false where its network is none of the market's
// operators.
func (s *segment) heard(i uint32, h *Heard) bool {
	both, ok := s.cellsOf(i)
	if !ok {
		return false
	}
	*h = Heard{both[0].Operator, technologies[s.technology[i]].generation, both[0], both[1], s, i}
	return true
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
	var h Heard
	n := min(most, total)
	for k, before, at := 0, 0, 0; k < n; k++ {
		i := k * total / n
		for ; i-before >= len(parts[at].rows); at++ {
			before += len(parts[at].rows)
		}
		if parts[at].of.heard(parts[at].rows[i-before], &h) {
			f(&h)
		}
	}
	return total
}

// HeardNear calls f with the measures of a market in a disc, which it must not keep. Where
// more than about most would have to be looked at, it looks at an even sample of the place:
// looked says at how many, of how many that can be in the disc.
func (s *Store) HeardNear(code market.Code, d geo.Disc, most int, f func(*Heard)) (looked, of int) {
	v := s.view()
	defer runtime.KeepAlive(v)
	places := fixed(d.Box())
	met := 0
	for b := range v.blocksIn(code, places) {
		of, met = of+b.rows, met+1
	}
	each, n := blockRows, met
	if of > most { // fewer rows of more blocks are of more places
		each = min(max(most/met, leastRun), blockRows)
		n = min(max(most/each, 1), met)
	}
	var h Heard
	disc := newRound(&d)
	k, at := 0, 0
	for b := range v.blocksIn(code, places) {
		if k == at*met/n {
			at++
			rows := min(each, b.rows)
			looked += rows
			for i := b.from; i < b.from+rows; i++ {
				if disc.holds(b.of.lat[i], b.of.lng[i]) && b.of.heard(uint32(i), &h) {
					f(&h)
				}
			}
		}
		k++
	}
	return looked, of
}

// A blockOf is a block of a segment.
type blockOf struct {
	of         *segment
	from, rows int
}

// blocksIn goes over the blocks of a market that meet one of the places.
func (v *view) blocksIn(code market.Code, places []rectangle) iter.Seq[blockOf] {
	return func(yield func(blockOf) bool) {
		for _, seg := range v.segments {
			if seg.Market != code {
				continue
			}
			g := &seg.tilings[0]
			for t := range g.tiles {
				if !meetsAny(places, &g.tiles[t].rectangle) {
					continue
				}
				for k := t * g.blocks; k < min((t+1)*g.blocks, len(seg.blocks)); k++ {
					if meetsAny(places, &seg.blocks[k].rectangle) && !yield(blockOf{seg, k * blockRows, min(blockRows, seg.rows-k*blockRows)}) {
						return
					}
				}
			}
		}
	}
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
