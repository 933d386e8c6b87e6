package table

import (
	"bufio"
	"bytes"
	"io"
)

// A Name is the name of a column in the form in which names are compared.
type Name string

// Is tells whether a column with a name as files or programs write it has this one.
func (n Name) Is(name string) bool { return string(n) == canonical(name) }

// Blank copies a table with a header to w, with the fields of those columns empty that
// drop tells by their names. What is in the fields of a broken record is not known: it
// becomes a line that has one field.
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
	r.write(out, make([]bool, r.width))
	for r.Next() {
		if r.Whole() {
			r.write(out, blank)
		} else {
			out.WriteString("-\n")
		}
	}
	if r.Err() != nil {
		return r.Err()
	}
	return out.Flush() // says what any write said
}

// write writes the record as it was read, but for blank fields.
func (r *Reader) write(out *bufio.Writer, blank []bool) {
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
