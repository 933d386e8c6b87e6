package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"relais/ingest/table"
	"relais/market"
	"relais/snapshot"
)

// A Kind is a kind of table that a parser reads: delimited text, or a list in a
// JSON file.
type Kind struct {
	Name    string // in reports: "anfr-observatoire"
	Items   *Items // nil for delimited text, which what follows is about
	Columns []table.Column
	Options table.Options
	// Sniff, for tables without a header, tells by the first record whether a
	// file is of the kind.
	Sniff func(fields *table.Reader) bool
	// Slot tells apart inputs of one kind that stand side by side, such as two
	// regions of one publication, by the first record; nil when there is one.
	Slot func(first *table.Reader) string
	// Many: several inputs of the kind may be read together.
	Many bool
	// Personal names columns of personal data, which is on no disk of ours: in the
	// copy of an input that is kept they are empty.
	Personal []string
	// Private: people write such files, so that of columns that are not in Columns
	// nothing is kept either.
	Private bool
}

// A Build turns inputs into one snapshot for each market, with an account of
// each input. A market without a site has an empty Builder.
type Build func(files []Found, markets []*market.Market, watch Watch) ([]*snapshot.Builder, []*Report, error)

// Found is an input whose kind is known.
type Found struct {
	*Input
	Kind *Kind
	Slot string
}

// Detect tells the kind of the input by its content; a nil Kind says that it is
// none of them. A file that lacks columns of its kind is still of the kind:
// Open names them.
func Detect(in *Input, kinds []*Kind) (Found, error) {
	head, err := in.head()
	if err != nil {
		return Found{}, err
	}
	best, score := (*Kind)(nil), 0.0
	for _, k := range kinds {
		s := 0.0
		if k.Items != nil {
			if s, err = in.itemLikeness(k.Items); err != nil {
				return Found{}, err
			}
		} else {
			s = likeness(head, k)
		}
		if s > score {
			best, score = k, s
		}
	}
	// A file that the user named is of a kind when half of it is there, so that what
	// is missing can be named; one that only lies beside others must have more.
	if score < 0.5 || score == 0.5 && in.Within != "" {
		return Found{Input: in}, nil
	}
	found := Found{Input: in, Kind: best}
	if best.Slot == nil { // JSON has none
		return found, nil
	}
	r, err := found.Read(nil)
	if err != nil {
		if _, ok := errors.AsType[*table.Error](err); ok {
			return found, nil // the parser will say it
		}
		return Found{}, err
	}
	defer r.Close()
	if r.Next() {
		found.Slot = best.Slot(r.Reader)
	}
	return found, nil
}

// head returns the beginning of the input: enough for a header and a record.
func (in *Input) head() ([]byte, error) {
	f, err := in.open(nil)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, 2*table.MaxRecord)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("%s: %w", in.Name(), err)
	}
	return head[:n], nil
}

// likeness is the share of the kind's columns that are there; for a table with all
// that the kind needs, 1 and the number of its columns. What cannot be read as a
// table is like none.
func likeness(head []byte, k *Kind) float64 {
	opt := k.Options
	opt.UTF8 = false // a wrong byte in the header does not change what it is
	t, err := table.NewReader(bytes.NewReader(head), "", opt)
	if err != nil {
		return 0
	}
	bound := t.Bind(k.Columns) == nil
	switch share := t.Score(k.Columns); {
	case !t.Named() && bound && k.Sniff != nil && t.Next() && k.Sniff(t):
		return 1 + float64(len(k.Columns))
	case bound && t.Named():
		return 1 + share*float64(len(k.Columns))
	default: // 0 without a header
		return share
	}
}

// A Reader reads an input of a known kind and keeps the account of its rows.
type Reader struct {
	*table.Reader
	*Report
	From *Input
	in   io.Closer
}

// Read opens the input with the columns of its kind bound.
func (f *Found) Read(watch Watch) (*Reader, error) {
	in, err := f.Open(watch)
	if err != nil {
		return nil, err
	}
	t, err := table.NewReader(in, f.Name(), f.Kind.Options)
	if err == nil {
		err = t.Bind(f.Kind.Columns)
	}
	if err != nil {
		in.Close()
		return nil, err
	}
	return &Reader{Reader: t, Report: NewReport(f), From: f.Input, in: in}, nil
}

// CopyTo copies the input to w, unpacked and without the personal data of its kind.
func (f *Found) CopyTo(w io.Writer, watch Watch) error {
	in, err := f.Open(watch)
	if err != nil {
		return err
	}
	defer in.Close()
	if len(f.Kind.Personal) == 0 && !f.Kind.Private {
		_, err = io.Copy(w, in)
		return err
	}
	return table.Blank(w, in, f.Name(), f.Kind.Options, f.Kind.drops)
}

// drops tells whether nothing of a column is kept.
func (k *Kind) drops(column table.Name) bool {
	known := slices.ContainsFunc(k.Columns, func(c table.Column) bool { return column.Is(c.Name) || slices.ContainsFunc(c.Aliases, column.Is) })
	return k.Private && !known || slices.ContainsFunc(k.Personal, column.Is)
}

// NextRow goes to the next record, counts it, and rejects it when it is broken.
func (r *Reader) NextRow() bool {
	for r.Next() {
		r.Rows++
		broken := r.Broken()
		if broken == "" {
			return true
		}
		r.Reject(broken)
	}
	return false
}

// Reject counts the current row as not served, for a reason.
func (r *Reader) Reject(reason string) { r.RejectAt(r.Line(), reason) }

// Done returns the account; a table without a row is an error.
func (r *Reader) Done() (*Report, error) {
	if err := r.Err(); err != nil {
		return nil, err
	}
	if r.Rows == 0 {
		return nil, fmt.Errorf("%s:1: the table has a header and no row", r.Path)
	}
	if r.Unended() {
		r.Warning = Unended
	}
	return r.Report, nil
}

// Close closes the input.
func (r *Reader) Close() error { return r.in.Close() }
