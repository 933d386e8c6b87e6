package anfr

import (
	"bytes"

	"relais/geo"
	"relais/ingest/anfr/column"
	"relais/ingest/source"
	"relais/site"
)

// publishedAt is where each of column.Names is in observatoryColumns.
var publishedAt = [len(column.Names)]int{
	obsID, obsOperator, obsSupport, obsSystem, obsDate, obsDepartment, obsInsee, obsGeneration, obsUpdated,
	obsStation, obsNature, obsHeight, obsOwner, obsLieu, obsAddress1, obsAddress2, obsAddress3,
	obsPostal, obsInsee2, obsPosition, obsDMS, obsStatus, obsAzimuths,
}

// maxMore bounds the columns of a publication that nobody knows.
const maxMore = 16

// A PublishedRow is a row of the observatoire as it was published: of every territory and
// operator, in its own words. Only what the variants of the file differ in is made equal:
// dates are YYYY-MM-DD without a time, codes have the zeros that a spreadsheet took, and
// nothing but an address has blanks at its ends. What the file does not state is empty.
type PublishedRow struct {
	Values [len(column.Names)][]byte // by column.Names
	Same   uint64                    // bits of the columns that repeat the row that was taken before
	// More are the values of the further columns, by their names in MoreNames. SameMore reports that all
	// of them repeat those of the row that was taken before.
	More      [][]byte
	MoreNames []string
	SameMore  bool
	taken     bool
}

// longest is how many bytes a field may have. The register's have 50. A list of all azimuths has 1431.
const longest, longestList = 500, 1500

// Read calls take with each row of r that names its support, station, operator and
// system. The row is valid until take returns; take returns the reason for rejecting it,
// or "", and an error to stop.
func (p *PublishedRow) Read(r *source.Reader, take func() (reason string, err error)) error {
	for r.NextRow() {
		reason := p.read(r)
		if reason == "" {
			var err error
			if reason, err = take(); err != nil {
				return err
			}
		}
		if p.taken = reason == ""; !p.taken {
			r.Reject(reason)
		}
	}
	return nil
}

// read reads the row. What repeats the row before stays, if that one was taken.
func (p *PublishedRow) read(r *source.Reader) string {
	same := r.Same()
	if !p.taken {
		same = 0
	}
	p.Same = 0
	for i, at := range publishedAt {
		switch {
		case same>>at&1 == 1:
			p.Same |= 1 << i
			continue
		case i >= column.Lieu && i <= column.Address3:
			p.Values[i] = r.Raw(at)
		default:
			p.Values[i] = r.Field(at)
		}
		if n := len(p.Values[i]); n > longest && i != column.Azimuths || n > longestList {
			return "a field of over 500 bytes"
		}
	}
	if !p.readMore(r, same) {
		return "a field of over 500 bytes"
	}
	return p.normalize()
}

// FurtherColumns returns the columns of a publication that not all have: list_azimut, and those that nobody knows.
func FurtherColumns(r *source.Reader) (names []string) {
	if r.HasBound(obsAzimuths) {
		names = append(names, observatoryColumns[obsAzimuths].Name)
	}
	return append(names, r.More()...)
}

// readMore reads the further columns. ok is false if a value is too long.
func (p *PublishedRow) readMore(r *source.Reader, same uint64) (ok bool) {
	p.MoreNames, p.SameMore = r.More(), true
	if len(p.More) != len(p.MoreNames) {
		p.More, same = make([][]byte, len(p.MoreNames)), 0
	}
	for i := range p.More {
		if at := len(observatoryColumns) + i; same>>at&1 == 0 {
			p.More[i], p.SameMore = r.Field(at), false
			if len(p.More[i]) > longest {
				return false
			}
		}
	}
	return true
}

// normalize checks the new values, and makes equal what variants of the file differ in.
func (p *PublishedRow) normalize() (reason string) {
	if at := p.changed(column.Support); at != nil {
		if _, ok := parseWhole(*at); !ok {
			return "no support number"
		}
		if *at = bytes.TrimLeft(*at, "0"); len(*at) == 0 {
			return "no support number"
		}
	}
	if at := p.changed(column.Station); at != nil {
		station, ok := parseStation(*at)
		if !ok {
			return "no station number"
		}
		if len(*at) < stationCodeLength || !bytes.Equal(*at, bytes.ToUpper(*at)) {
			*at = []byte(station.String())
		}
	}
	switch {
	case len(p.Values[column.Operator]) == 0:
		return "no operator"
	case len(p.Values[column.System]) == 0:
		return "no system"
	}
	for _, i := range []int{column.Date, column.Updated} {
		if at := p.changed(i); at != nil {
			*at = isoDay(*at)
		}
	}
	if at := p.changed(column.Department); at != nil {
		*at = padZeros(*at, 3)
	}
	for _, i := range []int{column.Insee, column.Insee2, column.Postal} {
		if at := p.changed(i); at != nil {
			*at = padZeros(*at, 5)
		}
	}
	return ""
}

// changed returns where a value is, nil if it repeats that of the row before.
func (p *PublishedRow) changed(column int) *[]byte {
	if p.Same>>column&1 == 1 {
		return nil
	}
	return &p.Values[column]
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
