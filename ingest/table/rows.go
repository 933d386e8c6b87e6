package table

import "bytes"

// Rows are records of a table that follow each other, with the fields of the bound columns. They
// stay as they are when the Reader goes on, so that one goroutine can read while another one uses
// what was read. Of a record they keep what differs from the record before.
type Rows struct {
	columns int
	text    []byte
	fields  []span // of all records, only those that do not repeat
	records []record
	reasons []string // why records are broken, in their order

	at      int    // position of the present record, and 1
	used    int    // fields of the records up to it
	present []span // its fields
	broken  int    // broken records up to it
}

// A span is a part of the text.
type span struct{ from, to uint32 }

type record struct {
	same   uint64 // bits of the columns that repeat the record before
	line   int
	broken bool
	latin1 bool
	plain  bool // no field has a control character, nor needs decoding
}

// maxRecords bounds the records of Rows, which have no text if they repeat each other.
const maxRecords = 4096

// Fill replaces the rows by the next ones of r, until they have size bytes of text or are maxRecords. more is
// false if they are the last ones.
func (s *Rows) Fill(r *Reader, size int) (more bool) {
	s.reset(r)
	for len(s.text) < size && len(s.records) < maxRecords {
		if !r.Next() {
			return false
		}
		s.add(r)
	}
	return true
}

// Take replaces the rows by the present record of r alone, as its present one.
func (s *Rows) Take(r *Reader) {
	s.reset(r)
	s.add(r)
	s.Next()
}

func (s *Rows) reset(r *Reader) {
	s.columns = len(r.bound)
	s.text, s.fields, s.records, s.reasons = s.text[:0], s.fields[:0], s.records[:0], s.reasons[:0]
	s.Rewind()
}

// add adds the present record of r.
func (s *Rows) add(r *Reader) {
	now := record{line: r.line, latin1: r.latin1}
	var before *record
	if n := len(s.records); n > 0 && !s.records[n-1].broken {
		before = &s.records[n-1]
	}
	repeats := r.repeats
	if before == nil || now.latin1 { // the same bytes are another text then
		repeats = 0
	}
	text, fields := s.text, s.fields
	for i, column := range r.bound {
		if i < maxMarks && before != nil && (column < 0 || repeats>>column&1 == 1) {
			now.same |= 1 << i
			continue
		}
		from := uint32(len(text))
		if column >= 0 && column < len(r.fields) {
			f := r.fields[column]
			if n := len(f) - 1; n >= 0 && f[n] == '\r' { // of the line's end
				f = f[:n]
			}
			text = append(text, f...)
		}
		fields = append(fields, span{from, uint32(len(text))})
	}
	seen := repeats == r.repeats // by the Reader: it has not looked at fields that repeat
	now.plain = seen && r.special == 0 || !now.latin1 && !hasControl(text[len(s.text):])
	now.plain = now.plain && (repeats == 0 || before.plain)
	if why := r.Broken(); why != "" {
		now.broken, s.reasons = true, append(s.reasons, why)
	}
	s.text, s.fields, s.records = text, fields, append(s.records, now)
}

// Rewind goes back to before the first record.
func (s *Rows) Rewind() {
	s.at, s.used, s.broken = 0, 0, 0
	if len(s.present) != s.columns {
		s.present = make([]span, s.columns)
	}
}

// Next advances to the next record and reports whether there is one.
func (s *Rows) Next() bool {
	if s.at == len(s.records) {
		return false
	}
	now := &s.records[s.at]
	for i := range s.present {
		if now.same>>i&1 == 0 {
			s.present[i] = s.fields[s.used]
			s.used++
		}
	}
	s.at++
	if now.broken {
		s.broken++
	}
	return true
}

// Line returns the line on which the record begins.
func (s *Rows) Line() int { return s.records[s.at-1].line }

// Broken returns why the record is broken, "" if it is not.
func (s *Rows) Broken() string {
	if s.records[s.at-1].broken {
		return s.reasons[s.broken-1]
	}
	return ""
}

// Same returns the bits of the bound columns, by their numbers, whose fields repeat those of the last record
// that is not broken. A bit may be missing although the fields are equal: in the first of the rows, and for
// columns from 64. A caller that keeps what it made of the row before must look at every row that is not broken.
func (s *Rows) Same() uint64 { return s.records[s.at-1].same }

// Field returns a bound column of the record, trimmed and with blanks for control characters. It is
// empty if the table or the record lacks the column.
func (s *Rows) Field(i int) []byte {
	return bytes.TrimSpace(s.Raw(i))
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
	f := s.present[i]
	return s.text[f.from:f.to]
}

func (r *record) decode(f []byte) []byte {
	if r.latin1 && !ascii(f) {
		return decodeLatin1(f)
	}
	return f
}
