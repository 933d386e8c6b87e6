package table

import "bytes"

// Rows are records of a table that follow each other, with the fields of the bound columns. They
// stay as they are when the Reader goes on, so that one goroutine can read while another one uses
// what was read.
type Rows struct {
	columns int
	text    []byte
	ends    []uint32 // where each field ends in text
	records []record
	at      int // position of the present record, and 1
}

type record struct {
	line   int
	broken string
	latin1 bool
	plain  bool // no field has a control character, nor needs decoding
}

// Fill replaces the rows by the next ones of r, with at least size bytes of text. more is false if
// they are the last ones.
func (s *Rows) Fill(r *Reader, size int) (more bool) {
	s.columns, s.at = len(r.bound), 0
	s.text, s.ends, s.records = s.text[:0], s.ends[:0], s.records[:0]
	for len(s.text) < size {
		if !r.Next() {
			return false
		}
		s.add(r)
	}
	return true
}

// Take replaces the rows by the present record of r alone, as its present one.
func (s *Rows) Take(r *Reader) {
	*s = Rows{columns: len(r.bound), at: 1}
	s.add(r)
}

func (s *Rows) add(r *Reader) {
	text, ends := s.text, s.ends
	for _, i := range r.bound {
		if i >= 0 && i < len(r.fields) {
			f := r.fields[i]
			if n := len(f) - 1; n >= 0 && f[n] == '\r' { // of the line's end
				f = f[:n]
			}
			text = append(text, f...)
		}
		ends = append(ends, uint32(len(text)))
	}
	plain := !r.latin1 && !hasControl(text[len(s.text):])
	s.text, s.ends = text, ends
	s.records = append(s.records, record{line: r.line, broken: r.Broken(), latin1: r.latin1, plain: plain})
}

// Next advances to the next record and reports whether there is one.
func (s *Rows) Next() bool {
	if s.at == len(s.records) {
		return false
	}
	s.at++
	return true
}

// Line and Broken are those of Reader.
func (s *Rows) Line() int { return s.records[s.at-1].line }

// Broken returns why the record is broken, "" if it is not.
func (s *Rows) Broken() string { return s.records[s.at-1].broken }

// Field returns a bound column of the record, trimmed and with blanks for control characters. It is
// empty if the table or the record lacks the column.
func (s *Rows) Field(i int) []byte {
	f := bytes.TrimSpace(s.field(i))
	if now := &s.records[s.at-1]; !now.plain {
		f = bytes.TrimSpace(WithoutControls(now.decode(f)))
	}
	return f
}

// Raw is Field without trimming.
func (s *Rows) Raw(i int) []byte {
	f := s.field(i)
	if now := &s.records[s.at-1]; !now.plain {
		f = WithoutControls(now.decode(f))
	}
	return f
}

func (s *Rows) field(i int) []byte {
	k := (s.at-1)*s.columns + i
	from := uint32(0)
	if k > 0 {
		from = s.ends[k-1]
	}
	return s.text[from:s.ends[k]]
}

func (r *record) decode(f []byte) []byte {
	if r.latin1 && !ascii(f) {
		return decodeLatin1(f)
	}
	return f
}
