package outage

import (
	"time"
	_ "time/tzdata" // the zones of files, on machines that know none
)

// rawTime is how api.md writes the times of a raw row.
const rawTime = "2006-01-02 15:04:05"

// layouts are how operators write times, in the zone of the file unless they state one.
var layouts = []string{
	rawTime, "2006-01-02 15:04", "2006-01-02T15:04:05", "2006-01-02T15:04",
	"02/01/2006 15:04:05", "02/01/2006 15:04", time.RFC3339,
}

// days are how they write days.
var days = []string{time.DateOnly, "02/01/2006"}

// A moment is a time as it is answered and as it stands in a raw row.
type moment struct {
	at     time.Time // zero: not stated
	raw    string
	column int
}

// instant is the moment in UTC, nil when it is not stated.
func (m moment) instant() *time.Time {
	if m.at.IsZero() {
		return nil
	}
	at := m.at.UTC()
	return &at
}

// period returns the beginning of an outage and its expected end. Where voice and data have
// their own times, these are the earliest beginning and the latest end. An end before the
// beginning counts as not stated.
func (w *row) period() (start, end moment) {
	start = w.pick([]int{colStart, colStartVoice, colStartData}, false)
	end = w.pick([]int{colEnd, colEndVoice, colEndData}, true)
	if !start.at.IsZero() && !end.at.IsZero() && end.at.Before(start.at) {
		w.leftOut(end.column, "after the beginning")
		end.at = time.Time{}
	}
	return start, end
}

// pick reads the first of the columns, or the earliest or latest of the others when it
// is empty.
func (w *row) pick(cols []int, end bool) moment {
	best := w.moment(cols[0], end)
	if w.cells[cols[0]] != "" {
		return best
	}
	for _, i := range cols[1:] {
		m := w.moment(i, end)
		if best.at.IsZero() || !m.at.IsZero() && m.at.After(best.at) == end {
			best = m
		}
	}
	return best
}

// moment reads a time in a column. A day begins with its first second, and what is expected to end
// on a day ends with its last. A cell that is not a time of this century, such as
// 2026-02-30, counts as not stated; the raw row keeps it.
func (w *row) moment(column int, end bool) moment {
	cell := w.cells[column]
	for _, layout := range layouts {
		if at, err := time.ParseInLocation(layout, cell, w.zone); err == nil {
			return w.plausible(at, column)
		}
	}
	for _, layout := range days {
		at, err := time.ParseInLocation(layout, cell, w.zone)
		if err != nil {
			continue
		}
		if end {
			at = time.Date(at.Year(), at.Month(), at.Day(), 23, 59, 59, 0, w.zone)
		}
		return w.plausible(at, column)
	}
	if cell != "" {
		w.leftOut(column, dates)
	}
	return moment{raw: cell, column: column}
}

// dates is what is expected of a column of times.
const dates = "dates of this century"

func (w *row) plausible(at time.Time, column int) moment {
	if at.Year() < 2000 || at.Year() > 2099 {
		w.leftOut(column, dates)
		return moment{raw: w.cells[column], column: column}
	}
	at = at.Truncate(time.Second)
	return moment{at, at.In(w.zone).Format(rawTime), column}
}
