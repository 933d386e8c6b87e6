package archive

import (
	"strconv"
	"strings"

	"relais/archive/column"
	"relais/geo"
	"relais/ingest/anfr"
)

// Markets are the markets whose registers come from the observatoire, as the archives do.
var Markets = anfr.Markets

// A Kind is what became of a row from one publication to the next.
type Kind uint8

// The kinds. A row is known by its key: station number, operator and system.
const (
	Unchanged Kind = iota
	New            // a row of a support that the publication before did not have
	Added          // a new row on a support that it had
	Activated      // the status left "Projet approuvé"
	Deleted        // a row that is gone, as it was
	Changed        // something else differs: the row as it is
	Replaced       // the row before it was activated or changed
)

// Type returns the record type of the API: new, added, activated or deleted, and ""
// for the others.
func (k Kind) Type() string {
	return [...]string{New: "new", Added: "added", Activated: "activated", Deleted: "deleted", Changed: "",
		Replaced: ""}[k]
}

// old reports whether the row is one of the publication before.
func (k Kind) old() bool { return k == Deleted || k == Replaced }

// A Record is a row of a publication.
type Record struct {
	Kind   Kind
	Values [len(column.Names)]string // by column.Names; "" where the file states nothing
}

// Position returns the two parts of coordonnees, degrees as they are published.
func (r *Record) Position() (lat, lng string) {
	lat, lng, _ = strings.Cut(r.Values[column.Position], ",")
	return strings.TrimSpace(lat), strings.TrimSpace(lng)
}

// Point is the position in degrees, that of coord where coordonnees is empty; ok is
// false without a position.
func (r *Record) Point() (p geo.Point, ok bool) {
	return anfr.Position([]byte(r.Values[column.Position]), []byte(r.Values[column.Coord]))
}

// A Site is the rows of one support in a publication, or those that it changed, by the
// id that they have in their file: its order where ids count its rows. It and its records
// are valid until the next one is asked for, their texts for ever.
type Site struct {
	ID      string // sup_id
	Records []Record
}

// Rows of a support have the place in common. So a row is stored as
// the text of its place and those of the columns that make it an emission.
var (
	placeColumns = [...]int{
		column.Support, column.Department, column.Insee, column.Nature, column.Height, column.Owner, column.Lieu,
		column.Address1, column.Address2, column.Address3, column.Postal, column.Insee2, column.Position,
		column.Coord,
	}
	emissionColumns = [...]int{
		column.Operator, column.System, column.Status, column.Date, column.Generation, column.Station,
		column.Updated,
	}
)

// Positions in a content.
const (
	inPlace = iota
	inOperator
	inSystem
	inStatus
	inDate
	inGeneration
	inStation
	inUpdated // sameUpdated where it is the publication's own
	contentTexts
)

// sameUpdated stands for the publication's date_maj, which would make every row of
// every week another one. No text of a file is this: it is not UTF-8.
const sameUpdated = "\xff"

// A content is all that a row says but its number in the file: rows of the same
// content are one row. Its place is the texts of placeColumns, packed.
type content [contentTexts]string

func packPlace(w *writer, row *anfr.PublishedRow) {
	w.b = w.b[:0]
	for _, c := range placeColumns {
		w.number(uint32(len(row[c])))
		w.b = append(w.b, row[c]...)
	}
}

// A place is what packPlace packed.
type place [len(placeColumns)]string

// unpackPlace returns a place whose texts are parts of packed, and its support.
func unpackPlace(packed string) (p place, support uint32, ok bool) {
	for i := range p {
		n, digits := 0, 0
		for more := true; more; digits++ {
			if digits == len(packed) || digits == 3 { // no text is of 2 MiB
				return p, 0, false
			}
			n |= int(packed[digits]&0x7F) << (7 * digits)
			more = packed[digits] >= 0x80
		}
		if n > len(packed)-digits {
			return p, 0, false
		}
		p[i], packed = packed[digits:digits+n], packed[digits+n:]
	}
	support, ok = supportNumber(p[0])
	return p, support, ok && packed == ""
}

// supportNumber reads a sup_id, which anfr.ReadPublished has looked at.
func supportNumber(text string) (n uint32, ok bool) {
	if len(text) == 0 || len(text) > 9 || text[0] == '0' {
		return 0, false
	}
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + uint32(c-'0')
	}
	return n, true
}

func decimal(n uint32) string { return strconv.FormatUint(uint64(n), 10) }
