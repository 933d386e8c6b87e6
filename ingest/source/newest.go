package source

import "time"

// A Newest finds the newest of the dates that a source's rows state, which dates
// the source. Nothing was published later than tomorrow, the furthest that any
// clock on Earth can be ahead of this one: such a date is a mistyped one, which
// must not date all the other rows.
type Newest struct {
	after  time.Time // the first moment that is too late
	newest time.Time
	future int
}

// NewNewest returns a Newest without a date yet. now is the clock's.
func NewNewest(now time.Time) *Newest {
	year, month, day := now.UTC().Date()
	return &Newest{after: time.Date(year, month, day+2, 0, 0, 0, 0, time.UTC)}
}

// Add takes a date in; the zero one is none. It returns false for one later than
// tomorrow, in UTC, which is counted and changes nothing else.
func (n *Newest) Add(t time.Time) bool {
	if !t.Before(n.after) {
		n.future++
		return false
	}
	if t.After(n.newest) {
		n.newest = t
	}
	return true
}

// Time returns the newest date, the zero one when there is none.
func (n *Newest) Time() time.Time { return n.newest }

// Future returns how many dates were later than tomorrow.
func (n *Newest) Future() int { return n.future }
