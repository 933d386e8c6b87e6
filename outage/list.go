package outage

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"relais/geo"
	"relais/ingest/items"
	"relais/ingest/source"
	"relais/ingest/table"
	"relais/market"
)

// A List is the unavailable sites of all operators on one day, as a regulator publishes them: a row for a
// site that an operator has out of service, once for each site and operator.
type List struct {
	Market market.Code
	// Operators are the keys of those that the list names. Of the others it says nothing: their sites may be
	// out of service.
	Operators []string
	// Entries are in the order of their operators and codes. The code is the station number, with its leading
	// zeros; of a row without one it is its position.
	Entries []*Entry
	Report  *source.Report
	// Synthetic reports that the file was made up for a demonstration.
	Synthetic bool
}

// listKind is what reports call a list of all operators.
const listKind = "sites-of-all-operators"

// featuresName is the member of the file that has the rows.
const featuresName = "features"

// The spelling of reasons that lists have.
const incident = "INT" // the other is MAINT

// stationLength is the length of a station number.
const stationLength = 10

// Reasons why a row of a list is rejected.
const (
	unknownOperator = "unknown operator"
	noPlace         = "neither a station number nor a position"
	notFeature      = "not a feature with properties"
)

// properties are those of ARCEP's raw<day>.geojson, by the columns of the operators' own files with the same content.
// The names are those that GeoTower, which reads these files every day, asks for.
var properties = map[string][]int{
	"station_anfr": {colCode}, "propre": {colManaged}, "departement": {colDepartment}, "commune": {colCommune},
	"code_insee": {colINSEE}, "voix2g": {col2GVoice}, "voix3g": {col3GVoice}, "voix4g": {col4GVoice},
	"voix5g": {col5GVoice}, "data2g": {col2GData}, "data3g": {col3GData}, "data4g": {col4GData}, "data5g": {col5GData},
	"voix": {colVoice, colVoiceSMS}, "data": {colData}, "raison": {colReason}, "detail": {colDetail},
	"debut_voix": {colStartVoice}, "fin_voix": {colEndVoice}, "debut_data": {colStartData}, "fin_data": {colEndData},
	"debut": {colStart}, "fin": {colEnd},
	"operateur": nil, "code_postal": nil,
}

// A feature is a row of a list.
type feature struct {
	Properties map[string]json.RawMessage `json:"properties"`
	Geometry   *struct {
		Coordinates []json.Number `json:"coordinates"`
	} `json:"geometry"`
}

// A listReader reads a list.
type listReader struct {
	*List
	market  *market.Market
	parsers map[string]*parser   // by operator
	found   map[[2]string]*Entry // by operator and code
	unknown source.Spellings     // operators
	foreign map[string]bool      // properties that nobody knows
	stated  bool                 // a row states the status of a service
}

// ReadList reads a list from a file. Rows that cannot be used are counted in its report, and so are those of
// operators that the market does not have. Of several rows of a site and operator, an incident counts before
// maintenance, then what began first. A file without the member features, without a row that can be used, or
// without a status is refused: it would say that all sites work. Errors: ErrNoList, those of reading, *items.Error,
// *table.Error.
func ReadList(ctx context.Context, code market.Code, in *source.Input) (*List, error) {
	m := market.Get(code)
	if m == nil || m.OutageLists.Authority == "" {
		return nil, fmt.Errorf("%w: %.20q", ErrNoList, code)
	}
	file, err := in.Open(nil)
	if err != nil {
		return nil, err
	}
	defer file.Close() // nothing was written
	r := &listReader{market: m, parsers: map[string]*parser{}, found: map[[2]string]*Entry{},
		unknown: source.Spellings{}, foreign: map[string]bool{}, List: &List{Market: code, Synthetic: in.Synthetic(),
			Report: source.NewReport(&source.Found{Input: in, Kind: &source.Kind{Name: listKind}})}}
	for i := range m.Operators {
		if r.parsers[m.Operators[i].Key], err = newParser(m, m.Operators[i].Key); err != nil {
			return nil, err
		}
	}
	if err := r.read(ctx, file, in.Name()); err != nil {
		return nil, err
	}
	return r.finish(in.Name())
}

// bounded fails behind the greatest size of a file.
type bounded struct {
	in   io.Reader
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("over %d MiB: this is not a list of unavailable sites", MaxFile>>20)
	}
	n, err := b.in.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

func (r *listReader) read(ctx context.Context, in io.Reader, name string) error {
	list, err := items.NewReader(&bounded{in, MaxFile}, name, featuresName)
	if err != nil {
		return err
	}
	for list.Next() {
		if r.Report.Rows++; r.Report.Rows > maxRows {
			return &table.Error{Name: name, Line: list.Line(),
				What: fmt.Sprintf("over %d rows: this is not a list of unavailable sites", maxRows)}
		}
		if r.Report.Rows%1000 == 1 && ctx.Err() != nil {
			return ctx.Err()
		}
		reason := list.Broken()
		if reason == "" {
			reason = r.add(list.Bytes(), list.Line())
		}
		if reason != "" {
			r.Report.RejectAt(list.Line(), reason)
		}
	}
	return list.Err()
}

// add adds a row, or returns the reason why it is rejected.
func (r *listReader) add(text []byte, line int) (reason string) {
	var f feature
	if json.Unmarshal(text, &f) != nil || f.Properties == nil {
		return notFeature
	}
	for name := range f.Properties {
		if _, known := properties[name]; !known && len(r.foreign) < maxTitles {
			r.foreign[clean([]byte(name))] = true
		}
	}
	name := plainText(f.Properties["operateur"])
	i, ok := r.market.OperatorNamed(name)
	if !ok {
		r.unknown.Add(name)
		return unknownOperator
	}
	w := &row{parser: r.parsers[r.market.Operators[i].Key], cells: f.cells()}
	e, reason := w.listed(f.point())
	if reason != "" {
		return reason
	}
	for _, status := range e.Services.each() {
		r.stated = r.stated || *status != ""
	}
	for _, o := range w.odd {
		r.Report.NoteOdd(columns[o.column].Name, 1, line, o.expected)
	}
	return r.keep(e)
}

// cells returns the properties by columns.
func (f *feature) cells() []string {
	cells := make([]string, len(columns))
	for name, value := range f.Properties {
		for _, column := range properties[name] {
			cells[column] = plainText(value)
		}
	}
	return cells
}

// plainText returns a text or a number as a cell, "" for anything else.
func plainText(value json.RawMessage) string {
	var text string
	switch {
	case len(value) == 0 || value[0] == '{' || value[0] == '[':
		return ""
	case value[0] != '"':
		text = string(value)
	case json.Unmarshal(value, &text) != nil:
		return ""
	}
	return clean([]byte(text))
}

// point returns latitude and longitude as texts, "" for none.
func (f *feature) point() (lat, lng string) {
	if f.Geometry == nil || len(f.Geometry.Coordinates) < 2 {
		return "", ""
	}
	return f.Geometry.Coordinates[1].String(), f.Geometry.Coordinates[0].String()
}

// listed returns the entry of a row, or the reason why the row is rejected.
func (w *row) listed(lat, lng string) (e *Entry, reason string) {
	code := w.cells[colCode]
	switch {
	case w.hasLongCell() || len(code) > maxCode:
		return nil, tooLong
	case isDigits(code) && len(code) < stationLength: // readers found numbers with and without zeros
		code = strings.Repeat("0", stationLength-len(code)) + code
	}
	w.cells[colCode], w.cells[colLat], w.cells[colLng] = code, lat, lng
	p, reason := position(lat, lng)
	switch {
	case reason == noPosition && code == "":
		return nil, noPlace
	case reason == noPosition:
		return w.entryAt(code, nil), ""
	case reason == "":
		reason = w.strays(p)
	}
	if reason != "" {
		return nil, reason
	}
	return w.entryAt(cmp.Or(code, positionCode(p)), &p), ""
}

// positionCode is the code of a site that has no other name.
func positionCode(p geo.Point) string { return fmt.Sprintf("%v,%v", p.Lat, p.Lng) }

func isDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// keep adds an entry, unless one of the same site and operator counts before it.
func (r *listReader) keep(e *Entry) (reason string) {
	key := [2]string{e.Operator, e.Code}
	known := r.found[key]
	if known == nil {
		r.found[key] = e
		return ""
	}
	if !e.beats(known) {
		e, known = known, e
	}
	if r.found[key] = e; e.Unplaced && !known.Unplaced {
		e.Unplaced, e.Lat, e.Lng, e.Area = false, known.Lat, known.Lng, known.Area
	}
	return again
}

// beats reports whether this row of a site counts, and not another one of it.
func (e *Entry) beats(other *Entry) bool {
	if acute := e.Reason == incident; acute != (other.Reason == incident) {
		return acute
	}
	began, began2 := e.Began(), other.Began()
	return !began.IsZero() && (began2.IsZero() || began.Before(began2))
}

func (r *listReader) finish(name string) (*List, error) {
	report := r.Report
	rejected := 0
	for _, n := range report.Rejected {
		rejected += n
	}
	report.Unknown = r.unknown.Top()
	switch {
	case report.Rows == 0:
		return nil, &table.Error{Name: name, Line: 1, What: "the list is empty: it would say that every site works"}
	case rejected == report.Rows:
		return nil, noneUsed([]*source.Report{report}, report.Rows)
	case !r.stated:
		return nil, &table.Error{Name: name, Line: 1, What: "no row has the status of a service"}
	}
	r.Entries = slices.SortedFunc(maps.Values(r.found), func(a, b *Entry) int {
		return cmp.Or(cmp.Compare(a.Operator, b.Operator), cmp.Compare(a.Code, b.Code))
	})
	for _, key := range r.market.OperatorKeys() {
		if slices.ContainsFunc(r.Entries, func(e *Entry) bool { return e.Operator == key }) {
			r.Operators = append(r.Operators, key)
		}
	}
	report.CountServed()
	report.WarnOfColumns("unknown properties", slices.Sorted(maps.Keys(r.foreign)))
	return r.List, nil
}
