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

// Media types.
const (
	geoJSONType = "application/geo+json"
	csvType     = "text/csv"
	parquetType = "application/vnd.apache.parquet"
	kmzType     = "application/vnd.google-earth.kmz"
)

// contentTypes are those of answers, by format.
var contentTypes = map[string]string{
	formatJSON:    endpoint.JSONType,
	formatGeoJSON: geoJSONType,
	formatCSV:     csvType + "; charset=utf-8",
	formatParquet: parquetType,
	formatKMZ:     kmzType,
}

// A tableFormat is a format of lists without a form in GeoJSON.
type tableFormat string

// Values lists the formats.
func (tableFormat) Values() []string { return []string{formatJSON, formatCSV} }

// A listFormat is a format of lists of sites.
type listFormat string

// Values lists the formats.
func (listFormat) Values() []string { return []string{formatJSON, formatGeoJSON, formatCSV} }

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

// file returns an answer that is not JSON, written while it is sent.
func file(m market.Code, kind, format string, write func(io.Writer) error) *endpoint.Answer {
	return &endpoint.Answer{ContentType: contentTypes[format], Size: -1, Write: write, Whole: true,
		FileName: fmt.Sprintf("relais-%s-%s.%s", strings.ToLower(string(m)), kind, format)}
}

// file returns the answer for a table of rows of a kind, such as sites. next is the offset of the next page, nil for
// none.
func (p csvParams) file(t *export.Table, m market.Code, kind string, next *int) *endpoint.Answer {
	f := export.CSV{BOM: p.BOM, Semicolon: p.Separator == semicolon}
	return before(next, file(m, kind, formatCSV, func(w io.Writer) error { return f.Write(w, t) }))
}

// before says that another page follows an answer at an offset, nil for none.
func before(next *int, a *endpoint.Answer) *endpoint.Answer {
	if next != nil {
		a.NextOffset = *next
	}
	return a
}
