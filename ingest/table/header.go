package table

import (
	"fmt"
	"slices"
	"strings"

	"relais/fold"
)

// A Column is a column that a parser wants.
type Column struct {
	Name     string
	Aliases  []string
	Required bool
	// With names another column: a required one is needed only where that one is there.
	With string
	// Blank: a required column may be empty in every row.
	Blank bool
	// Gives says what of a site comes from the column, in the words of the snapshot's
	// account of what it has; "" where nothing would be missed.
	Gives string
}

// canonical is the form in which column names are compared.
func canonical(name string) string { return fold.String(strings.Trim(name, blanks)) }

// blanks are what column names may have around them.
const blanks = "#* \t"

// Width is how many columns the header has.
func (r *Reader) Width() int { return len(r.header) }

// Names counts the columns of the file that cols name.
func (r *Reader) Names(cols []Column) int {
	n := 0
	for _, h := range r.header {
		if slices.ContainsFunc(cols, func(c Column) bool { return c.is(h) }) {
			n++
		}
	}
	return n
}

// is reports whether a canonical name is one of the column's.
func (c Column) is(name string) bool {
	return canonical(c.Name) == name ||
		slices.ContainsFunc(c.Aliases, func(a string) bool { return canonical(a) == name })
}

// Missing says that a table lacks the column.
func (c Column) Missing() string {
	text := "the column " + c.Name + " is missing"
	if len(c.Aliases) > 0 {
		text += " (also known as " + strings.Join(c.Aliases, ", ") + ")"
	}
	return text
}

// Score is the share of the columns that the header names.
func (r *Reader) Score(cols []Column) float64 {
	n := 0
	for _, c := range cols {
		if r.find(c) >= 0 {
			n++
		}
	}
	return float64(n) / float64(max(1, len(cols)))
}

func (r *Reader) find(c Column) int {
	for _, name := range append([]string{c.Name}, c.Aliases...) {
		name = canonical(name)
		for i, h := range r.header {
			if h == name {
				return i
			}
		}
	}
	return -1
}

// Bind makes Field count by cols, whatever the order of the file. A required
// column that is missing is an error, and so is one of cols that is there twice: nobody
// knows which of the two is meant.
func (r *Reader) Bind(cols []Column) error {
	if r.opt.OptionalHeader && r.Score(cols) < 0.5 {
		r.opt.NoHeader, r.header, r.written, r.shifted, r.again = true, nil, nil, nil, true
	}
	r.bound = make([]int, len(cols))
	for i, c := range cols {
		if r.opt.NoHeader {
			r.bound[i] = i
			continue
		}
		r.bound[i] = r.find(c)
		if r.bound[i] < 0 && c.Required && (c.With == "" || r.find(Column{Name: c.With}) >= 0) {
			return r.fail(1, c.Missing())
		}
		if err := r.once(r.bound[i]); err != nil {
			return err
		}
	}
	if r.opt.NoHeader {
		r.width = len(cols)
	}
	return nil
}

// Once refuses a table that has one of the columns twice: what is done with a column by
// its name would be done with one of the two.
func (r *Reader) Once(names ...string) error {
	for _, name := range names {
		if err := r.once(r.find(Column{Name: name})); err != nil {
			return err
		}
	}
	return nil
}

// once refuses a second column of the name that the one at a position has; a negative
// position is that of no column.
func (r *Reader) once(at int) error {
	if at < 0 || !slices.Contains(r.header[at+1:], r.header[at]) {
		return nil
	}
	return r.fail(1, fmt.Sprintf("the column %s is there twice", r.written[at]))
}

// Unknown returns the columns of the file that cols do not name, as they are written.
func (r *Reader) Unknown(cols []Column) (names []string) {
	for i, h := range r.header {
		if !slices.ContainsFunc(cols, func(c Column) bool { return c.is(h) }) {
			names = append(names, r.written[i])
		}
	}
	return names
}

// Lists reports whether the header has a column of a name.
func (r *Reader) Lists(name string) bool { return r.find(Column{Name: name}) >= 0 }

// Named tells, after Bind, whether the table has a header.
func (r *Reader) Named() bool { return !r.opt.NoHeader }

// Has tells whether the table has a bound column.
func (r *Reader) Has(i int) bool { return r.bound[i] >= 0 }

// Written returns the name of a bound column as the table has it, "" when it has none.
func (r *Reader) Written(i int) string {
	if r.opt.NoHeader || r.bound[i] < 0 {
		return ""
	}
	return r.written[r.bound[i]]
}
