package measure

import (
	"iter"
	"slices"
)

// A filter tests a Query on the rows of one segment.
type filter struct {
	*segment
	boxes        []rectangle
	disc         *disc  // nil: anywhere in the boxes
	since        uint32 // Unix time, 0 for any
	until        uint32 // Unix time, the last one
	networks     []bool // by position among those of the segment; nil: any
	technologies []bool // by number; nil: any
	onlyOrigins  []bool // of the edition; nil: any
}

// filters returns the filters of a query for the segments that may have matching rows.
func (v *view) filters(kind Kind, q *Query) (list []*filter) {
	boxes := []rectangle{world}
	if q.Box != nil {
		boxes = fixedBoxes(*q.Box)
	}
	if q.Disc != nil {
		boxes = intersect(boxes, fixedBoxes(q.Disc.Box()))
	}
	for _, s := range v.segments {
		if s.Kind != kind || s.Market != q.Market {
			continue
		}
		f := &filter{segment: s, boxes: boxes, disc: newDisc(q.Disc), since: q.since(), until: q.until(), networks: s.networksOf(q)}
		if q.Newest && v.isNewest(s) {
			f.since = 0
		}
		if q.Edition != "" {
			var any bool
			if f.onlyOrigins, any = s.chosenOrigins(q.Edition); !any {
				continue
			}
		}
		if q.Generations != nil {
			f.technologies = make([]bool, len(technologies))
			for i, t := range technologies {
				f.technologies[i] = slices.Contains(q.Generations, t.generation)
			}
		}
		if f.networks == nil || slices.Contains(f.networks, true) { // else no row can match
			list = append(list, f)
		}
	}
	return list
}

// networksOf reports for each network of the segment whether a query selects it; nil: all.
func (s *segment) networksOf(q *Query) []bool {
	if q.Among == nil && q.MCC == nil && q.MNC == nil {
		return nil
	}
	selected := make([]bool, len(s.Networks))
	for i, n := range s.Networks {
		operator := ""
		if o := s.operators[i]; o >= 0 {
			operator = s.table.Operators[o].Key
		}
		selected[i] = (q.Among == nil || operator != "" && slices.Contains(q.Among, operator)) &&
			(q.MCC == nil || *q.MCC == n.MCC && n.MCC >= 0) && (q.MNC == nil || *q.MNC == n.MNC && n.MNC >= 0)
	}
	return selected
}

// intersect returns the rectangles of points in both lists.
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

// selects reports whether a row matches, apart from its position.
func (f *filter) selects(i uint32) bool {
	return f.time[i] >= f.since && f.time[i] <= f.until && (f.networks == nil || f.networks[f.network[i]]) &&
		(f.technologies == nil || f.technologies[f.technology[i]]) && (f.onlyOrigins == nil || f.onlyOrigins[f.origin[i]])
}

// holds reports whether a point is in the place of the query.
func (f *filter) holds(lat, lng int32) bool {
	for i := range f.boxes {
		if f.boxes[i].holds(lat, lng) {
			return f.disc == nil || f.disc.holds(lat, lng)
		}
	}
	return false
}

// covers reports whether a whole rectangle is in the place of the query. It may return false for a
// rectangle inside.
func (f *filter) covers(r *rectangle) bool {
	for i := range f.boxes {
		if f.boxes[i].covers(r) {
			return f.disc == nil || f.disc.covers(r)
		}
	}
	return false
}

// blockStarts yields the first row of each block that may have matching rows.
func (f *filter) blockStarts() iter.Seq[int] {
	return func(yield func(int) bool) {
		for k := range f.blocks {
			if b := &f.blocks[k]; b.newest >= f.since && meetsAny(f.boxes, &b.rectangle) && !yield(k*blockRows) {
				return
			}
		}
	}
}

// matches yields the matching rows in ascending order, in lists of up to blockRows. A list is
// valid until the next one.
func (f *filter) matches() iter.Seq[[]uint32] {
	return func(yield func([]uint32) bool) {
		list := make([]uint32, 0, blockRows)
		for from := range f.blockStarts() {
			list = list[:0]
			covered := f.covers(&f.blocks[from/blockRows].rectangle) // then no row is tested for its place
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
