package anfr

import (
	"bytes"

	"relais/archive/column"
	"relais/geo"
	"relais/ingest/source"
	"relais/site"
)

// publishedAt is where each of column.Names is in observatoryColumns.
var publishedAt = [len(column.Names)]int{
	obsID, obsOperator, obsSupport, obsSystem, obsDate, obsDepartment, obsInsee, obsGeneration, obsUpdated,
	obsStation, obsNature, obsHeight, obsOwner, obsLieu, obsAddress1, obsAddress2, obsAddress3,
	obsPostal, obsInsee2, obsPosition, obsDMS, obsStatus,
}

// A PublishedRow is a row of the observatoire as it was published, by the columns of
// column.Names: of every territory and operator, in its own words. Only what the
// variants of the file differ in is made equal: dates are YYYY-MM-DD without a time,
// codes have the zeros that a spreadsheet took, and nothing but an address has blanks at
// its ends. What the file does not state is empty.
type PublishedRow [len(column.Names)][]byte

// longest is how many bytes a field may have. The register's have 50.
const longest = 500

// ReadPublished calls take with each row that names its support, station, operator and
// system. The row is valid until take returns; take returns the reason for rejecting it,
// or "", and an error to stop. Errors: those of reading and of take.
func ReadPublished(r *source.Reader, take func(*PublishedRow) (reason string, err error)) (*source.Report, error) {
	var row PublishedRow
	for r.NextRow() {
		reason := row.read(r)
		if reason == "" {
			var err error
			if reason, err = take(&row); err != nil {
				return nil, err
			}
		}
		if reason != "" {
			r.Reject(reason)
		}
	}
	report, err := r.Done()
	if err == nil {
		report.CountServed()
	}
	return report, err
}

func (p *PublishedRow) read(r *source.Reader) string {
	for i, at := range publishedAt {
		p[i] = r.Field(at)
		if i >= column.Lieu && i <= column.Address3 {
			p[i] = r.Raw(at)
		}
		if len(p[i]) > longest {
			return "a field of over 500 bytes"
		}
	}
	if _, ok := parseWhole(p[column.Support]); !ok {
		return "no support number"
	}
	if p[column.Support] = bytes.TrimLeft(p[column.Support], "0"); len(p[column.Support]) == 0 {
		return "no support number"
	}
	station, ok := parseStation(p[column.Station])
	switch {
	case !ok:
		return "no station number"
	case len(p[column.Operator]) == 0:
		return "no operator"
	case len(p[column.System]) == 0:
		return "no system"
	}
	if len(p[column.Station]) < stationCodeLength || !bytes.Equal(p[column.Station], bytes.ToUpper(p[column.Station])) {
		p[column.Station] = []byte(station.String())
	}
	p[column.Date], p[column.Updated] = isoDay(p[column.Date]), isoDay(p[column.Updated])
	p[column.Department] = padZeros(p[column.Department], 3)
	for _, i := range []int{column.Insee, column.Insee2, column.Postal} {
		p[i] = padZeros(p[i], 5)
	}
	return ""
}

// isoDay returns a date as YYYY-MM-DD. Other texts are returned unchanged.
func isoDay(b []byte) []byte {
	d := site.ParseDate(b)
	switch {
	case d == 0:
		return b
	case b[4] == '-':
		return b[:10]
	}
	return d.Append(nil)
}

// Position reads coordonnees, "lat , lon", or where it is empty coord, in degrees,
// minutes and seconds.
func Position(coordonnees, coord []byte) (geo.Point, bool) {
	if len(bytes.TrimSpace(coordonnees)) == 0 {
		return parseDMS(coord)
	}
	return parsePosition(coordonnees)
}

// Updated returns the day of a row's date_maj, 0 when it has none.
func Updated(r *source.Reader) site.Date { return site.ParseDate(r.Field(obsUpdated)) }
