package source

import (
	"fmt"
	"io"
	"slices"

	"relais/ingest/table"
)

// A Reader reads an input of a known kind and counts its rows. Another goroutine splits the table into
// records, so that this and what the caller does with the rows run in parallel.
type Reader struct {
	*Report
	From  *Input
	kind  *Kind
	table *table.Reader // belongs to the other goroutine until the rows end, except its header
	queue *queue
	after func()      // nil for nothing
	rows  *table.Rows // nil before the first and after the last
	began bool
	sound int   // rows that are not broken
	empty []int // notable columns that were empty in all of them
}

// Read opens the input with the columns of its kind bound.
func (f *Found) Read(watch Watch) (*Reader, error) {
	t, in, err := f.openTable(watch)
	if err != nil {
		return nil, err
	}
	r := &Reader{Report: NewReport(f), From: f.Input, kind: f.Kind, table: t, queue: newQueue(t, in), after: f.AfterRead}
	for i := range f.Kind.Columns {
		if t.HasBound(i) && notable(&f.Kind.Columns[i]) {
			r.empty = append(r.empty, i)
		}
	}
	return r, nil
}

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
		if r.rows = r.queue.exchange(r.rows); r.rows == nil {
			return false
		}
	}
	return true
}

// NextRow advances to the next record that is not broken. It counts all records and
// rejects broken ones.
func (r *Reader) NextRow() bool {
	for r.Next() {
		r.Rows++
		broken := r.Broken()
		if broken == "" {
			r.Seen()
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

// HasBound reports whether the table has a bound column.
func (r *Reader) HasBound(i int) bool { return r.table.HasBound(i) }

// Seen counts a row that is not broken. NextRow calls it.
func (r *Reader) Seen() {
	r.sound++
	r.empty = slices.DeleteFunc(r.empty, func(i int) bool { return len(r.Field(i)) > 0 })
}

// Reject counts the current row as rejected for a reason.
func (r *Reader) Reject(reason string) { r.RejectAt(r.Line(), reason) }

// Done returns the report, after the last row. Errors: that of the reading; the table has no row, or a
// required column is empty in every row.
func (r *Reader) Done() (*Report, error) {
	if err := r.table.Err(); err != nil {
		return nil, err
	}
	if r.Rows == 0 {
		return nil, fmt.Errorf("%s:1: the table has a header and no row", r.Path)
	}
	if err := r.noteLacks(); err != nil {
		return nil, err
	}
	if r.table.Unended() {
		r.Warning = Unended
	}
	return r.Report, nil
}

// noteLacks adds missing and empty columns to the report. A required one that is empty is
// an error.
func (r *Reader) noteLacks() error {
	for i := range r.kind.Columns {
		c := &r.kind.Columns[i]
		there := r.table.HasBound(i)
		if !notable(c) || r.sound == 0 || there && !slices.Contains(r.empty, i) {
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
func (r *Reader) Close() error {
	err := r.queue.close()
	if r.after != nil && r.began && r.rows == nil {
		r.after()
		r.after = nil
	}
	return err
}
