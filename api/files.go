package api

import (
	"fmt"
	"io"
	"strings"

	"relais/api/endpoint"
	"relais/export"
	"relais/market"
)

// The formats of answers. Each operation has some of them.
const (
	formatJSON    = "json"
	formatGeoJSON = "geojson"
	formatCSV     = "csv"
	formatParquet = "parquet"
	formatKMZ     = "kmz"
)

const geoJSONType = "application/geo+json"

// contentTypes are those of answers, by format.
var contentTypes = map[string]string{
	formatJSON:    endpoint.JSONType,
	formatGeoJSON: geoJSONType,
	formatCSV:     "text/csv; charset=utf-8",
	formatParquet: "application/vnd.apache.parquet",
	formatKMZ:     "application/vnd.google-earth.kmz",
}

// typesOf returns the content types of formats.
func typesOf(formats []string) (list []string) {
	for _, f := range formats {
		list = append(list, contentTypes[f])
	}
	return list
}

// A tableFormat is a format of lists without a form in GeoJSON.
type tableFormat string

// Values lists the formats.
func (tableFormat) Values() []string { return []string{formatJSON, formatCSV} }

// ContentTypes implements endpoint.Formats.
func (f tableFormat) ContentTypes() []string { return typesOf(f.Values()) }

// A listFormat is a format of lists of sites.
type listFormat string

// Values lists the formats.
func (listFormat) Values() []string { return []string{formatJSON, formatGeoJSON, formatCSV} }

// ContentTypes implements endpoint.Formats.
func (f listFormat) ContentTypes() []string { return typesOf(f.Values()) }

// csvDoc says what CSV is.
const csvDoc = "format=csv (text/csv) is RFC 4180 in UTF-8: a line with the names of the columns, which are those of the JSON's members, then a line for each row, without meta and requestId. What is not stated is an empty cell; the elements of a list are joined by semicolons. Where a text or a part of it after a comma, semicolon, tab or line break begins with = + - @, a tab or CR, it has an apostrophe there, so that no spreadsheet takes it for a formula, wherever it splits cells; numbers stay numbers. If an answer cannot be finished, the connection ends with an error."

// fileDoc says what the formats are that programs open.
const fileDoc = "format=parquet (application/vnd.apache.parquet) is GeoParquet 1.1: the same columns, points in geometry, and boxes in bbox by which DuckDB and others skip groups of rows. format=kmz (application/vnd.google-earth.kmz) has a folder for each operator, with sectors as wedges. A Parquet or KMZ file is made once for a version of the data and a filter, and one at a time for a client: another one is BUSY meanwhile."

// csvParams say how CSV is written.
type csvParams struct {
	BOM       bool         `param:"bom" default:"false" doc:"true: CSV begins with a byte order mark, by which Excel knows that it is UTF-8."`
	Separator csvSeparator `param:"sep" default:"comma" doc:"semicolon: CSV for Excel in French, with semicolons between cells, decimal commas, and bars between the elements of a list."`
}

// A csvSeparator is what is between two cells.
type csvSeparator string

const (
	comma     = "comma"
	semicolon = "semicolon"
)

// Values lists the separators.
func (csvSeparator) Values() []string { return []string{comma, semicolon} }

// check fails if the parameters are given for another format.
func (p csvParams) check(format string) error {
	name := ""
	switch {
	case format == formatCSV:
	case p.Separator == semicolon:
		name = "sep"
	case p.BOM:
		name = "bom"
	}
	if name == "" {
		return nil
	}
	return &endpoint.ParamError{Param: name, Want: "it is for format=csv: give that too, or leave it out"}
}

// A file is an answer that is not JSON, written while it is sent.
type file struct {
	contentType string
	name        string // for browsers
	members     []string
	compressed  bool
	nextPage
	write func(io.Writer) error
}

// A nextPage is the offset of the next page, 0 for none.
type nextPage int

// pageAfter returns it from the meta of a page.
func pageAfter(next *int) nextPage {
	if next == nil {
		return 0
	}
	return nextPage(*next)
}

// NextOffset implements endpoint.Paged.
func (n nextPage) NextOffset() int { return int(n) }

// file returns the answer for a table of rows of a kind, such as sites.
func (p csvParams) file(t *export.Table, m market.Code, kind string) *file {
	f := export.CSV{BOM: p.BOM, Semicolon: p.Separator == semicolon}
	return &file{contentTypes[formatCSV], fileName(m, kind, formatCSV), t.Names(), false, 0,
		func(w io.Writer) error { return f.Write(w, t) }}
}

// before says that a next page begins at an offset, nil for none.
func (f *file) before(next *int) *file {
	f.nextPage = pageAfter(next)
	return f
}

// fileName returns the name under which a browser keeps an answer.
func fileName(m market.Code, kind, extension string) string {
	return fmt.Sprintf("relais-%s-%s.%s", strings.ToLower(string(m)), kind, extension)
}

// ContentType implements endpoint.File.
func (f *file) ContentType() string { return f.contentType }

// Size implements endpoint.File.
func (f *file) Size() int64 { return -1 }

// WriteTo implements endpoint.File.
func (f *file) WriteTo(w io.Writer) (int64, error) {
	c := &countingWriter{w: w}
	err := f.write(c)
	return c.n, err
}

// Members implements endpoint.File.
func (f *file) Members() []string { return f.members }

// FileName implements endpoint.File.
func (f *file) FileName() string { return f.name }

// Compressed implements endpoint.File.
func (f *file) Compressed() bool { return f.compressed }

type countingWriter struct {
	w io.Writer
	n int64
}

// Write implements io.Writer.
func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
