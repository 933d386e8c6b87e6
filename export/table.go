// Package export turns rows of registers and of other datasets into files: CSV, GeoJSON, Parquet, KMZ. The
// columns of each kind of row are declared once, and every format writes the same ones. The package
// knows neither who asks nor how a file reaches them.
package export

import (
	"iter"
	"time"

	"relais/geo"
	"relais/site"
)

// A Type is the type of a column.
type Type uint8

// The types of columns.
const (
	Text Type = iota
	Whole
	Number
	Boolean
	Date
	Time
	Texts // a list, as are those after it
	Wholes
	Numbers
)

// A Value is one cell. The member of the column's type holds it. A text that is empty is stated and empty; a
// list that is empty has no elements.
type Value struct {
	Null    bool // the source does not state it
	Text    string
	Whole   int64
	Number  float64
	Boolean bool
	Date    site.Date
	Time    time.Time
	Texts   []string
	Wholes  []int64
	Numbers []float64
}

// SetText sets a text, which is not stated when it is empty.
func (v *Value) SetText(s string) { v.Text, v.Null = s, s == "" }

// SetWhole sets a whole number, which is not stated when it is negative.
func (v *Value) SetWhole(n int) { v.Whole, v.Null = int64(n), n < 0 }

// SetNumber sets a number, which is not stated when it is NaN.
func (v *Value) SetNumber(x float64) { v.Number, v.Null = x, !site.Known(x) }

// SetDate sets a day, which is not stated when it is 0.
func (v *Value) SetDate(d site.Date) { v.Date, v.Null = d, d == 0 }

// SetTime sets a time, which is not stated when it is zero.
func (v *Value) SetTime(t time.Time) { v.Time, v.Null = t, t.IsZero() }

// A Column is a column of rows of type R.
type Column[R any] struct {
	Name string // as in the JSON of the API; of a nested member the innermost name
	Type Type
	// Get sets a Value to the cell of a row. The lists of the Value may be reused.
	Get func(r *R, v *Value)
}

// A Head is a column without its rows.
type Head struct {
	Name string
	Type Type
}

// A Row is one row of a Table. It is valid until the next one is read.
type Row interface {
	// Cell sets v to the cell of a column. It reuses the lists of v.
	Cell(column int, v *Value)
}

// A Table is rows of one kind.
type Table struct {
	Columns []Head
	// ID and the columns of the position, by number; -1 for none.
	ID, Lat, Lng int
	// Wedge means that the geometry of a row is a sector in the direction of the last column, in whole degrees.
	Wedge bool
	// Rows yields the rows. It may be called more than once.
	Rows iter.Seq[Row]
}

// NewTable returns a table. Its id is in the column id, a position in lat and lng, or latitude and longitude.
func NewTable[R any](columns []Column[R], rows iter.Seq[*R]) *Table {
	t := &Table{ID: -1, Lat: -1, Lng: -1}
	for i, c := range columns {
		t.Columns = append(t.Columns, Head{c.Name, c.Type})
		switch c.Name {
		case "id":
			t.ID = i
		case "lat", "latitude":
			t.Lat = i
		case "lng", "longitude":
			t.Lng = i
		}
	}
	t.Rows = func(yield func(Row) bool) {
		b := &bound[R]{columns: columns}
		for r := range rows {
			if b.row = r; !yield(b) {
				return
			}
		}
	}
	return t
}

// Names returns the names of the columns.
func (t *Table) Names() []string {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	return names
}

// position returns the position of a row.
func (t *Table) position(r Row, v *Value) (p geo.Point) {
	r.Cell(t.Lat, v)
	p.Lat = v.Number
	r.Cell(t.Lng, v)
	p.Lng = v.Number
	return p
}

// A bound is a row with its columns.
type bound[R any] struct {
	columns []Column[R]
	row     *R
}

// Cell implements Row.
func (b *bound[R]) Cell(column int, v *Value) {
	v.Null, v.Texts, v.Wholes, v.Numbers = false, v.Texts[:0], v.Wholes[:0], v.Numbers[:0]
	b.columns[column].Get(b.row, v)
}
