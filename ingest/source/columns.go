package source

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"relais/ingest/items"
	"relais/ingest/table"
)

// A Lack is a missing column, or one that is empty in every row.
type Lack struct {
	Gives string // the property of sites that comes from it, see table.Column
	what  string
}

// String describes the lack.
func (l Lack) String() string { return l.what }

// asError returns the error for an input that needs the column.
func (l Lack) asError(path string) error { return fmt.Errorf("%s:1: %s", path, l) }

// newLack describes a missing or empty column. fatal reports whether the input is useless
// without it. name is the input's name of the column, "" if unknown.
func newLack(c *table.Column, there bool, name string) (l Lack, fatal bool) {
	if !there {
		return Lack{c.Gives, c.Missing()}, c.Required
	}
	return Lack{c.Gives, "the column " + cmp.Or(name, c.Name) + " is empty in every row"}, c.Required && !c.Blank
}

// notable reports whether a column that is empty in every row must be reported.
func notable(c *table.Column) bool { return c.Required || c.Gives != "" }

// A tally counts which columns of a kind the rows of a JSON list have.
type tally struct {
	columns []tallied
	rows    int
}

type tallied struct {
	table.Column
	inner         bool // a member of the row's properties, not of the row
	names         []string
	now           []int // by name: occurrences in the current row
	there, filled bool  // in any row
	twice         int   // rows with one of the names twice
	doubled       string
}

func newTally(k *Items) *tally {
	t := &tally{}
	for i, c := range slices.Concat(k.Columns, k.Properties) {
		names := append([]string{c.Name}, c.Aliases...)
		t.columns = append(t.columns, tallied{Column: c, inner: i >= len(k.Columns), names: names, now: make([]int,
			len(names))})
	}
	return t
}

// addRow counts a row. It returns a column that the row has twice, which makes the row
// ambiguous, or "".
func (t *tally) addRow(row []byte) (twice string) {
	if len(t.columns) == 0 {
		return ""
	}
	t.rows++
	items.Members(row, func(name, value []byte) {
		t.addMember(name, value, false)
		if string(name) == "properties" {
			items.Members(value, func(name, value []byte) { t.addMember(name, value, true) })
		}
	})
	for i := range t.columns {
		c := &t.columns[i]
		if at := slices.IndexFunc(c.now, func(n int) bool { return n > 1 }); at >= 0 {
			c.twice++
			c.doubled = c.names[at]
			twice = cmp.Or(twice, c.doubled)
		}
		clear(c.now)
	}
	return twice
}

// addMember counts a member. Like encoding/json it ignores case.
func (t *tally) addMember(name, value []byte, inner bool) {
	for i := range t.columns {
		c := &t.columns[i]
		if c.inner != inner {
			continue
		}
		for k, n := range c.names {
			if len(n) == len(name) && strings.EqualFold(n, string(name)) {
				c.now[k]++
				c.there, c.filled = true, c.filled || !isNothing(value)
			}
		}
	}
}

// isNothing reports whether a JSON value is empty or null.
func isNothing(value []byte) bool {
	switch value = bytes.Trim(value, " \t\r\n"); string(value) {
	case "null", "[]", "{}":
		return true
	}
	return value[0] == '"' && len(bytes.Trim(value, `" `)) == 0
}

// has reports whether any row has a column.
func (t *tally) has(name string) bool {
	return slices.ContainsFunc(t.columns, func(c tallied) bool { return c.there && c.Name == name })
}

// result returns the missing columns, or why the list is useless.
func (t *tally) result(path string) (lacks []Lack, err error) {
	if t.rows == 0 {
		return nil, nil
	}
	for i := range t.columns {
		c := &t.columns[i]
		if c.twice == t.rows {
			return nil, fmt.Errorf("%s:1: the column %s is there twice", path, c.doubled)
		}
		if c.filled || c.With != "" && !t.has(c.With) {
			continue
		}
		l, fatal := newLack(&c.Column, c.there, "")
		if fatal {
			return nil, l.asError(path)
		}
		lacks = append(lacks, l)
	}
	return lacks, nil
}
