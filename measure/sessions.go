package measure

import (
	"cmp"
	"iter"
	"runtime"
	"slices"
	"sync"
	"time"
)

// A Session is what one import measured on one day: a drive, as a rule. Who drove is not
// known.
type Session struct {
	// Import names the import, as long as nothing of it is removed; "" are the speedtests
	// of that day that were added one by one.
	Import       string
	Synthetic    bool // nobody measured it: it was made up for a demonstration
	Kind         Kind
	Day          string // YYYY-MM-DD, UTC; "" for measures of unknown age
	Measures     int
	First, Last  time.Time // UTC, of the day's measures; zero when Day is ""
	Technologies []string  // distinct, as the measures have them
	Operators    []string  // keys, in table order
}

// Sessions are a page of sessions, and how much there is on all pages.
type Sessions struct {
	Page            []Session
	Total, Measures int
	// Each is of how many rows one was looked at, a power of two, 1 for all: counts are of the
	// rows that were looked at, and a session of a few rows may be missing.
	Each int
}

// mostSessionRows is of how many rows that can match all are looked at.
const mostSessionRows = 1 << 13

// Sessions returns the sessions with measures that a query selects, at most its Limit after
// offset, the last day first; they are counted and described by these measures alone, or,
// where there are more than mostSessionRows, by an even sample of them.
func (s *Store) Sessions(q Query, offset int) (all Sessions, err error) {
	if err := q.check(); err != nil {
		return all, err
	}
	v := s.view()
	defer runtime.KeepAlive(v)
	filters := append(v.filters(Coverage, &q), v.filters(Speedtest, &q)...)
	rows := reached(filters)
	for all.Each = 1; rows/all.Each > mostSessionRows; {
		all.Each *= 2
	}
	var imports []*days
	var added *days
	last := newest(filters) / daySeconds
	for _, f := range filters {
		f.step = all.Each
		switch {
		case f.Added && added != nil:
			f.visit(added)
			continue
		case len(f.Origins) > 0:
			merged := &byOrigin{last: last, days: make([]*days, len(f.Origins))}
			f.visit(merged)
			imports = merged.sessions(imports)
			continue
		}
		d := newDays(f, f.origins()[0], last)
		if imports = append(imports, d); f.Added {
			added = d
		}
		f.visit(d)
	}
	slices.SortStableFunc(imports, compareImports)
	all.Page = []Session{}
	for d, t := range newestFirst(imports) {
		if all.Measures += int(t.n); all.Total >= offset && len(all.Page) < q.Limit {
			all.Page = append(all.Page, t.session(d))
		}
		all.Total++
	}
	for _, d := range imports {
		list := d.list // whose days would keep the segment
		lists.Put(&list)
	}
	return all, nil
}

const daySeconds = 24 * 60 * 60

// Days are what is known of the measures of an import, or of all that came one by one.
type days struct {
	of    *filter // one of them
	from  origin
	count int     // of the rows of runs
	last  uint32  // day since 1970 that a measure can have, the same of all imports
	list  []tally // from that day back
	never tally   // of measures of unknown age
}

func newDays(f *filter, from origin, last uint32) *days {
	return &days{of: f, from: from, last: last, list: (*lists.Get().(*[]tally))[:0]}
}

// compareImports orders what came as coverage points and as speedtests, each in the order in
// which it came.
func compareImports(a, b *days) int {
	return cmp.Or(cmp.Compare(a.of.Kind, b.of.Kind), cmp.Compare(a.from.Order, b.from.Order))
}

// lists are of days, whose memory is used again.
var lists = sync.Pool{New: func() any { return &[]tally{} }}

// A tally is what is known of some measures of a day.
type tally struct {
	n, first, last          uint32
	technologies, operators uint64 // a bit for each of the vocabulary and the market's table
}

func (d *days) at(time uint32) *tally {
	if time == 0 {
		return &d.never
	}
	back := int(d.last - time/daySeconds)
	if n := len(d.list); back >= n {
		d.list = slices.Grow(d.list, back+1-n)[:back+1]
		clear(d.list[n:])
	}
	return &d.list[back]
}

func (d *days) add(f *filter, time uint32, network uint16, technology uint8) {
	t := d.at(time)
	if t.n++; t.n == 1 {
		t.first = time
	}
	t.first, t.last = min(t.first, time), max(t.last, time)
	t.technologies |= 1 << technology
	t.operators |= 1 << uint(f.operators[network]) // nothing for -1
}

func (d *days) some(f *filter, rows []uint32) {
	for _, i := range rows { // of which the filter leaves out what is not looked at
		d.add(f, f.time[i], f.network[i], f.technology[i])
	}
}

func (d *days) all(f *filter, r *runRows) {
	n := r.rows()
	for i := -d.count & (f.step - 1); i < n; i += f.step {
		if at := r.near(i, f.step); at != nil {
			d.add(f, at.time, r.network, r.technology)
		} else {
			d.add(f, f.time[r.row(i)], r.network, r.technology)
		}
	}
	d.count += n
}

// newestFirst goes over the tallies of imports in the order of sessions.
func newestFirst(imports []*days) iter.Seq2[*days, *tally] {
	most := 0 // days
	for _, d := range imports {
		most = max(most, len(d.list))
	}
	return func(yield func(*days, *tally) bool) {
		for back := range most + 1 {
			for _, d := range slices.Backward(imports) {
				t := &d.never
				if back < len(d.list) {
					t = &d.list[back]
				} else if back < most {
					continue
				}
				if t.n > 0 && !yield(d, t) {
					return
				}
			}
		}
	}
}

func (t *tally) session(d *days) Session {
	f := d.of
	s := Session{Import: d.from.Name, Synthetic: f.Synthetic, Kind: f.Kind, Measures: int(t.n), Technologies: []string{}, Operators: []string{}}
	if f.Added {
		s.Import = ""
	}
	if t.first > 0 {
		s.First, s.Last = unix(int64(t.first)), unix(int64(t.last))
		s.Day = s.First.Format(time.DateOnly)
	}
	for i, technology := range technologies {
		if i > 0 && t.technologies>>i&1 == 1 {
			s.Technologies = append(s.Technologies, technology.name)
		}
	}
	for i, o := range f.table.Operators {
		if t.operators>>i&1 == 1 {
			s.Operators = append(s.Operators, o.Key)
		}
	}
	return s
}
