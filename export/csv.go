package export

import (
	"bytes"
	"io"
	"strconv"

	"relais/internal/jsontext"
)

// CSV is the format of RFC 4180 in UTF-8: a line with the names of the columns, then a line for each row,
// which end with CR LF. What is not stated is an empty cell. What a spreadsheet would take for a formula in a text,
// because = + - @, a tab or CR is at the beginning or after a place where some spreadsheet splits cells, has an
// apostrophe before it. Numbers stay numbers. Elements of a list are joined by a semicolon.
type CSV struct {
	BOM bool // begins with a byte order mark
	// Semicolon is for Excel in French: cells are separated by semicolons, numbers have a decimal comma, and
	// elements of a list are joined by a bar.
	Semicolon bool
}

// bufferBytes is the size of pieces that writers write.
const bufferBytes = 64 << 10

// Write writes a table.
func (f CSV) Write(w io.Writer, t *Table) error {
	separator, list := byte(','), byte(';')
	if f.Semicolon {
		separator, list = ';', '|'
	}
	c := csvWriter{separator: separator, list: list, buf: make([]byte, 0, bufferBytes+4<<10)}
	c.special['"'], c.special['\r'], c.special['\n'], c.special[separator] = true, true, true, true
	if f.BOM {
		c.buf = append(c.buf, "\ufeff"...)
	}
	for i, h := range t.Columns {
		if i > 0 {
			c.buf = append(c.buf, separator)
		}
		c.text(h.Name)
	}
	c.buf = append(c.buf, "\r\n"...)
	for r := range t.Rows {
		c.row(t, r)
		if len(c.buf) >= bufferBytes {
			if _, err := w.Write(c.buf); err != nil {
				return err
			}
			c.buf = c.buf[:0]
		}
	}
	_, err := w.Write(c.buf)
	return err
}

type csvWriter struct {
	separator, list byte
	special         [256]bool // bytes for which a text is quoted
	buf, joined     []byte
	safe            []byte // a text with apostrophes
	value           Value
}

func (c *csvWriter) row(t *Table, r Row) {
	for i := range t.Columns {
		if i > 0 {
			c.buf = append(c.buf, c.separator)
		}
		if r.Cell(i, &c.value); !c.value.Null {
			c.cell(t.Columns[i].Type)
		}
	}
	c.buf = append(c.buf, "\r\n"...)
}

func (c *csvWriter) cell(t Type) {
	v := &c.value
	switch t {
	case Text:
		c.protected(v.Text)
	case Whole:
		c.buf = strconv.AppendInt(c.buf, v.Whole, 10)
	case Number:
		c.number(v.Number)
	case Boolean:
		c.buf = strconv.AppendBool(c.buf, v.Boolean)
	case Date:
		c.buf = v.Date.Append(c.buf)
	case Time:
		c.buf = v.Time.UTC().AppendFormat(c.buf, timeFormat)
	case Texts:
		c.joined = c.joined[:0]
		for i, text := range v.Texts {
			if i > 0 {
				c.joined = append(c.joined, c.list)
			}
			c.joined = append(c.joined, text...)
		}
		c.protected(string(c.joined))
	case Wholes:
		for i, n := range v.Wholes {
			if i > 0 {
				c.buf = append(c.buf, c.list)
			}
			c.buf = strconv.AppendInt(c.buf, n, 10)
		}
	case Numbers:
		for i, x := range v.Numbers {
			if i > 0 {
				c.buf = append(c.buf, c.list)
			}
			c.number(x)
		}
	}
}

func (c *csvWriter) number(x float64) {
	n := len(c.buf)
	c.buf = jsontext.AppendNumber(c.buf, x)
	if c.separator == ';' {
		if point := bytes.IndexByte(c.buf[n:], '.'); point >= 0 {
			c.buf[n+point] = ','
		}
	}
}

// timeFormat is the format of times, as in the API.
const timeFormat = "2006-01-02T15:04:05.000Z"

// Excel splits a file at semicolons in French and at commas in English, whatever is in quotes there, because it does
// not take a quotation mark within a cell for one. LibreOffice offers both, and tabs.
var beginsFormula, splits [256]bool

func init() {
	for _, b := range []byte("=+-@\t\r") {
		beginsFormula[b] = true
	}
	for _, b := range []byte(",;\t\r\n") {
		splits[b] = true
	}
}

// protected appends a text. No spreadsheet takes a part of it for a formula, wherever it splits.
func (c *csvWriter) protected(s string) {
	c.safe = c.safe[:0]
	kept, begins := 0, true
	for i := range len(s) {
		if begins && beginsFormula[s[i]] {
			c.safe = append(append(c.safe, s[kept:i]...), '\'')
			kept = i
		}
		begins = splits[s[i]] || begins && s[i] == '"' // an empty text in quotes may stand before it
	}
	if len(c.safe) > 0 {
		s = string(append(c.safe, s[kept:]...))
	}
	c.text(s)
}

// text appends a text, in quotes where it needs them.
func (c *csvWriter) text(s string) {
	for i := range len(s) {
		if c.special[s[i]] {
			c.quoted(s)
			return
		}
	}
	c.buf = append(c.buf, s...)
}

func (c *csvWriter) quoted(s string) {
	c.buf = append(c.buf, '"')
	for i := range len(s) {
		if s[i] == '"' {
			c.buf = append(c.buf, '"')
		}
		c.buf = append(c.buf, s[i])
	}
	c.buf = append(c.buf, '"')
}
