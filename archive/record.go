package archive

import (
	"slices"
	"strconv"
	"strings"

	"relais/geo"
	"relais/ingest/anfr"
	"relais/ingest/anfr/column"
)

// Markets are the markets whose registers come from the observatoire, as the archives do.
var Markets = anfr.Markets

// A Kind says what happened to a row from one publication to the next.
type Kind uint8

// The kinds. A row is identified by its key: station number, operator and system.
const (
	Unchanged Kind = iota
	New            // a row of a support that the publication before did not have
	Added          // a new row on a support that it had
	Activated      // the status left "Projet approuvé"
	Deleted        // a row that is gone, as it was
	Changed        // something else differs: the row as it is
	Replaced       // the row before it was activated or changed
)

// Type returns the record type of the API: new, added, activated or deleted; "" for other kinds.
func (k Kind) Type() string {
	return [...]string{New: "new", Added: "added", Activated: "activated", Deleted: "deleted", Changed: "",
		Replaced: ""}[k]
}

// old reports whether the row belongs to the publication before.
func (k Kind) old() bool { return k == Deleted || k == Replaced }

// A Record is a row of a publication.
type Record struct {
	Kind   Kind
	Values [len(column.Names)]string // by column.Names; "" where the file states nothing
	More   []column.More             // what further columns of the file state
}

// Position returns the two parts of coordonnees, degrees as published.
func (r *Record) Position() (lat, lng string) {
	lat, lng, _ = strings.Cut(r.Values[column.Position], ",")
	return strings.TrimSpace(lat), strings.TrimSpace(lng)
}

// Point returns the position in degrees, from coord if coordonnees is empty. ok is false without a
// position.
func (r *Record) Point() (p geo.Point, ok bool) {
	return anfr.Position([]byte(r.Values[column.Position]), []byte(r.Values[column.Coord]))
}

// A Site is the rows of one support in a publication, or only the changed ones. They are sorted by
// the id of their file, which is its order if ids count rows. The Site and its records are valid
// until the next Site is read; their texts stay valid.
type Site struct {
	ID      string // sup_id
	Records []Record
	Columns []string // of the publication: see there
}

// All rows of a support share the place. So a row is stored as the text of its place and the texts
// of the other columns.
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

// inPlaceColumns are the bits of placeColumns.
var inPlaceColumns = func() (bits uint64) {
	for _, c := range placeColumns {
		bits |= 1 << c
	}
	return bits
}()

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
	inMore    // packed by packMore, "" for nothing
	contentTexts
)

// sameUpdated stands for the date_maj of the publication, which would make every row differ in
// every week. No text of a file equals it, because it is not UTF-8.
const sameUpdated = "\xff"

// A content is everything that a row says except its number in the file. Rows with equal contents
// are stored once. The place is the packed texts of placeColumns.
type content [contentTexts]string

func packPlace(w *writer, row *anfr.PublishedRow) {
	w.b = w.b[:0]
	for _, c := range placeColumns {
		w.number(uint32(len(row.Values[c])))
		w.b = append(w.b, row.Values[c]...)
	}
}

// A place is the texts that packPlace packed.
type place [len(placeColumns)]string

// unpackPlace returns a place and its support. The texts are parts of packed.
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

// packMore packs the azimuths of a row, and the further columns that state something; nothing if none does.
func packMore(w *writer, row *anfr.PublishedRow) {
	w.b = w.b[:0]
	states := func(value []byte) bool { return len(value) > 0 }
	if !states(row.Values[column.Azimuths]) && !slices.ContainsFunc(row.More, states) {
		return
	}
	w.text(string(row.Values[column.Azimuths]))
	for i, value := range row.More {
		if states(value) {
			w.text(row.MoreNames[i])
			w.text(string(value))
		}
	}
}

// unpackMore returns what packMore packed.
func unpackMore(packed string) (azimuths string, more []column.More, ok bool) {
	if packed == "" {
		return "", nil, true
	}
	r := reader{b: []byte(packed)}
	azimuths = string(r.text())
	for len(r.b) > 0 {
		more = append(more, column.More{Name: string(r.text()), Value: string(r.text())})
	}
	return azimuths, more, r.end()
}

// supportNumber reads a sup_id that anfr.PublishedRow.Read has checked.
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
