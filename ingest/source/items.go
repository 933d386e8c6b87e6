package source

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"

	"relais/ingest/items"
	"relais/ingest/table"
)

// Items describes a kind whose rows are the objects of a list in a JSON file.
type Items struct {
	List string // the member with the list, "" if the file is the list
	// Path, if it is not "", is where the rows are instead: see items.NewPathReader.
	Path string
	// Names are members of each row or of its properties. They identify the kind.
	Names []string
	// Columns are the members of a row that are read, Properties those of its properties.
	// A row with one of them twice is rejected.
	Columns, Properties []table.Column
	// Others are further members of published rows, or of their properties if the kind has Properties.
	Others []string
}

// maxSniffed bounds the search for a row that identifies the kind. The first rows may be
// broken or very large.
const maxSniffed = 4 * items.MaxItem

// maxSkipped bounds what may come before the rows at a path.
const maxSkipped = 64 << 20

// reader returns a reader of the rows.
func (k *Items) reader(in io.Reader, name string) (*items.Reader, error) {
	if k.Path != "" {
		return items.NewPathReader(in, name, k.Path)
	}
	return items.NewReader(in, name, k.List)
}

// itemLikeness returns the largest share of the names in a row. For a row with all names it
// is 1 plus their number.
func (in *Input) itemLikeness(k *Items) (best float64, err error) {
	f, err := in.open(nil)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	bound := int64(maxSniffed)
	if k.Path != "" {
		bound = maxSkipped
	}
	r, err := k.reader(io.LimitReader(f, bound), in.Name())
	for err == nil && best < 1 && r.Next() {
		var row map[string]json.RawMessage
		if json.Unmarshal(r.Bytes(), &row) == nil {
			best = max(best, k.share(row))
		}
	}
	if err == nil {
		err = r.Err()
	}
	if _, ok := errors.AsType[*items.Error](err); err != nil && !ok {
		return 0, fmt.Errorf("%s: %w", in.Name(), err)
	}
	return best, nil
}

// share returns the share of the names that a row has; see itemLikeness.
func (k *Items) share(row map[string]json.RawMessage) float64 {
	var properties map[string]json.RawMessage
	json.Unmarshal(row["properties"], &properties) // no properties are as good as no names
	n := 0
	for _, name := range k.Names {
		if _, ok := row[name]; ok {
			n++
		} else if _, ok := properties[name]; ok {
			n++
		}
	}
	if n == len(k.Names) {
		return 1 + float64(n)
	}
	return float64(n) / float64(len(k.Names))
}

// An ItemReader reads the rows of a JSON input and counts them.
type ItemReader struct {
	*items.Reader
	*Report
	in    io.Closer
	tally *tally
}

// ReadItems opens the input.
func (f *Found) ReadItems(watch Watch) (*ItemReader, error) {
	in, err := f.Open(watch)
	if err != nil {
		return nil, err
	}
	r, err := f.Kind.Items.reader(in, f.Name())
	if err != nil {
		in.Close()
		return nil, err
	}
	return &ItemReader{Reader: r, Report: NewReport(f), in: in, tally: newTally(f.Kind.Items)}, nil
}

// NextRow decodes the next row into *v, which it clears first. It rejects rows that do not
// fit v.
func (r *ItemReader) NextRow(v any) bool {
	for r.Next() {
		r.Rows++
		reflect.ValueOf(v).Elem().SetZero()
		if broken := r.Broken(); broken != "" {
			r.Reject(broken)
			continue
		}
		form := json.Unmarshal(r.Bytes(), v)
		twice := ""
		if form == nil || json.Valid(r.Bytes()) {
			twice = r.tally.addRow(r.Bytes())
		}
		switch {
		case form != nil:
			r.Reject("not in the form of the register")
		case twice != "":
			r.Reject("the column " + twice + " is there twice")
		default:
			return true
		}
	}
	return false
}

// Reject counts the current row as rejected for a reason.
func (r *ItemReader) Reject(reason string) { r.RejectAt(r.Line(), reason) }

// Done returns the report. Errors: the list has no row or lacks a required column.
func (r *ItemReader) Done() (*Report, error) {
	if err := r.Err(); err != nil {
		return nil, err
	}
	if r.Rows == 0 {
		return nil, fmt.Errorf("%s:1: the list has no row", r.Path)
	}
	var err error
	if r.Lacks, err = r.tally.lacks(r.Path); err != nil {
		return nil, err
	}
	r.Columns = r.tally.result()
	r.warnOfOdd()
	return r.Report, nil
}

// Close closes the input.
func (r *ItemReader) Close() error { return r.in.Close() }
