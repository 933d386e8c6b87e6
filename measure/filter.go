package measure

import (
	"iter"
	"slices"
)

// A filter is a Query as it is tested on the rows of one segment.
type filter struct {
	*segment
	boxes        []rectangle
	disc         *disc  // nil: anywhere in the boxes
	since        uint32 // Unix time, 0 for any
	networks     []bool // by place among the segment's; nil: any
	technologies []bool // by number; nil: any
}

// filters returns the filters of a query on the segments that can have an answer.
func (v *view) filters(kind Kind, q *Query) (list []*filter) {
	boxes := []rectangle{world}
	if q.Box != nil {
		boxes = fixed(*q.Box)
	}
	if q.Disc != nil {
		boxes = intersect(boxes, fixed(q.Disc.Box()))
	}
	for _, s := range v.segments {
		if s.Kind != kind || s.Market != q.Market {
			continue
		}
		f := &filter{segment: s, boxes: boxes, disc: newDisc(q.Disc), since: q.since(), networks: s.networksOf(q)}
		if q.Technology != 0 {
			f.technologies = make([]bool, len(technologies))
			for i, t := range technologies {
				f.technologies[i] = t.generation == q.Technology
			}
		}
		if f.networks == nil || slices.Contains(f.networks, true) {
			list = append(list, f)
		}
	}
	return list
}

// networksOf reports which networks of the segment a query selects; nil: all.
func (s *segment) networksOf(q *Query) []bool {
	if q.Operator == "" && q.Among == nil && q.MCC == nil && q.MNC == nil {
		return nil
	}
	selected := make([]bool, len(s.Networks))
	for i, n := range s.Networks {
		operator := ""
		if o := s.operators[i]; o >= 0 {
			operator = s.table.Operators[o].Key
		}
		selected[i] = (q.Operator == "" || q.Operator == operator) &&
			(q.Among == nil || operator != "" && slices.Contains(q.Among, operator)) &&
			(q.MCC == nil || *q.MCC == n.MCC && n.MCC >= 0) && (q.MNC == nil || *q.MNC == n.MNC && n.MNC >= 0)
	}
	return selected
}

// intersect returns what lies in a rectangle of both lists.
func intersect(a, b []rectangle) (both []rectangle) {
	for _, x := range a {
		for _, y := range b {
			r := rectangle{max(x.south, y.south), max(x.west, y.west), min(x.north, y.north), min(x.east, y.east)}
			if r.south <= r.north && r.west <= r.east {
				both = append(both, r)
			}
		}
	}
	return both
}

// matchesRow reports whether a row matches.
func (f *filter) matchesRow(i uint32) bool { return f.selects(i) && f.holds(f.lat[i], f.lng[i]) }

// selects reports whether a row matches as far as places do not count.
func (f *filter) selects(i uint32) bool {
	return f.time[i] >= f.since && (f.networks == nil || f.networks[f.network[i]]) &&
		(f.technologies == nil || f.technologies[f.technology[i]])
}

// holds reports whether a point lies in the place that the query asks for.
func (f *filter) holds(lat, lng int32) bool {
	for i := range f.boxes {
		if f.boxes[i].holds(lat, lng) {
			return f.disc == nil || f.disc.holds(lat, lng)
		}
	}
	return false
}

// covers reports whether all of a rectangle lies in that place; false may be wrong.
func (f *filter) covers(r *rectangle) bool {
	for i := range f.boxes {
		if f.boxes[i].covers(r) {
			return f.disc == nil || f.disc.covers(r)
		}
	}
	return false
}

// blockStarts goes over the first rows of the blocks of which rows can match.
func (f *filter) blockStarts() iter.Seq[int] {
	return func(yield func(int) bool) {
		for k := range f.blocks {
			if b := &f.blocks[k]; b.newest >= f.since && meetsAny(f.boxes, &b.rectangle) && !yield(k*blockRows) {
				return
			}
		}
	}
}

// matches goes over the rows that match, in their order and some at a time: a list is
// valid until the next one.
func (f *filter) matches() iter.Seq[[]uint32] {
	return func(yield func([]uint32) bool) {
		list := make([]uint32, 0, blockRows)
		for from := range f.blockStarts() {
			list = list[:0]
			covered := f.covers(&f.blocks[from/blockRows].rectangle)
			for i := uint32(from); i < uint32(min(from+blockRows, f.rows)); i++ {
				if f.selects(i) && (covered || f.holds(f.lat[i], f.lng[i])) {
					list = append(list, i)
				}
			}
			if len(list) > 0 && !yield(list) {
				return
			}
		}
	}
}
