// Package table reads delimited text as authorities publish it: any usual separator, quoted
// fields, a byte order mark, CRLF, UTF-8 or Windows-1252, columns found by name. It streams:
// memory does not grow with the file. It does not know what columns mean.
package table

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// MaxRecord is the largest size of a record in bytes, and maxFeeds the largest number of line
// feeds inside quotes. Beyond them a quote is a stray one.
const (
	MaxRecord = 1 << 16
	maxFeeds  = 16
)

// Options describe how a table is written.
type Options struct {
	// NoHeader: the first line is a record; columns are identified by position.
	NoHeader bool
	// OptionalHeader: the first line is a header if it has half of the columns to bind;
	// else NoHeader applies.
	OptionalHeader bool
	// Comment begins lines to skip, also before the header; 0: no comments. A table with
	// comments needs Comma.
	Comment byte
	// Comma is the separator; 0: detect it in the first line.
	Comma byte
	// UTF8 refuses a table with a line that is not UTF-8. Otherwise such a line is read
	// as Windows-1252.
	UTF8 bool
	// OneLine: every record is one line, and quotes enclose a field or are inside it. A
	// quote that is open at the end of a line, or closed before the end of its field, is
	// a stray one and makes the record broken: it could join records or split fields.
	OneLine bool
	// Shifted, for tables with a header, returns a test of whether the fields of a record
	// are in the wrong columns. at returns the index of a column, -1 if the table lacks
	// it. The test gets the fields as written. nil: no test.
	Shifted func(at func(Column) int) (test func(fields [][]byte) bool)
}

// An Error ends the reading of a table.
type Error struct {
	Name string
	Line int
	What string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.Name, e.Line, e.What) }

// A Reader reads the records of a table one after the other.
type Reader struct {
	columns
	in            io.Reader
	name          string
	opt           Options
	buf           []byte
	pos           int // start of the next record in buf
	end           int // end of what was read into buf
	eof           bool
	line          int // of the record
	next          int // of the record after it
	fields        [][]byte
	starts        []int  // where each field begins in the record, and where the record ends
	raw           []byte // the record, nil if the next one cannot be compared with it
	before        repeatable
	repeats       uint64 // bits of the first maxMarks fields: those that repeat fields of before
	special       int    // bytes that are not printable ASCII, in the fields that do not repeat
	width         int    // fields of the header
	latin1        bool
	sound         int    // records that are not broken
	valueless     []int  // columns without a value in any of them
	stray         bool   // the record has a stray quote
	broken        string // why the record is, see Broken
	shifted       func(fields [][]byte) bool
	firstIsRecord bool // the first line turned out to be a record: Next returns it first
	unended       bool // only the last record has no line feed
	err           error
}

// NewReader reads the header. name is the table's name in errors.
func NewReader(in io.Reader, name string, opt Options) (*Reader, error) {
	size := 4 * MaxRecord
	if memory, ok := in.(interface{ Len() int }); ok {
		size = min(size, memory.Len()+1)
	}
	r := &Reader{in: in, name: name, opt: opt, buf: make([]byte, size), next: 1}
	for !r.eof && r.end < MaxRecord && bytes.IndexByte(r.buf[:r.end], '\n') < 0 { // the first line, whole
		if err := r.fill(); err != nil {
			return nil, err
		}
	}
	if bytes.HasPrefix(r.buf[:r.end], []byte("\xef\xbb\xbf")) {
		r.pos = 3
	}
	if r.pos == r.end {
		return nil, r.fail(1, "the file is empty")
	}
	if opt.Comma == 0 {
		r.opt.Comma = separator(r.buf[r.pos:r.end])
	}
	if opt.NoHeader {
		return r, nil
	}
	if !r.Next() {
		if r.err != nil {
			return nil, r.err
		}
		return nil, r.fail(1, "the file is empty")
	}
	r.width = len(r.fields)
	for i := range r.fields {
		name := string(r.field(i))
		r.header, r.written = append(r.header, canonical(name)), append(r.written, strings.Trim(name, blanks))
	}
	r.countFrom(r.width)
	if opt.Shifted != nil {
		r.shifted = opt.Shifted(r.find)
	}
	return r, nil
}

// Embedded opens a small table of fsys and binds the columns.
func Embedded(fsys fs.FS, name string, cols []Column) (*Reader, error) {
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	r, err := NewReader(bytes.NewReader(text), name, Options{})
	if err != nil {
		return nil, err
	}
	return r, r.Bind(cols)
}

// separator returns the most frequent separator of the first line.
func separator(b []byte) byte {
	line, _, _ := bytes.Cut(b, []byte("\n"))
	best, most := byte(';'), 0
	for _, c := range []byte(";,\t|") {
		if n := bytes.Count(line, []byte{c}); n > most {
			best, most = c, n
		}
	}
	return best
}

// Next advances to the next record and reports whether there is one. It skips empty lines.
func (r *Reader) Next() bool {
	if r.firstIsRecord {
		r.firstIsRecord = false
		r.judge()
		return r.err == nil
	}
	r.remember()
	for r.err == nil {
		if r.pos >= r.end && r.eof {
			return false
		}
		r.line = r.next
		if r.record() && r.err == nil && !r.empty() {
			r.judge()
			return true
		}
	}
	return false
}

// empty reports whether the record is an empty line.
func (r *Reader) empty() bool { return len(r.fields) == 1 && len(bytes.TrimSpace(r.fields[0])) == 0 }

// Err returns the *Error or input error that ended the reading.
func (r *Reader) Err() error { return r.err }

// Line returns the line on which the record begins.
func (r *Reader) Line() int { return r.line }

// Unended reports, at the end, whether only the last record has no line feed: the file may
// have been cut inside its last field.
func (r *Reader) Unended() bool { return r.unended }

// Broken returns why it is unknown which field of the record belongs to which column, "" if
// it is known.
func (r *Reader) Broken() string { return r.broken }

// judge finds out whether the record is broken, and if not, which columns have a value.
func (r *Reader) judge() {
	if r.broken = r.whyBroken(); r.broken == "" {
		r.countValues()
	}
}

func (r *Reader) whyBroken() string {
	switch {
	case r.stray:
		return "broken record"
	case len(r.fields) != r.width:
		return "wrong number of columns"
	case r.shifted != nil && r.shifted(r.fields):
		return "shifted columns"
	}
	return ""
}

// Whole reports whether the record is not broken.
func (r *Reader) Whole() bool { return r.Broken() == "" }

// Field returns a bound column of the record, trimmed. It is empty if the table or the
// record lacks the column. It is valid until Next.
func (r *Reader) Field(i int) []byte {
	if i = r.bound[i]; i < 0 || i >= len(r.fields) {
		return nil
	}
	return r.field(i)
}

// Raw is Field without trimming.
func (r *Reader) Raw(i int) []byte {
	if i = r.bound[i]; i < 0 || i >= len(r.fields) {
		return nil
	}
	return r.text(bytes.TrimSuffix(r.fields[i], []byte("\r"))) // of the line's end
}

func (r *Reader) field(i int) []byte { return r.text(bytes.TrimSpace(r.fields[i])) }

// text decodes a field.
func (r *Reader) text(f []byte) []byte {
	if r.latin1 && !ascii(f) {
		return decodeLatin1(f)
	}
	return f
}

func decodeLatin1(f []byte) []byte {
	// An undefined byte of Windows-1252 becomes U+FFFD; nothing else can fail.
	decoded, _ := charmap.Windows1252.NewDecoder().Bytes(f)
	return decoded
}

func ascii(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func (r *Reader) fail(line int, what string) error {
	r.err = &Error{r.name, line, what}
	return r.err
}

// fill reads more of the record into buf.
func (r *Reader) fill() error {
	r.before.forget() // it was in the buffer
	if r.pos > 0 {
		copy(r.buf, r.buf[r.pos:r.end])
		r.pos, r.end = 0, r.end-r.pos
	}
	for r.end < len(r.buf) && !r.eof {
		n, err := r.in.Read(r.buf[r.end:])
		r.end += n
		if err == io.EOF {
			r.eof = true
		} else if err != nil {
			r.err = fmt.Errorf("%s:%d: %w", r.name, r.next, err)
			return r.err
		}
		if n > 0 {
			break
		}
	}
	return nil
}
