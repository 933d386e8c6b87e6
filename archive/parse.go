package archive

import (
	"context"
	"fmt"
	"slices"

	"relais/archive/column"
	"relais/ingest/anfr"
	"relais/ingest/source"
	"relais/ingest/table"
	"relais/site"
)

// The bounds of a publication. The French one has 830,000 rows and 40 MB of different texts; its
// largest support has 100 rows.
const (
	maxRows        = 4 << 20
	maxTexts       = 256 << 20 // bytes
	maxSupportRows = 1000
)

// A file is a publication in memory: about 40 bytes for each row, and the texts.
type file struct {
	updated   string // the date_maj of its first row
	synthetic bool   // made up for a demonstration
	rows      []fileRow
	texts     []string          // each different text once
	codeOf    map[string]uint32 // also for adding, which looks for texts of stored rows
	size      int               // bytes of texts
	ofEach    map[uint32]uint16 // rows of each support
	packed    writer
}

type fileRow struct {
	support uint32
	id      uint32 // 0 for none, else the number and 1
	codes   codes
}

// codes are the positions of a row's texts in those of a file.
type codes [contentTexts]uint32

// Files returns the observatoires among the files, folders and archives that a user named.
func Files(paths []string) (files []source.Found, err error) {
	inputs, err := source.Expand(paths)
	if err != nil {
		return nil, err
	}
	for _, in := range inputs {
		f, err := source.Detect(in, anfr.Kinds)
		switch {
		case err != nil:
			return nil, err
		case f.Kind != nil && f.Kind.Name == anfr.Observatory:
			files = append(files, f)
		case in.Within == "":
			return nil, fmt.Errorf("%s:1: not an observatoire of the ANFR", in.Name())
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: no observatoire of the ANFR is in there", paths)
	}
	return files, nil
}

// dateOf returns the day of a publication: date_maj of the first row, or else the date in the
// file's name.
func dateOf(f *source.Found) (day site.Date, err error) {
	r, err := f.Read(nil)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	if !r.NextRow() {
		if _, err = r.Done(); err == nil { // rows, but broken ones
			err = fmt.Errorf("%s:1: the table has no row that can be read", f.Name())
		}
		return 0, err
	}
	if day = anfr.Updated(r); day == 0 {
		day = f.NameDate()
	}
	if day == 0 {
		return 0, fmt.Errorf("%s:%d: neither the column date_maj nor the file's name says the data's date: state it, or name the file like observatoire_2026-08-27.csv", f.Name(), r.Line())
	}
	return day, nil
}

// readFile reads a publication. Errors: those of reading it and of ctx, and that it has no row or
// is too large.
func readFile(ctx context.Context, f *source.Found) (*file, *source.Report, error) {
	r, err := f.Read(func(int) error { return ctx.Err() })
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	p := &file{synthetic: r.From.Synthetic(), codeOf: map[string]uint32{}, ofEach: map[uint32]uint16{}}
	report, err := anfr.ReadPublished(r, func(row *anfr.PublishedRow) (reason string, err error) {
		if why := p.refusal(); why != "" {
			return why, &table.Error{Name: r.Path, Line: len(p.rows) + 1, What: why}
		}
		return p.addRow(row), nil
	})
	switch {
	case err != nil:
		return nil, nil, err
	case len(p.rows) == 0 && len(report.Examples) > 0:
		first := report.Examples[0]
		return nil, nil, &table.Error{Name: r.Path, Line: first.Line,
			What: fmt.Sprintf("%s; none of the %d rows can be kept", first.Reason, report.Rows)}
	case len(p.rows) == 0:
		return nil, nil, &table.Error{Name: r.Path, Line: 1, What: "no rows"}
	}
	return p, report, nil
}

// refusal says why a file cannot be a publication; "" if it can.
func (p *file) refusal() string {
	switch {
	case len(p.rows) == maxRows:
		return "over 4 million rows: not an observatoire"
	case p.size > maxTexts:
		return "over 256 MiB of different texts: not an observatoire"
	}
	return ""
}

func (p *file) addRow(row *anfr.PublishedRow) string {
	support, ok := supportNumber(string(row[column.Support]))
	if !ok {
		return "no support number"
	}
	if p.ofEach[support] == maxSupportRows {
		return "over 1000 rows of one support"
	}
	p.ofEach[support]++
	if len(p.rows) == 0 {
		p.updated = string(row[column.Updated])
	}
	r := fileRow{support: support, id: lineNumber(row[column.ID])}
	packPlace(&p.packed, row)
	var before codes // of the row before, which mostly has the same place, operator and station
	if n := len(p.rows); n > 0 {
		before = p.rows[n-1].codes
	}
	r.codes[inPlace] = p.code(p.packed.b, before[inPlace])
	for i, c := range emissionColumns {
		text := row[c]
		if c == column.Updated && string(text) == p.updated {
			text = []byte(sameUpdated)
		}
		r.codes[i+1] = p.code(text, before[i+1])
	}
	if len(p.rows) == cap(p.rows) {
		p.rows = slices.Grow(p.rows, max(1024, len(p.rows))) // append would copy them far more often
	}
	p.rows = append(p.rows, r)
	return ""
}

// code returns the position of a text in texts, where it looks at a likely one first. It adds a new text.
func (p *file) code(text []byte, likely uint32) uint32 {
	if int(likely) < len(p.texts) && p.texts[likely] == string(text) {
		return likely
	}
	if code, ok := p.codeOf[string(text)]; ok {
		return code
	}
	code, s := uint32(len(p.texts)), string(text)
	p.texts, p.codeOf[s] = append(p.texts, s), code
	p.size += len(s)
	return code
}

// lineNumber reads the column id, a row's number in its file: 0 when it is invalid.
func lineNumber(b []byte) (id uint32) {
	if len(b) == 0 || len(b) > 9 || len(b) > 1 && b[0] == '0' {
		return 0
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0
		}
		id = id*10 + uint32(c-'0')
	}
	return id + 1
}

func (p *file) content(row int) (c content) {
	for i, code := range p.rows[row].codes {
		c[i] = p.texts[code]
	}
	return c
}

// bySupport returns the positions of the rows sorted by support; rows of one support stay in the
// order of the file.
func (p *file) bySupport() []uint32 {
	keys := make([]uint64, len(p.rows))
	for i, r := range p.rows {
		keys[i] = uint64(r.support)<<32 | uint64(i)
	}
	slices.Sort(keys)
	order := make([]uint32, len(keys))
	for i, k := range keys {
		order[i] = uint32(k)
	}
	return order
}

// listing returns the rows. Where they are stored is not known yet.
func (p *file) listing() *listing {
	l := &listing{refs: make([]ref, len(p.rows)), ids: make([]uint32, len(p.rows))}
	for i := range p.rows {
		l.ids[i] = p.rows[i].id
	}
	return l
}

// repeated counts the rows whose key an earlier row has.
func (p *file) repeated() (n int) {
	type key struct{ station, operator, system uint32 }
	seen := make(map[key]struct{}, len(p.rows))
	for _, r := range p.rows {
		seen[key{r.codes[inStation], r.codes[inOperator], r.codes[inSystem]}] = struct{}{}
	}
	return len(p.rows) - len(seen)
}
