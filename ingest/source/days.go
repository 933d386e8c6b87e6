package source

import (
	"slices"
	"time"
)

// Days is a Newest that also returns a date before the newest: an edition that lost its
// newest row is not older.
type Days struct {
	*Newest
	all []int64 // Unix time
}

// NewDays returns Days without dates. now is the current time.
func NewDays(now time.Time) *Days { return &Days{Newest: NewNewest(now)} }

// Add adds a row's date like Newest.Add.
func (d *Days) Add(t time.Time) bool {
	ok := d.Newest.Add(t)
	if ok && !t.IsZero() {
		d.all = append(d.all, t.Unix())
	}
	return ok
}

// floorShare: one row in so many may be missing from the next edition.
const floorShare = 100

// floor returns a date that is later in one row of a hundred, rounded down. It is zero if
// no row has a date.
func (d *Days) floor() time.Time {
	if len(d.all) == 0 {
		return time.Time{}
	}
	slices.Sort(d.all)
	return time.Unix(d.all[len(d.all)-1-len(d.all)/floorShare], 0).UTC()
}

// DateBy sets the report's date to the later of the day in the input's name and the day of
// its newest row. Either may be missing. A name's day before the newest row is ignored: it
// is another number.
func (r *Report) DateBy(in *Input, rows *Days) {
	var e Edition
	if newest := rows.Time(); !newest.IsZero() {
		e.Newest, e.Floor = newest.Format(time.DateOnly), rows.floor().Format(time.DateOnly)
	}
	if name := in.NameDate().String(); name >= e.Newest {
		e.Named = name
	}
	r.Date, r.Edition = max(e.Named, e.Newest), e
}
