package table

import (
	"fmt"
	"slices"
	"strings"

	"relais/internal/fold"
)

// A Column is a column that a parser reads.
type Column struct {
	Name     string
	Aliases  []string
	Required bool
	// With names another column: this one is required only if that one exists.
	With string
	// Blank: a required column may be empty in every row.
	Blank bool
	// Gives is the enrichment that comes from the column, as in the snapshot's counts; ""
	// if nothing is lost without it.
	Gives string
}

// canonical returns a column name in the form for comparison.
func canonical(name string) string { return fold.String(strings.Trim(name, blanks)) }

// blanks are trimmed from column names.
const blanks = "#* \t"

// columns are the columns of a table, and those that are bound.
type columns struct {
	header  []string // canonical
	written []string // as in the file
	bound   []int    // field of each bound column, -1 if the table lacks it
}

// Width returns the number of columns in the header.
func (t *columns) Width() int { return len(t.header) }

// CountNames counts the columns of the file that are in cols.
func (t *columns) CountNames(cols []Column) int {
	n := 0
	for _, h := range t.header {
		if slices.ContainsFunc(cols, func(c Column) bool { return c.matches(h) }) {
			n++
		}
	}
	return n
}

// matches reports whether the column has a canonical name.
func (c Column) matches(name string) bool {
	return canonical(c.Name) == name ||
		slices.ContainsFunc(c.Aliases, func(a string) bool { return canonical(a) == name })
}

// Missing returns the message for a table that lacks the column.
func (c Column) Missing() string {
	text := "the column " + c.Name + " is missing"
	if len(c.Aliases) > 0 {
		text += " (also known as " + strings.Join(c.Aliases, ", ") + ")"
	}
	return text
}

// Score returns the share of cols that the header has.
func (t *columns) Score(cols []Column) float64 {
	n := 0
	for _, c := range cols {
		if t.find(c) >= 0 {
			n++
		}
	}
	return float64(n) / float64(max(1, len(cols)))
}

func (t *columns) find(c Column) int {
	for _, name := range append([]string{c.Name}, c.Aliases...) {
		name = canonical(name)
		for i, h := range t.header {
			if h == name {
				return i
			}
		}
	}
	return -1
}

// Bind makes Field use the indexes of cols, in any order of the file's columns. A missing
// required column is an error, and so is a column that occurs twice: it is ambiguous.
func (r *Reader) Bind(cols []Column) error {
	if r.opt.OptionalHeader && r.Score(cols) < 0.5 {
		r.opt.NoHeader, r.header, r.written, r.shifted, r.firstIsRecord = true, nil, nil, nil, true
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
		if err := r.checkOnce(r.bound[i]); err != nil {
			return err
		}
	}
	if r.opt.NoHeader {
		r.width = len(cols)
		r.countFrom(r.width)
	}
	return nil
}

// BindMore also binds up to most columns of the file that are not bound, each name once, after those of Bind, except
// those that skip chooses. It returns their names as written.
func (t *columns) BindMore(most int, skip func(name string) bool) (names, skipped []string) {
	for i, name := range t.written {
		switch {
		case name == "" || slices.Contains(t.bound, i) || slices.Contains(names, name):
		case skip(name):
			skipped = append(skipped, name)
		case len(names) < most:
			t.bound, names = append(t.bound, i), append(names, name)
		}
	}
	return names, skipped
}

// CheckOnce returns an error if the table has one of the columns twice.
func (r *Reader) CheckOnce(names ...string) error {
	for _, name := range names {
		if err := r.checkOnce(r.find(Column{Name: name})); err != nil {
			return err
		}
	}
	return nil
}

// checkOnce returns an error if the column at an index has a namesake after it. The index
// may be -1.
func (r *Reader) checkOnce(at int) error {
	if at < 0 || !slices.Contains(r.header[at+1:], r.header[at]) {
		return nil
	}
	return r.fail(1, fmt.Sprintf("the column %s is there twice", r.written[at]))
}

// Unknown returns the columns of the file that are not in cols, as written.
func (t *columns) Unknown(cols []Column) (names []string) {
	for i, h := range t.header {
		if !slices.ContainsFunc(cols, func(c Column) bool { return c.matches(h) }) {
			names = append(names, t.written[i])
		}
	}
	return names
}

// HasColumn reports whether the header has a column with a name.
func (t *columns) HasColumn(name string) bool { return t.find(Column{Name: name}) >= 0 }

// HasHeader reports whether the table has a header. Call it after Bind.
func (r *Reader) HasHeader() bool { return !r.opt.NoHeader }

// HasBound reports whether the table has a bound column.
func (t *columns) HasBound(i int) bool { return t.bound[i] >= 0 }

// Written returns the name of a bound column as written in the table, "" if it is missing.
func (r *Reader) Written(i int) string {
	if r.opt.NoHeader || r.bound[i] < 0 {
		return ""
	}
	return r.written[r.bound[i]]
}
