package outage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"relais/market"
)

// A FeedState says whether the unavailable sites of an operator are known.
type FeedState string

// The states of a feed.
const (
	Absent    FeedState = "absent"    // never read, or cleared
	Available FeedState = "available" // the last try read it
	Failed    FeedState = "failed"    // the last try did not; what was read before stays
)

// freshTime is how long data may count as current, by decisions.md 13.
const freshTime = 48 * time.Hour

// A Feed is what an operator publishes, or what a list of all operators says of it, and the result of reading it. Times
// are UTC, to the second.
type Feed struct {
	Market   market.Code    `json:"market"`
	Operator string         `json:"operator"`
	ReadAt   *time.Time     `json:"readAt"`   // the last good read, of a list at most the end of its day; nil: never
	FailedAt *time.Time     `json:"failedAt"` // the last try, when it failed; else nil
	Why      string         `json:"why"`      // it failed
	Rows     int            `json:"rows"`     // of the last good read: served + rejected
	Served   int            `json:"served"`
	Rejected map[string]int `json:"rejected"`
	// ListDay is the day of the list of all operators, YYYY-MM-DD; "": it was the operator's own file.
	ListDay string `json:"listDay,omitempty"`
	// Synthetic reports that a file of the last good read was made up for a demonstration: no
	// operator published it.
	Synthetic bool `json:"synthetic,omitempty"`
}

// State returns the result of the last read.
func (f *Feed) State() FeedState {
	switch {
	case f.FailedAt != nil:
		return Failed
	case f.ReadAt != nil:
		return Available
	}
	return Absent
}

// Age returns the time since the last good read, 0 if there was no good read.
func (f *Feed) Age(now time.Time) time.Duration {
	if f.ReadAt == nil {
		return 0
	}
	return now.Sub(*f.ReadAt)
}

// Available reports whether a site without an entry works: the last read succeeded, and is not
// older than freshTime.
func (f *Feed) Available(now time.Time) bool {
	return f.State() == Available && f.Age(now).Abs() <= freshTime
}

// Listed reports whether the feed is of a list of all operators that is not too old. It comes before the operator's own file.
func (f *Feed) Listed(now time.Time) bool { return f.ListDay != "" && f.Available(now) }

// feedKey is the key of a feed in its buckets.
type feedKey struct {
	market   market.Code
	operator string
}

func (k feedKey) bytes() []byte { return []byte(string(k.market) + "\x00" + k.operator) }

func parseFeedKey(b []byte) (feedKey, error) {
	code, operator, ok := strings.Cut(string(b), "\x00")
	m := market.Get(market.Code(code))
	if !ok || m == nil || !slices.Contains(m.OperatorKeys(), operator) {
		return feedKey{}, fmt.Errorf("the feed %q is of no operator of a market", b)
	}
	return feedKey{m.Code, operator}, nil
}

func feedID(code market.Code, operator string) string {
	return strings.ToLower(string(code) + "-" + operator)
}

// feedOf returns the market, and the operator's key in its canonical spelling. Errors: errNoFeed,
// ErrOperator.
func feedOf(code market.Code, operator string) (*market.Market, feedKey, error) {
	m := market.Get(code)
	if m == nil || m.FeedZone == "" {
		return nil, feedKey{}, fmt.Errorf("%w: %.20q", errNoFeed, code)
	}
	key, err := operatorOf(m, operator)
	return m, feedKey{code, key}, err
}

// operatorOf returns an operator's key in its canonical spelling. Error: ErrOperator.
func operatorOf(m *market.Market, operator string) (key string, err error) {
	i, ok := m.Operator(operator)
	if !ok {
		return "", fmt.Errorf("%w: %.50q; %s has %s", ErrOperator, operator, m.Code,
			cmp.Or(strings.Join(m.OperatorKeys(), ", "), "none"))
	}
	return m.Operators[i].Key, nil
}

// Feeds returns the feeds of a market, one for each operator in table order, absent ones included.
// The list is empty for a market whose operators publish nothing.
func (s *Store) Feeds(code market.Code) []Feed { return s.state.Load().feedsOf(code, nil) }

// A FeedStatus is operatorFeed of api.md, with lastUpdate.
type FeedStatus struct {
	Exists     bool       // the market has feeds
	Available  bool       // every one that was asked for is
	LastUpdate *time.Time // the oldest good read of those; nil: one was never read
	Feeds      []Feed     // those that were asked for
}

// FeedStatus returns the status of the feeds of operators; without operators, of all feeds.
func (s *Store) FeedStatus(code market.Code, operators []string) FeedStatus {
	feeds := s.state.Load().feedsOf(code, operators)
	status := FeedStatus{Exists: len(s.Feeds(code)) > 0, Available: len(feeds) > 0, Feeds: feeds}
	for i, f := range feeds {
		status.Available = status.Available && f.Available(s.now())
		if f.ReadAt == nil {
			status.LastUpdate = nil
			break
		}
		if i == 0 || f.ReadAt.Before(*status.LastUpdate) {
			status.LastUpdate = f.ReadAt
		}
	}
	return status
}
