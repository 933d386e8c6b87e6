package source

import (
	"fmt"

	"relais/site"
)

// oddValues are values of a column that are not what they should be, and were left out.
type oddValues struct {
	column, expected string
	n, line          int // line of the first
}

// NoteOdd counts n values of a column that are left out because they are not what was expected, such as "dates".
func (r *Report) NoteOdd(column string, n, line int, expected string) {
	if n == 0 {
		return
	}
	for i := range r.odd {
		if o := &r.odd[i]; o.column == column && o.expected == expected {
			o.n += n
			return
		}
	}
	r.odd = append(r.odd, oddValues{column, expected, n, line})
}

// warnOfOdd adds what NoteOdd counted to the warning.
func (r *Report) warnOfOdd() {
	for _, o := range r.odd {
		r.Warn(fmt.Sprintf("%s: %d values are not %s and were left out; the first is on line %d", o.column, o.n,
			o.expected, o.line))
	}
}

// Date returns the day in a bound column of the row, 0 without one. It counts texts that are not dates.
func (r *Reader) Date(i int) site.Date {
	text := r.Field(i)
	day := site.ParseDate(text)
	if day == 0 && len(text) > 0 {
		r.NoteOdd(r.kind.Columns[i].Name, 1, r.Line(), Dates)
	}
	return day
}

// Dates is what NoteOdd says was expected of a column of dates.
const Dates = "dates"
