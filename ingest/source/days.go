package source

import (
	"slices"
	"time"
)

// Days is a Newest that also tells how new a source is without its newest rows: that
// one of them is gone from the next edition does not make it an older one.
type Days struct {
	*Newest
	all []int64 // Unix time
}

// NewDays returns Days without a date yet. now is the clock's.
func NewDays(now time.Time) *Days { return &Days{Newest: NewNewest(now)} }

// Add takes a row's date in, as Newest does.
func (d *Days) Add(t time.Time) bool {
	ok := d.Newest.Add(t)
	if ok && !t.IsZero() {
		d.all = append(d.all, t.Unix())
	}
	return ok
}

// floorShare is how many rows have one among them that may be gone.
const floorShare = 100

// Floor is the date that one row in a hundred, and at least one, is of or later; the
// zero one when no row has a date.
func (d *Days) Floor() time.Time {
	if len(d.all) == 0 {
		return time.Time{}
	}
	slices.Sort(d.all)
	return time.Unix(d.all[len(d.all)-1-len(d.all)/floorShare], 0).UTC()
}

// DateBy dates the report by what its input states: the day in its name or that of its
// newest row, whichever is later, since a name may also hold other numbers. Either may
// be missing. A name's day before that of the newest row is none of the input.
func (r *Report) DateBy(in *Input, rows *Days) {
	var e Edition
	if newest := rows.Time(); !newest.IsZero() {
		e.Newest, e.Floor = newest.Format(time.DateOnly), rows.Floor().Format(time.DateOnly)
	}
	if name := in.NameDate().String(); name >= e.Newest {
		e.Named = name
	}
	r.Date, r.Edition = max(e.Named, e.Newest), e
}
