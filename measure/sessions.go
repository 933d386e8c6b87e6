package measure

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"strings"
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
	// Each is of how many rows one was looked at, 1 for all: counts are of the rows that
	// were looked at, and a session of a few rows may be missing.
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
	rows := 0
	for _, f := range filters {
		rows += f.metRows()
	}
	all.Each = max(1, (rows+mostSessionRows-1)/mostSessionRows)
	var found []tally
	for i, f := range filters {
		f.step = all.Each
		found = f.tallies(found, i)
	}
	found = joined(found, filters)
	all.Total, all.Page = len(found), []Session{}
	for i, t := range found {
		if all.Measures += t.n; i >= offset && len(all.Page) < q.Limit {
			all.Page = append(all.Page, t.session(filters[t.segment]))
		}
	}
	return all, nil
}

const daySeconds = 24 * 60 * 60

// A tally is what is known of some measures of a day.
type tally struct {
	segment                 int    // of the filters
	day                     uint32 // since 1970; 0: not known
	n                       int
	first, last             uint32
	technologies, operators uint64 // a bit for each of the vocabulary and the market's table
}

// joined brings tallies into the order of sessions, and makes one of those of a day that
// came one by one.
func joined(found []tally, filters []*filter) []tally {
	firstAdded := slices.IndexFunc(filters, func(f *filter) bool { return f.Added })
	for i := range found {
		if filters[found[i].segment].Added {
			found[i].segment = firstAdded
		}
	}
	slices.SortFunc(found, func(a, b tally) int { return cmp.Or(cmp.Compare(b.day, a.day), cmp.Compare(b.segment, a.segment)) })
	kept := found[:0]
	for _, t := range found {
		if n := len(kept) - 1; n >= 0 && kept[n].day == t.day && kept[n].segment == t.segment {
			k := &kept[n]
			k.n, k.first, k.last = k.n+t.n, min(k.first, t.first), max(k.last, t.last)
			k.technologies, k.operators = k.technologies|t.technologies, k.operators|t.operators
			continue
		}
		kept = append(kept, t)
	}
	return kept
}

func (t *tally) session(f *filter) Session {
	s := Session{Import: strings.TrimSuffix(f.file, ".seg"), Synthetic: f.Synthetic, Kind: f.Kind, Measures: t.n, Technologies: []string{}, Operators: []string{}}
	if f.Added {
		s.Import = ""
	}
	if t.day > 0 {
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

// tallies appends to found one for each day that rows that match are of.
func (f *filter) tallies(found []tally, segment int) []tally {
	first, last := uint32(math.MaxUint32), uint32(0)
	for _, k := range f.met() {
		first, last = min(first, f.blocks[k].oldest), max(last, f.blocks[k].newest)
	}
	if first > last {
		return found
	}
	first /= daySeconds
	days := make([]tally, last/daySeconds-first+1)
	operators := make([]uint64, len(f.Networks))
	for i, o := range f.operators {
		if o >= 0 {
			operators[i] = 1 << o
		}
	}
	var space [blockRows]uint32
	for _, k := range f.met() {
		for _, i := range f.matches(k, &space) {
			at := f.time[i]
			t := &days[at/daySeconds-first]
			if t.n++; t.n == 1 {
				t.first = at
			}
			t.first, t.last = min(t.first, at), max(t.last, at)
			t.technologies |= 1 << f.technology[i]
			t.operators |= operators[f.network[i]]
		}
	}
	for i, t := range days {
		if t.n > 0 {
			t.segment, t.day = segment, first+uint32(i)
			found = append(found, t)
		}
	}
	return found
}
