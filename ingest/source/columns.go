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

// A Lack is a column that an input does not have, or that is empty in all of its rows.
type Lack struct {
	Gives string // what of a site comes from it, see table.Column
	what  string
}

// String says so in words.
func (l Lack) String() string { return l.what }

// at is the error of an input that cannot be used without the column.
func (l Lack) at(path string) error { return fmt.Errorf("%s:1: %s", path, l) }

// lackOf says that a column has nothing, and whether the input cannot be used so. name is
// what the input calls it, "" when that is not known.
func lackOf(c *table.Column, there bool, name string) (l Lack, fatal bool) {
	if !there {
		return Lack{c.Gives, c.Missing()}, c.Required
	}
	return Lack{c.Gives, "the column " + cmp.Or(name, c.Name) + " is empty in every row"}, c.Required && !c.Blank
}

// notable reports whether it matters that a column is empty in every row.
func notable(c *table.Column) bool { return c.Required || c.Gives != "" }

// A tally is what the rows of a list in a JSON file have of the columns of its kind.
type tally struct {
	columns []tallied
	rows    int
}

type tallied struct {
	table.Column
	inner         bool // a member of the row's properties, not of the row
	names         []string
	now           []int // by name: how often the row has it
	there, filled bool  // in some row
	twice         int   // rows that have one of the names twice
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

// note takes in a row, and returns a column that the row has twice, "" for none: nobody
// knows which of the two is meant.
func (t *tally) note(row []byte) (twice string) {
	if len(t.columns) == 0 {
		return ""
	}
	t.rows++
	items.Members(row, func(name, value []byte) {
		t.see(name, value, false)
		if string(name) == "properties" {
			items.Members(value, func(name, value []byte) { t.see(name, value, true) })
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

// see takes in a member. encoding/json takes names in any case, and so does this.
func (t *tally) see(name, value []byte, inner bool) {
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

// isNothing reports whether a value in JSON states nothing.
func isNothing(value []byte) bool {
	switch value = bytes.Trim(value, " \t\r\n"); string(value) {
	case "null", "[]", "{}":
		return true
	}
	return value[0] == '"' && len(bytes.Trim(value, `" `)) == 0
}

// has reports whether some row has a column of a name.
func (t *tally) has(name string) bool {
	return slices.ContainsFunc(t.columns, func(c tallied) bool { return c.there && c.Name == name })
}

// result returns what is missing, or why the list cannot be used.
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
		l, fatal := lackOf(&c.Column, c.there, "")
		if fatal {
			return nil, l.at(path)
		}
		lacks = append(lacks, l)
	}
	return lacks, nil
}
