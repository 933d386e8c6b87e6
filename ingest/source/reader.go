package source

import (
	"errors"
	"fmt"
	"io"

	"relais/ingest/table"
)

// A Reader reads an input of a known kind and counts its rows. Another goroutine splits the table into
// records, so that this and what the caller does with the rows run in parallel.
type Reader struct {
	*Report
	From  *Input
	Most  int // rows: with more of them NextRow ends, and Done returns ErrRows; 0 for any number
	kind  *Kind
	table *table.Reader // belongs to the other goroutine until the rows end, except its header
	queue *queue        // nil for a second reader
	rows  *table.Rows   // nil before the first and after the last
	began bool
	over  bool     // there are more than Most rows
	more  []string // names of the columns after those of the kind

	second *Reader       // gets the rows after this one, nil for none
	read   func(*Reader) // of a second reader: reads the rows that it has
	first  *Reader       // of a second reader: what read its rows before
	left   bool          // a second reader did not read all rows
}

// Read opens the input with the columns of its kind bound.
func (f *Found) Read(watch Watch) (*Reader, error) {
	t, in, err := f.openTable(watch)
	if err != nil {
		return nil, err
	}
	var more, personal []string
	if f.Kind.More > 0 {
		more, personal = t.BindMore(f.Kind.More, mayBePersonal)
	}
	r := f.newReader(t, more)
	r.WarnOfColumns("columns that may be about people, which archives do not keep", personal)
	r.queue = newQueue(t, in)
	if f.Second != nil {
		r.second = f.newReader(t, more)
		r.second.read, r.second.first = f.Second, r
	}
	return r, nil
}

func (f *Found) newReader(t *table.Reader, more []string) *Reader {
	return &Reader{Report: NewReport(f), From: f.Input, kind: f.Kind, table: t, more: more}
}

// More returns the names of columns that the kind does not know. Field has them after those of the kind.
func (r *Reader) More() []string { return r.more }

// openTable opens the input as a table with the columns of its kind bound.
func (f *Found) openTable(watch Watch) (*table.Reader, io.Closer, error) {
	in, err := f.Open(watch)
	if err != nil {
		return nil, nil, err
	}
	t, err := table.NewReader(in, f.Name(), f.Kind.Options)
	if err == nil {
		err = t.Bind(f.Kind.Columns)
	}
	if err == nil {
		err = f.Kind.checkPersonal(t, f.Name())
	}
	if err != nil {
		in.Close()
		return nil, nil, err
	}
	return t, in, nil
}

// At returns a Reader at the present record of a table, for its fields only.
func At(t *table.Reader) *Reader {
	r := &Reader{table: t, rows: &table.Rows{}}
	r.rows.Take(t)
	return r
}

// Next advances to the next record and reports whether there is one.
func (r *Reader) Next() bool {
	if r.rows == nil && r.began {
		return false
	}
	r.began = true
	for r.rows == nil || !r.rows.Next() {
		if r.first != nil {
			return false
		}
		r.share()
		if r.rows = r.queue.exchange(r.rows); r.rows == nil {
			return false
		}
	}
	return true
}

// share gives the rows that were read to the second reader.
func (r *Reader) share() {
	if r.second == nil || r.rows == nil {
		return
	}
	r.rows.Rewind()
	r.second.rows = r.rows
	r.second.read(r.second)
	for r.second.Next() {
		r.second.left = true
	}
}

// NextRow advances to the next record that is not broken. It counts all records and
// rejects broken ones.
func (r *Reader) NextRow() bool {
	for r.Next() {
		if r.over = r.Most > 0 && r.Rows == r.Most; r.over {
			return false
		}
		r.Rows++
		broken := r.Broken()
		if broken == "" {
			return true
		}
		r.Reject(broken)
	}
	return false
}

// Line returns the line on which the row begins.
func (r *Reader) Line() int { return r.rows.Line() }

// Broken returns why it is unknown which field of the row belongs to which column, "" if it is known.
func (r *Reader) Broken() string { return r.rows.Broken() }

// Field returns a bound column of the row, trimmed and with blanks for control characters.
// It is empty if the table or the row lacks the column. It is valid until the next row.
func (r *Reader) Field(i int) []byte { return r.rows.Field(i) }

// Raw is Field without trimming.
func (r *Reader) Raw(i int) []byte { return r.rows.Raw(i) }

// Same returns the bits of the columns, by their numbers, whose fields repeat those of the last row that is not
// broken. A bit may be missing although the fields are equal.
func (r *Reader) Same() uint64 { return r.rows.Same() }

// HasBound reports whether the table has a bound column.
func (r *Reader) HasBound(i int) bool { return r.table.HasBound(i) }

// Reject counts the current row as rejected for a reason.
func (r *Reader) Reject(reason string) { r.RejectAt(r.Line(), reason) }

// Done returns the report, after the last row. Errors: ErrRows; that of the reading; the table has no row, or a
// required column is empty in every row.
func (r *Reader) Done() (*Report, error) {
	if r.over {
		return nil, ErrRows
	}
	if r.left || r.first != nil && (!r.first.began || r.first.rows != nil) {
		return nil, errStopped
	}
	if err := r.table.Err(); err != nil {
		return nil, err
	}
	if r.Rows == 0 {
		return nil, fmt.Errorf("%s:1: the table has a header and no row", r.Path)
	}
	if err := r.noteLacks(); err != nil {
		return nil, err
	}
	r.kind.Note(r.Report, r.table)
	return r.Report, nil
}

// noteLacks adds missing and empty columns to the report. A required one that is empty is
// an error.
func (r *Reader) noteLacks() error {
	for i := range r.kind.Columns {
		c := &r.kind.Columns[i]
		there := r.table.HasBound(i)
		if !notable(c) || r.table.Sound() == 0 || r.table.Filled(i) {
			continue
		}
		l, fatal := newLack(c, there, r.table.Written(i))
		if fatal && there {
			return l.asError(r.Path)
		}
		r.Lacks = append(r.Lacks, l)
	}
	return nil
}

// Close closes the input.
func (r *Reader) Close() error { return r.queue.close() }

// errStopped is the error of a second reader if it or the first one stopped before the end.
var errStopped = errors.New("the reading was stopped")
