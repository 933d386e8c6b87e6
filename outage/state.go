package outage

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"relais/geo"
	"relais/market"
	"relais/store"
)

// A state is what is answered: the good data of every feed and the reports that are
// open. It never changes; a change makes another from a clone.
type state struct {
	version  uint64
	feeds    map[feedKey]*feedData
	reports  map[uuid.UUID]*Report // that are neither resolved nor rejected
	arranged map[market.Code]*arranged
}

// changed is a market in which a change changed something; feeds tells whether in its
// feeds.
type changed struct {
	market market.Code
	feeds  bool
}

// feedData is a feed with its entries.
type feedData struct {
	*Feed
	entries []*Entry
	byLat   []*Entry
}

// arranged is a market in the order of answers.
type arranged struct {
	entries   []*Entry
	reports   []*Report
	deadlines []time.Time // of a feed or a report, ascending
}

func newState() *state {
	return &state{feeds: map[feedKey]*feedData{}, reports: map[uuid.UUID]*Report{},
		arranged: map[market.Code]*arranged{}}
}

func newFeedData(f *Feed, entries []*Entry) *feedData {
	d := &feedData{Feed: f, entries: entries, byLat: slices.Clone(entries)}
	slices.SortFunc(d.byLat, func(a, b *Entry) int { return cmp.Compare(a.Lat, b.Lat) })
	return d
}

func (st *state) clone() *state {
	return &state{st.version + 1, maps.Clone(st.feeds), maps.Clone(st.reports), maps.Clone(st.arranged)}
}

// markets are those of which there is something.
func (st *state) markets() map[market.Code]bool {
	all := map[market.Code]bool{}
	for key := range st.feeds {
		all[key.market] = true
	}
	for _, r := range st.reports {
		all[r.Market] = true
	}
	return all
}

// read reads everything of the file, now, but for what has problems.
func (st *state) read(tx *store.Tx, now time.Time) (problems []error, err error) {
	tx.LeaveOut(func(err error) { problems = append(problems, err) })
	err = store.EachKey(tx, feedsBucket, func(k []byte) error {
		d, err := readFeed(tx, k)
		if err != nil {
			problems = append(problems, err)
			d = damaged(k, now)
		}
		if d != nil {
			st.feeds[feedKey{d.Market, d.Operator}] = d
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = store.Each(tx, reportsBucket, func(k, v []byte) error {
		r, err := parseRecord(k, v)
		if err != nil {
			problems = append(problems, err)
		} else if r.open() {
			report := r.Report
			st.reports[uuid.UUID(k)] = &report
		}
		return nil
	})
	return problems, err
}

// damaged is what stands for a feed that cannot be read, nil for one of no operator.
func damaged(k []byte, now time.Time) *feedData {
	key, err := parseFeedKey(k)
	if err != nil {
		return nil
	}
	why := "what was read of it is damaged in community.db: import it again"
	return newFeedData(&Feed{Market: key.market, Operator: key.operator, FailedAt: &now, Why: why}, nil)
}

// readFeed reads a feed with its entries.
func readFeed(tx *store.Tx, k []byte) (*feedData, error) {
	key, err := parseFeedKey(k)
	if err != nil {
		return nil, err
	}
	f, err := getFeed(tx, key)
	if err != nil {
		return nil, err
	}
	entries := []*Entry{}
	text, err := tx.Bucket([]byte(entriesBucket)).Read(k)
	if err != nil {
		return nil, err
	}
	if text != nil {
		if err := json.Unmarshal(text, &entries); err != nil {
			return nil, fmt.Errorf("unavailable sites of %s: %w", feedID(f.Market, f.Operator), err)
		}
	}
	met := map[string]string{}
	for _, e := range entries {
		if e == nil || e.Code == "" || !e.Point().Valid() || len(e.Cells.List()) != len(rawColumns) {
			return nil, fmt.Errorf("unavailable sites of %s: one is broken", feedID(f.Market, f.Operator))
		}
		e.Market, e.Operator = key.market, key.operator
		e.share(met)
	}
	return newFeedData(f, entries), nil
}

// near is how far an operator's entry may be from a report that it confirms, in metres.
const near = 300

// of is a market in the order of answers, what began last first, what has no beginning
// last; of what began at once the reports first, then by id.
func (st *state) of(code market.Code) *arranged {
	if a := st.arranged[code]; a != nil {
		return a
	}
	return &arranged{}
}

// arrange puts what changed in a market into that order.
func (st *state) arrange(c changed) {
	a := *st.of(c.market)
	if c.feeds {
		a.entries = st.sorted(c.market)
	}
	a.reports, a.deadlines = nil, nil
	for key, d := range st.feeds {
		if key.market == c.market && d.State() == Available {
			a.deadlines = append(a.deadlines, d.ReadAt.Add(Fresh))
		}
	}
	for id, old := range st.reports {
		if old.Market != c.market {
			continue
		}
		r := *old // which an answer may hold
		r.OperatorConfirmed = st.confirms(&r)
		st.reports[id] = &r
		a.reports = append(a.reports, &r)
		a.deadlines = append(a.deadlines, r.NewsAt.Add(Patience))
	}
	slices.SortFunc(a.reports, func(x, y *Report) int {
		return cmp.Or(y.StartedAt.Compare(x.StartedAt), cmp.Compare(x.ID, y.ID))
	})
	slices.SortFunc(a.deadlines, time.Time.Compare)
	st.arranged[c.market] = &a
}

// sorted are the entries of a market in the order of answers.
func (st *state) sorted(code market.Code) (all []*Entry) {
	for key, d := range st.feeds {
		if key.market == code {
			all = append(all, d.entries...)
		}
	}
	slices.SortFunc(all, func(x, y *Entry) int {
		return cmp.Or(began(y).Compare(began(x)), cmp.Compare(x.Operator, y.Operator), cmp.Compare(x.Code, y.Code))
	})
	return all
}

// began is when an entry began, the zero time when that is not stated.
func began(e *Entry) time.Time {
	if e.Start == nil {
		return time.Time{}
	}
	return *e.Start
}

// confirms tells whether the report's operator says of a site near it that it is
// unavailable.
func (st *state) confirms(r *Report) bool {
	d := st.feeds[feedKey{r.Market, r.Operator}]
	if d == nil {
		return false
	}
	around := geo.Disc{Center: r.Point(), Radius: near}.Box()
	from, _ := slices.BinarySearchFunc(d.byLat, around.South,
		func(e *Entry, lat float64) int { return cmp.Compare(e.Lat, lat) })
	for _, e := range d.byLat[from:] {
		if e.Lat > around.North {
			break
		}
		if geo.Distance(r.Point(), e.Point()) <= near {
			return true
		}
	}
	return false
}

// passed counts the deadlines before now.
func (st *state) passed(now time.Time) (n int) {
	for _, a := range st.arranged {
		at, _ := slices.BinarySearchFunc(a.deadlines, now, time.Time.Compare)
		n += at
	}
	return n
}

// feedsOf returns the feeds of a market's operators, of all when there are none.
func (st *state) feedsOf(code market.Code, operators []string) []Feed {
	list := []Feed{}
	m := market.Get(code)
	if m == nil || m.FeedZone == "" {
		return list
	}
	for _, o := range m.Operators {
		if len(operators) > 0 && !slices.Contains(operators, o.Key) {
			continue
		}
		f := Feed{Market: code, Operator: o.Key, Rejected: map[string]int{}}
		if d := st.feeds[feedKey{code, o.Key}]; d != nil {
			f = *d.Feed
			if f.Rejected = maps.Clone(f.Rejected); f.Rejected == nil {
				f.Rejected = map[string]int{}
			}
		}
		list = append(list, f)
	}
	return list
}
