package outage

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"relais/internal/store"
	"relais/market"
)

// A state is the good data of every feed, from which all answers come. It is never changed: a
// change makes another one from a clone.
type state struct {
	feeds    map[feedKey]*feedData
	problems map[string]error // of feeds that cannot be read, by key
	arranged map[market.Code]*arranged
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
	deadlines []time.Time // of the feeds, ascending
}

func newState() *state {
	return &state{map[feedKey]*feedData{}, map[string]error{}, map[market.Code]*arranged{}}
}

func newFeedData(f *Feed, entries []*Entry) *feedData {
	d := &feedData{Feed: f, entries: entries, byLat: slices.Clone(entries)}
	slices.SortFunc(d.byLat, func(a, b *Entry) int { return cmp.Compare(a.Lat, b.Lat) })
	return d
}

// clone returns a copy, which arrange must sort.
func (st *state) clone() *state {
	return &state{maps.Clone(st.feeds), maps.Clone(st.problems), map[market.Code]*arranged{}}
}

// reload replaces a feed by its records in community.db.
func (st *state) reload(tx *store.Tx, k []byte, now time.Time) {
	delete(st.problems, string(k))
	if key, err := parseFeedKey(k); err == nil {
		delete(st.feeds, key)
	}
	if !tx.Bucket([]byte(feedsBucket)).Has(k) {
		return
	}
	d, err := readFeed(tx, k)
	if err != nil {
		st.problems[string(k)] = err
		d = damaged(k, now)
	}
	if d != nil {
		st.feeds[feedKey{d.Market, d.Operator}] = d
	}
}

// damaged returns a failed feed for one that cannot be read, nil if its operator is unknown.
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
		if e == nil || e.Code == "" || !e.Point().Valid() || len(e.Cells.list()) != len(rawColumns) {
			return nil, fmt.Errorf("unavailable sites of %s: one is broken", feedID(f.Market, f.Operator))
		}
		e.Market, e.Operator = key.market, key.operator
		e.share(met)
	}
	return newFeedData(f, entries), nil
}

// inOrder returns a market in the order of answers: the latest beginning first, unknown
// beginnings last, then by id.
func (st *state) inOrder(code market.Code) *arranged {
	if a := st.arranged[code]; a != nil {
		return a
	}
	return &arranged{}
}

// arrange sorts all markets in that order.
func (st *state) arrange() *state {
	for key, d := range st.feeds {
		a := st.arranged[key.market]
		if a == nil {
			a = &arranged{entries: st.sorted(key.market)}
			st.arranged[key.market] = a
		}
		if d.State() == Available {
			a.deadlines = append(a.deadlines, d.ReadAt.Add(freshTime))
		}
	}
	for _, a := range st.arranged {
		slices.SortFunc(a.deadlines, time.Time.Compare)
	}
	return st
}

// sorted returns the entries of a market in the order of answers.
func (st *state) sorted(code market.Code) (all []*Entry) {
	for key, d := range st.feeds {
		if key.market == code {
			all = append(all, d.entries...)
		}
	}
	slices.SortFunc(all, func(x, y *Entry) int {
		return cmp.Or(y.Began().Compare(x.Began()), cmp.Compare(x.Operator, y.Operator), cmp.Compare(x.Code, y.Code))
	})
	return all
}

// passed counts the deadlines before now.
func (st *state) passed(now time.Time) (n int) {
	for _, a := range st.arranged {
		at, _ := slices.BinarySearchFunc(a.deadlines, now, time.Time.Compare)
		n += at
	}
	return n
}

// feedsOf returns the feeds of operators of a market; without operators, all its feeds.
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
