package table

import (
	"bufio"
	"bytes"
	"io"
)

// A Name is a column's name in the form for comparison.
type Name string

// NameOf returns the name of a column that a file writes so.
func NameOf(written string) Name { return Name(canonical(written)) }

// Matches reports whether a name as written in a file is the same.
func (n Name) Matches(name string) bool { return string(n) == canonical(name) }

// Blank copies a table with a header to w. Columns for which drop returns true become
// empty. A broken record becomes a line with one field, because its fields may be in the
// wrong columns.
func Blank(w io.Writer, in io.Reader, name string, opt Options, drop func(column Name) bool) error {
	r, err := NewReader(in, name, opt)
	if err != nil {
		return err
	}
	blank := make([]bool, r.width)
	for i, h := range r.header {
		blank[i] = drop(Name(h))
	}
	out := bufio.NewWriterSize(w, MaxRecord)
	r.writeRecord(out, make([]bool, r.width))
	for r.Next() {
		if r.Whole() {
			r.writeRecord(out, blank)
		} else {
			out.WriteString("-\n")
		}
	}
	if r.Err() != nil {
		return r.Err()
	}
	return out.Flush() // returns the error of any write
}

// writeRecord writes the record with some fields blank.
func (r *Reader) writeRecord(out *bufio.Writer, blank []bool) {
	for i, f := range r.fields {
		if i > 0 {
			out.WriteByte(r.opt.Comma)
		}
		switch {
		case blank[i]:
		case r.needsQuotes(f):
			out.WriteByte('"')
			out.Write(bytes.ReplaceAll(f, []byte(`"`), []byte(`""`)))
			out.WriteByte('"')
		default:
			out.Write(f)
		}
	}
	out.WriteByte('\n')
}

func (r *Reader) needsQuotes(f []byte) bool {
	for _, c := range f {
		if c == r.opt.Comma || c == '"' || c == '\n' {
			return true
		}
	}
	return false
}
