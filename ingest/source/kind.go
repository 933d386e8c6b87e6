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

// A Kind is a kind of table that a parser reads: delimited text, or a list in a JSON file.
type Kind struct {
	Name  string // in reports: "anfr-observatoire"
	Items *Items // nil for delimited text; the other members are for delimited text
	// Columns are the columns that are read. Others are further columns of published
	// files; both identify the kind.
	Columns []table.Column
	Others  []string
	Options table.Options
	// Sniff reports whether a record of a table without a header is of the kind. Most of the first records must be.
	Sniff func(fields *table.Reader) bool
	// More is how many columns that the kind does not know are read in addition, after Columns: see Reader.More.
	More int
	// Magic begins all tables of the kind; "" if nothing else has to.
	Magic string
	// Refused says why tables of the kind are not read, and what to do; "" if they are.
	Refused string
	// Slot distinguishes inputs of one kind that are read together, such as two regions,
	// by the first record; nil if there is only one.
	Slot func(first *table.Reader) string
	// Many: several inputs of the kind may be read together.
	Many bool
	// Ignored are columns of published files that nobody reads. They do not identify the kind, and have no
	// place in the kept copies of a private one.
	Ignored []string
	// Personal names columns of personal data. They are blank in kept copies.
	Personal []string
	// Private: columns that are neither in Columns nor in Others are blank in kept copies
	// too, because they may be personal.
	Private bool
	// Whole names a column. In a file with it, Columns, Others and Personal are all known
	// columns. "" if no column proves that.
	Whole string
}

// A Build makes one snapshot for each market, and a report on each input. A market without
// a site has an empty Builder.
type Build func(files []Found, markets []*market.Market, watch Watch) ([]*snapshot.Builder, []*Report, error)

// Found is an input with its kind.
type Found struct {
	*Input
	Kind *Kind
	Slot string
	// Second, which may be nil, gets the rows too. It is called when the parser has read some, with a
	// Reader that has these rows. Done of the Reader is for after the last ones.
	Second func(*Reader)
}

// Detect returns the input with its kind, by its content: of the possible kinds the one
// that knows most of the input's columns. The Kind is nil if no kind is possible. A file
// may lack columns of its kind: Read reports them.
func Detect(in *Input, kinds []*Kind) (Found, error) {
	head, err := in.head()
	if err != nil {
		return Found{}, err
	}
	var best *Kind
	var bestLikeness likeness
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
		if l.enough(in) && (best == nil || l.better(bestLikeness)) {
			best, bestLikeness = k, l
		}
	}
	if best == nil {
		return Found{Input: in}, nil
	}
	found := Found{Input: in, Kind: best}
	if best.Slot == nil { // JSON has none
		return found, nil
	}
	r, open, err := found.openTable(nil)
	if err != nil {
		if _, ok := errors.AsType[*table.Error](err); ok {
			return found, nil // the parser will report it
		}
		return Found{}, err
	}
	defer open.Close()
	if r.Next() {
		found.Slot = best.Slot(r)
	}
	return found, nil
}

// head returns the beginning of the input, enough for a header and a record.
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

// A likeness measures how well an input fits a kind.
type likeness struct {
	whole bool    // the input has all required columns
	known int     // columns of the input that the kind names
	own   float64 // share of known in the input's columns
	share float64 // share of the kind's columns that the input has
}

// fewColumns is a number of columns that files of any kind may share.
const fewColumns = 3

// enough reports whether the input may be of the kind. A file that the user named needs half
// of the kind's columns, or half of its own columns must be the kind's: then the missing
// columns can be reported. A file in a folder or archive needs more than half.
func (l likeness) enough(in *Input) bool {
	share := l.share
	if l.known > fewColumns {
		share = max(share, l.own)
	}
	return l.whole || share > 0.5 || share == 0.5 && in.Within == ""
}

// better reports whether l is a better fit than another likeness.
func (l likeness) better(than likeness) bool {
	switch {
	case l.known != than.known:
		return l.known > than.known
	case l.whole != than.whole:
		return l.whole
	}
	return l.share > than.share
}

// Refusal returns the error for an input whose kind is refused, nil if it can be read.
func (f *Found) Refusal() error {
	if f.Kind == nil || f.Kind.Refused == "" {
		return nil
	}
	return fmt.Errorf("%s:1: %s", f.Name(), f.Kind.Refused)
}

// maxSniffedRows is how many records are looked at for the kind of a table without a header.
const maxSniffedRows = 100

// sniffed reports whether most of the first records of a table without a header are of a kind, broken ones aside.
func (k *Kind) sniffed(t *table.Reader) bool {
	rows, whole, fit := 0, 0, 0
	for rows < maxSniffedRows && t.Next() {
		rows++
		if t.Whole() {
			whole++
		}
		if k.Sniff(t) {
			fit++
		}
	}
	return 2*fit > whole && 3*fit >= rows
}

// likenessOf compares a table with a kind. It is zero for a file that is not a table.
func likenessOf(head []byte, k *Kind) likeness {
	if k.Magic != "" {
		if bytes.HasPrefix(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), []byte(k.Magic)) {
			return likeness{true, len(head), 1, 1}
		}
		return likeness{}
	}
	opt := k.Options
	opt.UTF8 = false // a wrong byte in the header does not change the kind
	t, err := table.NewReader(bytes.NewReader(head), "", opt)
	if err != nil {
		return likeness{}
	}
	known := t.CountNames(k.Columns) + t.CountNames(columnsOf(k.Others))
	bound := t.Bind(k.Columns) == nil
	if t.HasHeader() {
		return likeness{bound, known, float64(known) / float64(t.Width()), t.Score(k.Columns)}
	}
	if bound && k.Sniff != nil && k.sniffed(t) {
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

// checkPersonal returns an error for a table with all known columns that has a column of
// personal data twice, or lacks one and has an unknown column: that may be the same one
// under another name.
func (k *Kind) checkPersonal(t *table.Reader, path string) error {
	if k.Whole == "" || !t.HasColumn(k.Whole) {
		return nil
	}
	if err := t.CheckOnce(k.Personal...); err != nil {
		return err
	}
	unknown := t.Unknown(slices.Concat(k.Columns, columnsOf(k.Others), columnsOf(k.Personal), columnsOf(k.Ignored)))
	for _, name := range k.Personal {
		if len(unknown) > 0 && !t.HasColumn(name) {
			return fmt.Errorf("%s:1: the column %s is missing, and the column %q is unknown: "+
				"it may have the same personal data, so the file is refused", path, name, unknown[0])
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
	return table.Blank(w, in, f.Name(), f.Kind.Options, f.Kind.isDropped)
}

// isDropped reports whether a column is blank in kept copies.
func (k *Kind) isDropped(column table.Name) bool {
	if slices.ContainsFunc(k.Personal, column.Matches) {
		return true
	}
	return k.Private && !slices.ContainsFunc(k.Others, column.Matches) &&
		!slices.ContainsFunc(k.Columns, func(c table.Column) bool {
			return column.Matches(c.Name) || slices.ContainsFunc(c.Aliases, column.Matches)
		})
}
