package measure

import "iter"

// A reach is what the directory of a segment says of the rows that can match a filter.
type reach struct {
	stretches []stretch // their blocks, ascending
	rows      int       // of these
	bounds    rectangle // of what lies in the places of it; without rows, nothing
}

// A stretch is blocks that follow each other, to the one before to.
type stretch struct{ from, to uint32 }

// reach looks for the rows that can match, once.
func (f *filter) reach() *reach {
	if f.reached == nil {
		f.reached = &reach{bounds: nowhere}
		f.reached.look(f, 0, 0, len(f.blocks))
	}
	return f.reached
}

// reached is how many rows can match the filters.
func reached(filters []*filter) (rows int) {
	for _, f := range filters {
		rows += f.reach().rows
	}
	return rows
}

// look takes in what can match of the blocks from to to-1, by the tiles of a tiling and, of
// those of which not all do, by the next one's.
func (r *reach) look(f *filter, level, from, to int) {
	g := &f.tilings[level]
	for k := from; k < to; k += g.blocks {
		end := min(k+g.blocks, to)
		switch t := &g.tiles[k/g.blocks]; {
		case !f.meets(&t.extent):
		case level == len(f.tilings)-1, t.oldest >= f.since && f.covers(&t.rectangle):
			r.add(f, k, end, &t.rectangle)
		default:
			r.look(f, level+1, k, end)
		}
	}
}

// add takes in the blocks from to to-1, whose rows lie in a rectangle.
func (r *reach) add(f *filter, from, to int, in *rectangle) {
	r.rows += min(to*blockRows, f.rows) - from*blockRows
	b := &r.bounds
	for i := range f.places {
		if p := &f.places[i]; p.meets(in) {
			b.south, b.west = min(b.south, max(p.south, in.south)), min(b.west, max(p.west, in.west))
			b.north, b.east = max(b.north, min(p.north, in.north)), max(b.east, min(p.east, in.east))
		}
	}
	if n := len(r.stretches) - 1; n >= 0 && r.stretches[n].to == uint32(from) {
		r.stretches[n].to = uint32(to)
		return
	}
	r.stretches = append(r.stretches, stretch{uint32(from), uint32(to)})
}

// lists goes over the rows that match, in their order and some at a time: a list is good
// until the next one.
func (f *filter) lists() iter.Seq[[]uint32] {
	return func(yield func([]uint32) bool) {
		if f.chosen != nil {
			yield(f.chosen)
			return
		}
		for k := range f.reach().all() {
			if !yield(f.matches(k)) {
				return
			}
		}
	}
}

// all goes over the blocks.
func (r *reach) all() iter.Seq[int] {
	return func(yield func(int) bool) {
		for _, s := range r.stretches {
			for k := s.from; k < s.to; k++ {
				if !yield(int(k)) {
					return
				}
			}
		}
	}
}

// blocks is how many there are.
func (r *reach) blocks() (n int) {
	for _, s := range r.stretches {
		n += int(s.to - s.from)
	}
	return n
}
