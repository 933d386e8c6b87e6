package source

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"

	"relais/ingest/items"
)

// Items describes a kind whose rows are the objects of a list in a JSON file.
type Items struct {
	List string // the member that is the list, "" when the file is the list
	// Names are members of each row, or of its properties: by them the kind is
	// known.
	Names []string
}

// itemLikeness is the share of the names that the first row has that can be read.
func itemLikeness(head []byte, k *Items) float64 {
	r, err := items.NewReader(bytes.NewReader(head), "", k.List)
	if err != nil {
		return 0
	}
	var row map[string]json.RawMessage
	for json.Unmarshal(r.Bytes(), &row) != nil { // of the first row that can be read
		if !r.Next() {
			return 0
		}
	}
	var properties map[string]json.RawMessage
	json.Unmarshal(row["properties"], &properties) // none is as good as no name
	n := 0
	for _, name := range k.Names {
		if _, ok := row[name]; ok {
			n++
		} else if _, ok := properties[name]; ok {
			n++
		}
	}
	share := float64(n) / float64(len(k.Names))
	if n == len(k.Names) {
		return 1 + float64(n)
	}
	return share
}

// An ItemReader reads the rows of a JSON input and keeps the account of them.
type ItemReader struct {
	*items.Reader
	*Report
	in io.Closer
}

// ReadItems opens the input.
func (f *Found) ReadItems(watch Watch) (*ItemReader, error) {
	in, err := f.Open(watch)
	if err != nil {
		return nil, err
	}
	r, err := items.NewReader(in, f.Name(), f.Kind.Items.List)
	if err != nil {
		in.Close()
		return nil, err
	}
	return &ItemReader{Reader: r, Report: NewReport(f), in: in}, nil
}

// NextRow decodes the next row into what v points to, which it clears first: what a
// row does not have is never another's. A row that is none of v is rejected.
func (r *ItemReader) NextRow(v any) bool {
	for r.Next() {
		r.Rows++
		reflect.ValueOf(v).Elem().SetZero()
		if broken := r.Broken(); broken != "" {
			r.Reject(broken)
			continue
		}
		if json.Unmarshal(r.Bytes(), v) == nil {
			return true
		}
		r.Reject("not in the form of the register")
	}
	return false
}

// Reject counts the current row as not served, for a reason.
func (r *ItemReader) Reject(reason string) { r.RejectAt(r.Line(), reason) }

// Done returns the account; a list without a row is an error.
func (r *ItemReader) Done() (*Report, error) {
	if err := r.Err(); err != nil {
		return nil, err
	}
	if r.Rows == 0 {
		return nil, fmt.Errorf("%s:1: the list has no row", r.Path)
	}
	return r.Report, nil
}

// Close closes the input.
func (r *ItemReader) Close() error { return r.in.Close() }
