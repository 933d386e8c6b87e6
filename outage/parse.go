package outage

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"

	"relais/geo"
	"relais/ingest/source"
	"relais/ingest/table"
	"relais/market"
)

// A parser reads the files of one operator in a market.
type parser struct {
	market   *market.Market
	operator string
	zone     *time.Location
	entries  []*Entry
	seen     map[string]bool // codes
	rows     int             // of all files
	rejected int
	abroad   int // of these, as sites of another market
	// synthetic reports that one of the files was made up.
	synthetic bool
}

func newParser(m *market.Market, operator string) (*parser, error) {
	zone, err := time.LoadLocation(m.FeedZone)
	if err != nil {
		return nil, err
	}
	return &parser{market: m, operator: operator, zone: zone, entries: []*Entry{}, seen: map[string]bool{}}, nil
}

// A row is one record while it is being read.
type row struct {
	*parser
	cells []string   // by columns, clean
	odd   []oddValue // that were left out
}

// An oddValue is a value of a column that is not what was expected.
type oddValue struct {
	column   int
	expected string
}

// Reasons why a row is rejected.
const (
	noCode      = "no site code"
	noPosition  = "no position"
	badPosition = "position that is not a number"
	outside     = "position outside the market"
	again       = "the same site again"
	tooLong     = "a text that is too long"
)

// brokenRecord is the reason of package table for a record that it cannot split.
const brokenRecord = "broken record"

// read reads a file and counts its rows. Lines above the header, and notes between and below the
// rows, do not count.
func (p *parser) read(ctx context.Context, in io.Reader, name string, report *source.Report) error {
	t, err := readText(in, name)
	if err != nil {
		return err
	}
	cols := slices.Clone(columns)
	managed, err := t.managedColumn(p.market, p.operator)
	if err != nil {
		return err
	}
	if managed != "" {
		cols[colManaged].Aliases = append([]string{managed}, cols[colManaged].Aliases...)
	}
	r, err := table.NewReader(bytes.NewReader(t.data), name, table.Options{Comma: t.comma, OneLine: true})
	if err == nil {
		err = r.Bind(cols)
	}
	if err == nil && !slices.ContainsFunc(statusColumns, r.HasBound) {
		err = t.fail(1, "no column has the status of a service: expected %s", namesOf(statusColumns))
	}
	if err != nil {
		return err
	}
	filled := make([]bool, len(columns))
	for r.Next() {
		if err := p.record(ctx, r, report, filled); err != nil {
			return err
		}
	}
	if err := checkFilled(r, report, filled); err != nil {
		return err
	}
	report.CountServed()
	(&source.Kind{Columns: cols}).Note(report, r)
	report.WarnOfForeign()
	if t.unended {
		report.Warn(source.Unended)
	}
	return r.Err()
}

// checkFilled refuses a file if a required column, or all of the statuses, are empty in every row.
func checkFilled(r *table.Reader, report *source.Report, filled []bool) error {
	if r.Err() != nil || !slices.Contains(filled, true) {
		return nil
	}
	for i, c := range columns {
		if c.Required && !filled[i] {
			return &table.Error{Name: report.Path, Line: 1,
				What: "the column " + r.Written(i) + " is empty in every row"}
		}
	}
	if !slices.ContainsFunc(statusColumns, func(i int) bool { return filled[i] }) {
		return &table.Error{Name: report.Path, Line: 1, What: "the columns of statuses are empty in every row"}
	}
	return nil
}

// record reads a record into an entry, or rejects it, or skips it as a note. A note has at most two
// cells and does not begin like a row. It notes which columns have values.
func (p *parser) record(ctx context.Context, r *table.Reader, report *source.Report, filled []bool) error {
	w := &row{parser: p, cells: make([]string, len(columns))}
	cells := 0
	for i := range columns {
		w.cells[i] = clean(r.Field(i))
		if w.cells[i] != "" && i <= colEnd {
			cells++
		}
	}
	broken := r.Broken()
	if !isCode(w.cells[colCode]) && broken != brokenRecord && cells <= 2 {
		return nil
	}
	report.Rows++
	if p.rows++; p.rows > maxRows {
		return &table.Error{Name: report.Path, Line: r.Line(),
			What: fmt.Sprintf("over %d rows: this is not a file of unavailable sites", maxRows)}
	}
	if p.rows%1000 == 1 && ctx.Err() != nil {
		return ctx.Err()
	}
	var e *Entry
	if broken == "" {
		for i, cell := range w.cells {
			filled[i] = filled[i] || cell != ""
		}
		e, broken = w.entry()
	}
	if broken != "" {
		p.rejected++
		report.RejectAt(r.Line(), broken)
		return nil
	}
	p.seen[e.Code] = true
	p.entries = append(p.entries, e)
	for _, o := range w.odd {
		if o.column == colVoiceSMS && r.Written(colVoiceSMS) == r.Written(colVoice) {
			continue // one column, which was counted
		}
		report.NoteOdd(source.ListColumns([]string{r.Written(o.column)}), 1, r.Line(), o.expected)
	}
	return nil
}

// entry returns the entry of a row, or the reason why the row is rejected.
func (w *row) entry() (e *Entry, reason string) {
	c := w.cells
	if w.hasLongCell() {
		return nil, tooLong
	}
	switch code := c[colCode]; {
	case code == "":
		return nil, noCode
	case len(code) > maxCode:
		return nil, tooLong
	case w.seen[code]:
		return nil, again
	}
	at, reason := position(c[colLat], c[colLng])
	if reason != "" {
		return nil, reason
	}
	if reason = w.strays(at); reason != "" {
		return nil, reason
	}
	return w.entryAt(c[colCode], &at), ""
}

func (w *row) hasLongCell() bool {
	return slices.ContainsFunc(w.cells, func(cell string) bool { return len(cell) > maxCell })
}

// entryAt returns the entry of a row whose site is known. at is nil where the row has no position.
func (w *row) entryAt(code string, at *geo.Point) *Entry {
	c := w.cells
	e := &Entry{
		Market: w.market.Code, Operator: w.operator, Code: code,
		Region: c[colRegion], Department: c[colDepartment], Commune: c[colCommune],
		INSEE: insee(code, c[colINSEE]), Services: w.services(), Managed: w.managed(),
		Reason: c[colReason], Detail: c[colDetail],
	}
	if e.Unplaced = at == nil; at != nil {
		e.Lat, e.Lng = at.Lat, at.Lng
	}
	e.Area = areaOf(w.market, e.Department, e.INSEE, at)
	start, end := w.period()
	cells := slices.Clone(c[:colEnd+1])
	e.Start, cells[colStart] = start.instant(), start.raw
	e.End, cells[colEnd] = end.instant(), end.raw
	e.Cells = cellsOf(cells)
	return e
}

// clean returns a cell in which blanks and controls are replaced by single blanks. Placeholders
// that programs write for an empty cell become "".
func clean(b []byte) string {
	text := strings.Join(strings.FieldsFunc(string(b),
		func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	switch strings.ToLower(text) {
	case "null", "none", "nan", "-":
		return ""
	}
	return text
}

func (w *row) leftOut(column int, expected string) {
	w.odd = append(w.odd, oddValue{column, expected})
}

// services reads the statuses. Statuses that api.md does not have count as not stated.
func (w *row) services() Services {
	at := func(i int) Status {
		switch st := Status(strings.ToUpper(w.cells[i])); st {
		case statusOK, statusHS, statusDE, statusNE, "":
			return st
		}
		w.leftOut(i, "OK, HS, DE or NE")
		return ""
	}
	return Services{
		Voice2G: at(col2GVoice), Voice3G: at(col3GVoice), Voice4G: at(col4GVoice),
		Data3G: at(col3GData), Data4G: at(col4GData), Data5G: at(col5GData),
		Voice: at(colVoice), Data: at(colData), VoiceSMS: at(colVoiceSMS),
		Voice5G: at(col5GVoice), Data2G: at(col2GData),
	}
}

// managed reads OUI and NON. It writes 1 and 0 as OUI and NON in the cell.
func (w *row) managed() *bool {
	yes := false
	switch strings.ToUpper(w.cells[colManaged]) {
	case "OUI", "1":
		yes = true
		w.cells[colManaged] = "OUI"
	case "NON", "0":
		w.cells[colManaged] = "NON"
	case "":
		return nil
	default:
		w.leftOut(colManaged, "OUI or NON")
		return nil
	}
	return &yes
}
