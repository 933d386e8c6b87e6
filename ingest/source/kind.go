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
	// Others are columns that published files have and nobody reads. A file is known
	// by them too.
	Others  []string
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
	// Private: of columns that are neither in Columns nor in Others nothing is kept
	// either: they may be personal.
	Private bool
	// Whole names a column: of a file that has it, Columns, Others and Personal are all
	// columns, as far as is known. "" where that cannot be said.
	Whole string
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

// Detect returns the input with its kind, which its content says: of the kinds that it
// may be of, the one that knows the most of the input's own columns. A nil Kind says
// that it is of none. A file that lacks columns of its kind is still of the kind: Read
// names them.
func Detect(in *Input, kinds []*Kind) (Found, error) {
	head, err := in.head()
	if err != nil {
		return Found{}, err
	}
	var best *Kind
	var most likeness
	for _, k := range kinds {
		var l likeness
		if k.Items != nil {
			share, err := in.itemLikeness(k.Items)
			if err != nil {
				return Found{}, err
			}
			l = likeness{share: share}
		} else {
			l = likenessOf(head, k)
		}
		if l.enough(in) && (best == nil || l.more(most)) {
			best, most = k, l
		}
	}
	if best == nil {
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

// A likeness says how much of an input and of a kind agree.
type likeness struct {
	whole bool    // all is there that the kind needs
	known int     // columns of the input that the kind names
	own   float64 // their share of the input's columns
	share float64 // of the kind's columns, those that are there
}

// fewColumns is so few that files of any kind may have them.
const fewColumns = 3

// enough reports whether the input may be of the kind. One that the user named is, when
// half of the kind's columns are there or half of its own are the kind's, so that what
// is missing can be named; one that only lies beside others must have more.
func (l likeness) enough(in *Input) bool {
	share := l.share
	if l.known > fewColumns {
		share = max(share, l.own)
	}
	return l.whole || share > 0.5 || share == 0.5 && in.Within == ""
}

// more reports whether an input is rather of this kind than of another one.
func (l likeness) more(than likeness) bool {
	switch {
	case l.known != than.known:
		return l.known > than.known
	case l.whole != than.whole:
		return l.whole
	}
	return l.share > than.share
}

// likenessOf compares a table with a kind. What cannot be read as a table is like none.
func likenessOf(head []byte, k *Kind) likeness {
	opt := k.Options
	opt.UTF8 = false // a wrong byte in the header does not change what it is
	t, err := table.NewReader(bytes.NewReader(head), "", opt)
	if err != nil {
		return likeness{}
	}
	known := t.Names(k.Columns) + t.Names(columnsOf(k.Others))
	bound := t.Bind(k.Columns) == nil
	if t.Named() {
		return likeness{bound, known, float64(known) / float64(t.Width()), t.Score(k.Columns)}
	}
	if bound && k.Sniff != nil && t.Next() && k.Sniff(t) {
		return likeness{true, len(k.Columns), 1, 1}
	}
	return likeness{}
}

func columnsOf(names []string) []table.Column {
	list := make([]table.Column, len(names))
	for i, name := range names {
		list[i].Name = name
	}
	return list
}

// A Reader reads an input of a known kind and keeps the account of its rows.
type Reader struct {
	*table.Reader
	*Report
	From  *Input
	in    io.Closer
	kind  *Kind
	sound int   // rows that are not broken
	empty []int // of the columns that matter, those that were empty in all of them
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
	if err == nil {
		err = f.Kind.checkPersonal(t, f.Name())
	}
	if err != nil {
		in.Close()
		return nil, err
	}
	r := &Reader{Reader: t, Report: NewReport(f), From: f.Input, in: in, kind: f.Kind}
	for i := range f.Kind.Columns {
		if t.Has(i) && notable(&f.Kind.Columns[i]) {
			r.empty = append(r.empty, i)
		}
	}
	return r, nil
}

// checkPersonal refuses a table whose columns are all known when it has a column of personal
// data twice, or lacks one and has a column that is not known: that one may be the same under
// another name.
func (k *Kind) checkPersonal(t *table.Reader, path string) error {
	if k.Whole == "" || !t.Lists(k.Whole) {
		return nil
	}
	if err := t.Once(k.Personal...); err != nil {
		return err
	}
	unknown := t.Unknown(slices.Concat(k.Columns, columnsOf(k.Others), columnsOf(k.Personal)))
	for _, name := range k.Personal {
		if len(unknown) > 0 && !t.Lists(name) {
			return fmt.Errorf("%s:1: the column %s is missing, and the file has a column %q that is not known: "+
				"it may be the same one, and personal data is not taken in", path, name, unknown[0])
		}
	}
	return nil
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

// drops reports whether nothing of a column is kept.
func (k *Kind) drops(column table.Name) bool {
	if slices.ContainsFunc(k.Personal, column.Is) {
		return true
	}
	return k.Private && !slices.ContainsFunc(k.Others, column.Is) &&
		!slices.ContainsFunc(k.Columns, func(c table.Column) bool {
			return column.Is(c.Name) || slices.ContainsFunc(c.Aliases, column.Is)
		})
}

// NextRow goes to the next record, counts it, and rejects it when it is broken.
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

// Field returns a bound column of the row, without blanks at its ends and with blanks for
// control characters, empty when the table or the row lacks it. It is valid until the
// next row.
func (r *Reader) Field(i int) []byte {
	return bytes.TrimSpace(table.WithoutControls(r.Reader.Field(i)))
}

// Raw is Field with the blanks at its ends.
func (r *Reader) Raw(i int) []byte { return table.WithoutControls(r.Reader.Raw(i)) }

// Seen notes a row that is not broken; NextRow does.
func (r *Reader) Seen() {
	r.sound++
	r.empty = slices.DeleteFunc(r.empty, func(i int) bool { return len(r.Field(i)) > 0 })
}

// Reject counts the current row as not served, for a reason.
func (r *Reader) Reject(reason string) { r.RejectAt(r.Line(), reason) }

// Done returns the account. A table without a row is an error, and so is one in which a
// column that must state something is empty in every row.
func (r *Reader) Done() (*Report, error) {
	if err := r.Err(); err != nil {
		return nil, err
	}
	if r.Rows == 0 {
		return nil, fmt.Errorf("%s:1: the table has a header and no row", r.Path)
	}
	if err := r.account(); err != nil {
		return nil, err
	}
	if r.Unended() {
		r.Warning = Unended
	}
	return r.Report, nil
}

// account fills in the columns that are missing or empty, unless the table cannot be used
// without one.
func (r *Reader) account() error {
	for i := range r.kind.Columns {
		c := &r.kind.Columns[i]
		there := r.Has(i)
		if !notable(c) || r.sound == 0 || there && !slices.Contains(r.empty, i) {
			continue
		}
		l, fatal := lackOf(c, there, r.Written(i))
		if fatal && there {
			return l.at(r.Path)
		}
		r.Lacks = append(r.Lacks, l)
	}
	return nil
}

// Close closes the input.
func (r *Reader) Close() error { return r.in.Close() }
