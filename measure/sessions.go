package measure

import (
	"cmp"
	"slices"
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
}

// Sessions returns the sessions with measures that a query selects, at most its Limit after
// offset, the last day first; they are counted and described by these measures alone.
func (s *Store) Sessions(q Query, offset int) (all Sessions, err error) {
	if err := q.check(); err != nil {
		return all, err
	}
	v := s.view()
	days := sessionDays{numbers: map[uint64]int{}, added: -1}
	for _, f := range append(v.filters(Coverage, &q), v.filters(Speedtest, &q)...) {
		days.add(f)
	}
	slices.SortStableFunc(days.list, compareSessions)
	all.Page, all.Total = []Session{}, len(days.list)
	for i := range days.list {
		d := &days.list[i]
		if all.Measures += d.measures; i >= offset && len(all.Page) < q.Limit {
			all.Page = append(all.Page, d.session())
		}
	}
	return all, nil
}

const daySeconds = 24 * 60 * 60

// sessionDays are the days of some imports.
type sessionDays struct {
	list    []sessionDay
	numbers map[uint64]int // in list, by the import's number and the day
	imports []origin
	added   int // number of all that came one by one, which is like one import; -1: none yet
}

// A sessionDay is what is known of the measures of an import on one day.
type sessionDay struct {
	segment                 *segment // with some of them
	origin                  origin
	measures                int
	first, last             uint32 // Unix time, 0 for measures of unknown age
	technologies, operators uint64 // a bit for each of the vocabulary and the market's table
}

// add takes in the rows that a filter matches.
func (s *sessionDays) add(f *filter) {
	first := len(s.imports)
	s.imports = append(s.imports, f.origins()...)
	if f.Added && s.added < 0 {
		s.added = first
	}
	if f.Added {
		first = s.added
	}
	for rows := range f.matches() {
		for _, i := range rows {
			at := first
			if f.origin != nil {
				at += int(f.origin[i])
			}
			key := uint64(at)<<32 | uint64(f.time[i]/daySeconds)
			n, ok := s.numbers[key]
			if !ok {
				n = len(s.list)
				s.numbers[key] = n
				s.list = append(s.list, sessionDay{segment: f.segment, origin: s.imports[at], first: f.time[i]})
			}
			s.list[n].add(f.segment, i)
		}
	}
}

func (d *sessionDay) add(s *segment, row uint32) {
	d.measures++
	d.first, d.last = min(d.first, s.time[row]), max(d.last, s.time[row])
	d.technologies |= 1 << s.technology[row]
	d.operators |= 1 << uint(s.operators[s.network[row]]) // nothing for -1
}

// compareSessions orders sessions: the last day first, then speedtests before coverage
// points, then the last import first.
func compareSessions(a, b sessionDay) int {
	return cmp.Or(cmp.Compare(b.first/daySeconds, a.first/daySeconds), cmp.Compare(b.segment.Kind, a.segment.Kind),
		cmp.Compare(b.origin.Order, a.origin.Order))
}

func (d *sessionDay) session() Session {
	s := Session{Import: d.origin.Name, Synthetic: d.segment.Synthetic, Kind: d.segment.Kind, Measures: d.measures,
		Technologies: []string{}, Operators: []string{}}
	if d.segment.Added {
		s.Import = ""
	}
	if d.first > 0 {
		s.First, s.Last = unix(int64(d.first)), unix(int64(d.last))
		s.Day = s.First.Format(time.DateOnly)
	}
	for i, technology := range technologies {
		if i > 0 && d.technologies>>i&1 == 1 {
			s.Technologies = append(s.Technologies, technology.name)
		}
	}
	for i, o := range d.segment.table.Operators {
		if d.operators>>i&1 == 1 {
			s.Operators = append(s.Operators, o.Key)
		}
	}
	return s
}
