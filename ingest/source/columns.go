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
	geo     bool // rows have properties
	unknown []string
	rows    int
}

type tallied struct {
	table.Column
	inner   bool // a member of the row's properties, not of the row
	read    bool
	names   []string
	now     []int  // by name: occurrences in the current row
	there   []bool // by name: in any row
	filled  []bool // by name: with a value in any row
	twice   int    // rows with one of the names twice
	doubled string
}

// geoJSON are the members of a feature that say nothing of it.
var geoJSON = []string{"type", "id", "geometry_name", "properties", "bbox"}

func newTally(k *Items) *tally {
	t := &tally{geo: k.Properties != nil}
	add := func(list []table.Column, inner, read bool) {
		for _, c := range list {
			names := append([]string{c.Name}, c.Aliases...)
			t.columns = append(t.columns, tallied{Column: c, inner: inner, read: read, names: names,
				now: make([]int, len(names)), there: make([]bool, len(names)), filled: make([]bool, len(names))})
		}
	}
	add(k.Columns, false, true)
	add(k.Properties, true, true)
	add(columnsOf(k.Others), t.geo, false)
	if t.geo {
		add(columnsOf(geoJSON), false, false)
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
		if t.geo && string(name) == "properties" {
			items.Members(value, func(name, value []byte) { t.addMember(name, value, true) })
		}
	})
	for i := range t.columns {
		c := &t.columns[i]
		if at := slices.IndexFunc(c.now, func(n int) bool { return n > 1 }); at >= 0 {
			c.twice++
			c.doubled = c.names[at]
			if c.read {
				twice = cmp.Or(twice, c.doubled)
			}
		}
		clear(c.now)
	}
	return twice
}

// addMember counts a member. Like encoding/json it ignores case.
func (t *tally) addMember(name, value []byte, inner bool) {
	known := false
	for i := range t.columns {
		c := &t.columns[i]
		if c.inner != inner {
			continue
		}
		for k, n := range c.names {
			if len(n) == len(name) && strings.EqualFold(n, string(name)) {
				known = true
				c.now[k]++
				c.there[k], c.filled[k] = true, c.filled[k] || !isNothing(value)
			}
		}
	}
	if name = name[:min(len(name), columnLength+1)]; !known && len(t.unknown) < maxUnknown &&
		!slices.Contains(t.unknown, string(name)) {
		t.unknown = append(t.unknown, string(name))
	}
}

// maxUnknown bounds the unknown members of a list's rows, which may be others in each.
const maxUnknown = 2 * columnsShown

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
	return slices.ContainsFunc(t.columns, func(c tallied) bool { return c.Name == name && slices.Contains(c.there, true) })
}

// lacks returns the columns that are missing or empty, or why the list is useless.
func (t *tally) lacks(path string) (lacks []Lack, err error) {
	if t.rows == 0 {
		return nil, nil
	}
	for i := range t.columns {
		c := &t.columns[i]
		if c.read && c.twice == t.rows {
			return nil, fmt.Errorf("%s:1: the column %s is there twice", path, c.doubled)
		}
		if !c.read || slices.Contains(c.filled, true) || c.With != "" && !t.has(c.With) {
			continue
		}
		l, fatal := newLack(&c.Column, slices.Contains(c.there, true), "")
		if fatal {
			return nil, l.asError(path)
		}
		lacks = append(lacks, l)
	}
	return lacks, nil
}

// result returns the columns of the list. Names that fill in for each other count by themselves.
func (t *tally) result() (list Columns) {
	list.Unknown = t.unknown
	for i := range t.columns {
		c := &t.columns[i]
		if !c.read && c.twice > 0 {
			list.Twice = append(list.Twice, c.doubled)
		}
		for k, name := range c.names {
			switch {
			case c.filled[k]:
				list.Filled = append(list.Filled, name)
			case c.there[k]:
				list.Empty = append(list.Empty, name)
			}
		}
	}
	return list
}
