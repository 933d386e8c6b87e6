package table

import (
	"bytes"
	"slices"
)

// countFrom begins to look for columns without a value, of so many.
func (r *Reader) countFrom(columns int) {
	r.sound, r.valueless = 0, make([]int, columns)
	for i := range r.valueless {
		r.valueless[i] = i
	}
}

// countValues notes which columns have a value in the record, which is not broken.
func (r *Reader) countValues() {
	r.sound++
	if len(r.valueless) > 0 {
		r.valueless = slices.DeleteFunc(r.valueless, r.hasValue)
	}
}

// hasValue reports whether the record has more than blanks and control characters in a column.
func (r *Reader) hasValue(column int) bool {
	return len(r.fields[column]) > 0 && len(bytes.TrimSpace(WithoutControls(r.field(column)))) > 0
}

// Sound returns how many records were not broken so far.
func (r *Reader) Sound() int { return r.sound }

// A Heading is a column of a table.
type Heading struct {
	Name
	Written string // as in the file, "" for a column without a name
	Bound   int    // index of the bound column, -1 for a column that is not read
	Filled  bool   // a record that is not broken has a value in it
	Again   bool   // a column before it has the same name, to the letter
}

// Headings returns the columns of the table. Call it after the last record: what is Filled is known then.
// A table without a header has the names of the bound columns.
func (r *Reader) Headings(cols []Column) []Heading {
	list := make([]Heading, r.width)
	for i := range list {
		h := &list[i]
		if r.opt.NoHeader {
			h.Name, h.Written = NameOf(cols[i].Name), cols[i].Name
		} else {
			h.Name, h.Written, h.Again = Name(r.header[i]), r.written[i], slices.Contains(r.written[:i], r.written[i])
		}
		h.Bound, h.Filled = slices.Index(r.bound, i), !slices.Contains(r.valueless, i)
	}
	return list
}

// Filled reports whether a bound column has a value in a record that is not broken. Call it after the last
// record.
func (r *Reader) Filled(i int) bool {
	return r.bound[i] >= 0 && !slices.Contains(r.valueless, r.bound[i])
}
