package measure

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"

	"relais/market"
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

// Sessions returns the sessions with measures that a query selects, whose Limit does not
// count, the last day first; they are counted and described by these measures alone.
func (s *Store) Sessions(q Query) ([]Session, error) {
	m := market.Get(q.Market)
	if m == nil {
		return nil, fmt.Errorf("%q is no market", q.Market)
	}
	v := s.view()
	defer runtime.KeepAlive(v)
	found := map[sessionKey]*tally{}
	for _, kind := range []Kind{Coverage, Speedtest} {
		for _, f := range v.filters(kind, &q) {
			name := strings.TrimSuffix(f.file, ".seg")
			if f.Added {
				name = ""
			}
			f.tallies(func(day uint32, t tally) {
				key := sessionKey{name, f.Synthetic, kind, day}
				if found[key] == nil {
					found[key] = &tally{}
				}
				found[key].join(t)
			})
		}
	}
	list := []Session{}
	for key, t := range found {
		list = append(list, t.session(key, m))
	}
	slices.SortFunc(list, func(a, b Session) int {
		return cmp.Or(cmp.Compare(b.Day, a.Day), cmp.Compare(b.Import, a.Import), cmp.Compare(a.Kind, b.Kind))
	})
	return list, nil
}

type sessionKey struct {
	name      string
	synthetic bool
	kind      Kind
	day       uint32 // since 1970; 0: not known
}

const daySeconds = 24 * 60 * 60

// A tally is what is known of some measures of a day.
type tally struct {
	n                       int
	first, last             uint32
	technologies, operators uint64 // a bit for each of the vocabulary and the market's table
}

func (t *tally) join(o tally) {
	if t.n == 0 {
		*t = o
		return
	}
	t.n += o.n
	t.first, t.last = min(t.first, o.first), max(t.last, o.last)
	t.technologies, t.operators = t.technologies|o.technologies, t.operators|o.operators
}

func (t *tally) session(key sessionKey, m *market.Market) Session {
	s := Session{Import: key.name, Synthetic: key.synthetic, Kind: key.kind, Measures: t.n, Technologies: []string{}, Operators: []string{}}
	if key.day > 0 {
		s.First, s.Last = unix(int64(t.first)), unix(int64(t.last))
		s.Day = s.First.Format(time.DateOnly)
	}
	for i, technology := range technologies[1:] {
		if t.technologies>>(i+1)&1 == 1 {
			s.Technologies = append(s.Technologies, technology.name)
		}
	}
	for i, o := range m.Operators {
		if t.operators>>i&1 == 1 {
			s.Operators = append(s.Operators, o.Key)
		}
	}
	return s
}

// tallies calls found for each day that rows that match are of.
func (f *filter) tallies(found func(day uint32, t tally)) {
	first, last := uint32(math.MaxUint32), uint32(0)
	for k := range f.blocks {
		first, last = min(first, f.blocks[k].oldest), max(last, f.blocks[k].newest)
	}
	if first > last {
		return
	}
	first /= daySeconds
	days := make([]tally, last/daySeconds-first+1)
	operators := make([]uint64, len(f.Networks))
	for i, o := range f.operators {
		if o >= 0 {
			operators[i] = 1 << o
		}
	}
	box := *f // whose disc is looked at here, by what is faster
	box.disc = nil
	round := newRound(f.disc)
	var space [blockRows]uint32
	for k := range f.blocks {
		for _, i := range box.matches(k, &space) {
			if !round.holds(f.lat[i], f.lng[i]) {
				continue
			}
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
			found(first+uint32(i), t)
		}
	}
}
