package measure

import (
	"cmp"
	"slices"
	"time"
)

// A Session has the measurements of one import on one day, usually of one drive test.
type Session struct {
	// Import is the name of the import, which is stable until some of its measurements are
	// removed. It is "" for the speedtests that were added one by one on that day.
	Import       string
	Synthetic    bool // made up for a demonstration
	Kind         Kind
	Day          string // YYYY-MM-DD, UTC; "" for measurements of unknown age
	Measures     int
	First, Last  time.Time // UTC, of the day's measurements; zero if Day is ""
	Technologies []string  // distinct, as the measurements state them
	Operators    []string  // keys, in table order
}

// Sessions are a page of sessions with the totals of all pages.
type Sessions struct {
	Page            []Session
	Total, Measures int
}

// Sessions returns the sessions of the measurements that a query selects, the last day first:
// at most its Limit after skipping offset. Their values are those of the selected measurements.
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

// sessionDays collect the days of imports.
type sessionDays struct {
	list    []sessionDay
	numbers map[uint64]int // position in list, by number of the import and day
	imports []origin
	added   int // number of the import for all speedtests that were added one by one; -1: none yet
}

// A sessionDay sums up the measurements of an import on one day.
type sessionDay struct {
	segment                 *segment // the first segment with such measurements
	origin                  origin
	measures                int
	first, last             uint32 // Unix time, 0 for measurements of unknown age
	technologies, operators uint64 // a bit for each position in their table
}

// add adds the matching rows of a filter.
func (s *sessionDays) add(f *filter) {
	first := len(s.imports)
	s.imports = append(s.imports, f.origins()...)
	// Each added speedtest may be a segment of its own; all of a day are one session.
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
