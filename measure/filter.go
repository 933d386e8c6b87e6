package measure

import "slices"

// A scope is where and since when a Query asks.
type scope struct {
	places []rectangle
	boxed  bool // what the disc holds may lie outside the places
	disc   round
	since  uint32 // Unix time, 0 for any
}

func (q *Query) scope() scope {
	s := scope{places: []rectangle{world}, disc: newRound(q.Disc), since: q.since()}
	if s.boxed = q.Box != nil; s.boxed {
		s.places = fixed(*q.Box)
	}
	if q.Disc != nil {
		s.places = meet(s.places, fixed(q.Disc.Box()))
	}
	return s
}

// meets tells whether rows of an extent can match.
func (s *scope) meets(e *extent) bool { return e.newest >= s.since && !s.misses(&e.rectangle) }

// misses tells whether no row that lies in a rectangle can match.
func (s *scope) misses(r *rectangle) bool { return !meetsAny(s.places, r) || s.disc.misses(r) }

// covers tells whether all rows that lie in a rectangle match, as far as places go.
func (s *scope) covers(r *rectangle) bool {
	return slices.ContainsFunc(s.places, func(p rectangle) bool { return p.covers(r) }) && s.disc.covers(r)
}

func (s *scope) inside(lat, lng int32) bool {
	for i := range s.places {
		if s.places[i].holds(lat, lng) {
			return true
		}
	}
	return false
}

// A filter is a Query as it is tested on the rows of one segment.
type filter struct {
	*segment
	scope
	networks []bool   // nil: any
	kinds    []bool   // of technologies; nil: any
	step     int      // only rows whose number is a multiple of it are looked at; 0: all
	chosen   []uint32 // nil, or those of the rows that match that count
	reached  *reach   // once it is looked for
	// The rows of a block that match, and a run, as visitors are shown them: here, because
	// they would escape from any function.
	space [blockRows]uint32
	run   runRows
}

// filter returns nil when nothing of the segment can match.
func (s *segment) filter(q *Query, in *scope) *filter {
	if !in.meets(&s.whole) {
		return nil
	}
	f := &filter{segment: s, scope: *in}
	if q.Operator != "" || q.Among != nil || q.MCC != nil || q.MNC != nil {
		want, known := s.table.Operator(q.Operator)
		f.networks = make([]bool, len(s.Networks))
		some := false
		for i, n := range s.Networks {
			ok := (q.Operator == "" || known && s.operators[i] == want) && s.isAmong(i, q.Among) && (q.MCC == nil || *q.MCC == n.MCC && n.MCC >= 0) && (q.MNC == nil || *q.MNC == n.MNC && n.MNC >= 0)
			f.networks[i], some = ok, some || ok
		}
		if !some {
			return nil
		}
	}
	if q.Technology != 0 {
		f.kinds = make([]bool, len(technologies))
		for i, t := range technologies {
			f.kinds[i] = t.generation == q.Technology
		}
	}
	return f
}

// isAmong reports whether a network is that of one of the operators, nil for any.
func (s *segment) isAmong(network int, keys []string) bool {
	o := s.operators[network]
	return keys == nil || o >= 0 && slices.Contains(keys, s.table.Operators[o].Key)
}

// meet returns what lies in a rectangle of both lists.
func meet(a, b []rectangle) (both []rectangle) {
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

// fewRows are looked at sooner than the corners of their block.
const fewRows = 12

// matches returns the rows of a block that match, until it is called again.
func (f *filter) matches(k int) []uint32 {
	list, b, step := f.space[:0], &f.blocks[k], max(f.step, 1)
	from, to := (k*blockRows+step-1)/step*step, min((k+1)*blockRows, f.rows)
	if from >= to || !f.meets(&b.extent) {
		return list
	}
	if step == 1 && !f.covers(&b.rectangle) {
		for ; from < to; from += partRows {
			list = f.inPart(list, from, min(from+partRows, to))
		}
	} else {
		list = rows(list, from, to, step)
	}
	list = f.sift(list, b.oldest)
	if step > 1 && len(list) > 0 && (len(list) < fewRows || !f.covers(&b.rectangle)) {
		list = f.inPlace(list)
	}
	return list
}

// sift leaves in list the rows that match as far as places do not count; oldest is a time
// that no row is before.
func (f *filter) sift(list []uint32, oldest uint32) []uint32 {
	// One condition after the other, each in a loop without jumps that depend on rows.
	if oldest < f.since {
		n := 0
		for _, i := range list {
			list[n] = i
			if f.time[i] >= f.since {
				n++
			}
		}
		list = list[:n]
	}
	if f.networks != nil {
		list = passing(list, f.network, f.networks)
	}
	if f.kinds != nil {
		list = passing(list, f.technology, f.kinds)
	}
	return list
}

// rows appends the numbers from from up to before to to a list with room for them, every
// step-th.
func rows(list []uint32, from, to, step int) []uint32 {
	n := len(list)
	list = list[:n+(to-from+step-1)/step]
	for i := range list[n:] {
		list[n+i] = uint32(from + i*step)
	}
	return list
}

// inPart appends the rows of a part, from from to to-1, that lie in the place to a list.
func (f *filter) inPart(list []uint32, from, to int) []uint32 {
	p := &f.parts[from/partRows]
	n := len(list)
	switch {
	case f.misses(p):
	case f.covers(p):
		list = rows(list, from, to, 1)
	case f.boxed:
		list = rows(list, from, to, 1)
		list = list[:n+len(f.inPlace(list[n:]))]
	default:
		list = f.disc.append(list, uint32(from), f.lat[from:to], f.lng[from:to])
	}
	return list
}

// inPlace leaves in list the rows that lie in the place.
func (f *filter) inPlace(list []uint32) []uint32 {
	if f.boxed {
		n := 0
		for _, i := range list {
			list[n] = i
			if f.inside(f.lat[i], f.lng[i]) {
				n++
			}
		}
		list = list[:n]
	}
	return f.disc.within(list, f.lat, f.lng)
}

// newest is a time that no row that matches is after.
func newest(filters []*filter) (time uint32) {
	for _, f := range filters {
		for i := range f.tilings[0].tiles {
			time = max(time, f.tilings[0].tiles[i].newest)
		}
	}
	return time
}

// passing leaves in list the rows whose value in a column passes.
func passing[T uint8 | uint16](list []uint32, column []T, pass []bool) []uint32 {
	n := 0
	for _, i := range list {
		list[n] = i
		if pass[column[i]] {
			n++
		}
	}
	return list[:n]
}
