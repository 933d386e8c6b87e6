package source

import "time"

// A Newest finds the newest date in a source's rows, which dates the source. It ignores
// dates after tomorrow, which are later in every time zone: a mistyped date must not date
// all other rows.
type Newest struct {
	after  time.Time // the first moment that is too late
	newest time.Time
	future int
}

// NewNewest returns a Newest without dates. now is the current time.
func NewNewest(now time.Time) *Newest {
	year, month, day := now.UTC().Date()
	return &Newest{after: time.Date(year, month, day+2, 0, 0, 0, 0, time.UTC)}
}

// Add adds a date; a zero date does not count. It returns false for a date after tomorrow
// in UTC, which is only counted.
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

// Time returns the newest date, zero if no date was added.
func (n *Newest) Time() time.Time { return n.newest }

// Future returns how many dates were later than tomorrow.
func (n *Newest) Future() int { return n.future }
