// Package ban reads the CSV files of the Base Adresse Nationale, the addresses of France. It does not know what becomes
// of them.
package ban

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"relais/geo"
	"relais/ingest/source"
	"relais/ingest/table"
	"relais/market"
)

// Markets are those that the files are of.
var Markets = []market.Code{market.FR, market.DROM}

// Attribution of the data.
const (
	Authority = "Base Adresse Nationale (BAN)"
	Source    = "adresse.data.gouv.fr"
	Licence   = "Licence Ouverte 2.0"
)

// Kind is the table of addresses, as lib/formatters/csv-legacy of BaseAdresseNationale/ban-plateforme writes it
// (adresses-france.csv.gz, adresses-35.csv.gz). Earlier files lack type_position and what follows source_nom_voie; the
// three identifiers at the end are in the files with-ids only.
var Kind = &source.Kind{Name: "ban-addresses", Many: true, Options: table.Options{Comma: ';'},
	Columns: []table.Column{
		{Name: "nom_voie", Required: true}, {Name: "code_postal"}, {Name: "code_insee", Required: true},
		{Name: "nom_commune", Required: true}, {Name: "lon", Required: true}, {Name: "lat", Required: true},
		{Name: "nom_ld"}},
	Others: strings.Fields("id id_fantoir numero rep code_insee_ancienne_commune nom_ancienne_commune x y type_position alias " +
		"libelle_acheminement nom_afnor source_position source_nom_voie certification_commune cad_parcelles " +
		"id_ban_adresse id_ban_toponyme id_ban_commune")}

// The columns of Kind.
const (
	streetColumn = iota
	postcodeColumn
	codeColumn
	communeColumn
	lngColumn
	latColumn
	hamletColumn
)

// An Address is one number of a street. Its texts are valid until the next one is read.
type Address struct {
	Area, Code, Commune []byte // code of the department, and of INSEE for the commune
	Postcode            []byte // may be empty
	Street              []byte // may be the name of a hamlet without streets
	Hamlet              []byte // which the address also names; may be empty
	At                  geo.Point
}

// Reasons to reject a row.
const (
	noStreet       = "no name of a street"
	longName       = "a name of more than 200 bytes"
	noCommune      = "no commune"
	noPosition     = "no position"
	otherTerritory = "territory not served"
	outside        = "position outside the department"
)

// IsUnused reports whether nothing is wrong with a row that was rejected for the reason.
func IsUnused(reason string) bool { return reason == otherTerritory }

// Split returns the paths that have nothing but such tables, and the others. A path that cannot be read is among the
// others.
func Split(paths []string) (addresses, others []string) {
	for _, path := range paths {
		inputs, err := source.Expand([]string{path})
		if err == nil && !slices.ContainsFunc(inputs, func(in *source.Input) bool { return !isAddresses(in) }) {
			addresses = append(addresses, path)
		} else {
			others = append(others, path)
		}
	}
	return addresses, others
}

func isAddresses(in *source.Input) bool {
	found, err := source.Detect(in, []*source.Kind{Kind})
	return err == nil && found.Kind != nil
}

// Find returns the tables of addresses in paths. It fails for a file that is not one.
func Find(paths []string) (list []source.Found, err error) {
	inputs, err := source.Expand(paths)
	if err != nil {
		return nil, err
	}
	for _, in := range inputs {
		found, err := source.Detect(in, []*source.Kind{Kind})
		if err == nil && found.Kind == nil {
			err = fmt.Errorf("%s is not a table of addresses", in.Name())
		}
		if err != nil {
			return nil, err
		}
		list = append(list, found)
	}
	return list, nil
}

// Read calls yield with each address of a table, until it fails. Errors: those of reading, of watch and of yield.
func Read(f *source.Found, watch source.Watch, yield func(*Address) error) (*source.Report, error) {
	r, err := f.Read(watch)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var now reading
	for r.NextRow() {
		if reason := now.take(r); reason != "" {
			r.Reject(reason)
			continue
		}
		if err := yield(&now.Address); err != nil {
			return nil, err
		}
	}
	report, err := r.Done()
	if err != nil {
		return nil, err
	}
	report.CountServed()
	report.NoteUnused(IsUnused)
	report.WarnOfForeign()
	return report, nil
}

// A reading is the present address, and the department of the last one: nearly all rows have the same.
type reading struct {
	Address
	area   string
	market *market.Market // nil: no market has the department
	at     int
}

// take takes a row, or returns why it cannot be used.
func (a *reading) take(r *source.Reader) (reason string) {
	a.Street, a.Postcode, a.Code = r.Field(streetColumn), r.Field(postcodeColumn), r.Field(codeColumn)
	a.Commune, a.Hamlet = r.Field(communeColumn), r.Field(hamletColumn)
	if len(a.Postcode) != codeBytes || !isDigits(a.Postcode) {
		a.Postcode = nil
	}
	lat, err1 := strconv.ParseFloat(string(r.Field(latColumn)), 64)
	lng, err2 := strconv.ParseFloat(string(r.Field(lngColumn)), 64)
	a.At = geo.Point{Lat: lat, Lng: lng}
	switch {
	case len(a.Street) == 0:
		return noStreet
	case !isCommune(a.Code) || len(a.Commune) == 0:
		return noCommune
	case max(len(a.Street), len(a.Commune), len(a.Hamlet)) > mostName:
		return longName
	case err1 != nil, err2 != nil, !a.At.Valid():
		return noPosition
	}
	if a.Area = Area(a.Code); string(a.Area) != a.area {
		a.area = string(a.Area)
		a.market, a.at = MarketOf(a.area)
	}
	switch {
	case a.market == nil:
		return otherTerritory
	case !a.market.Holds(a.at, a.At):
		return outside
	}
	return ""
}

// codeBytes is the length of INSEE's codes of communes, and of postal codes. mostName is in bytes too.
const (
	codeBytes = 5
	mostName  = 200
)

// isCommune reports whether a text is a code of INSEE: digits, and 2A or 2B for the departments of Corsica.
func isCommune(code []byte) bool {
	if len(code) == codeBytes && code[0] == '2' && (code[1] == 'A' || code[1] == 'B') {
		return isDigits(code[2:])
	}
	return len(code) == codeBytes && isDigits(code)
}

func isDigits(text []byte) bool {
	return !slices.ContainsFunc(text, func(b byte) bool { return b < '0' || b > '9' })
}

// Area returns the code of the department of a commune with this code of INSEE.
func Area[Text string | []byte](code Text) Text {
	if string(code[:2]) == "97" || string(code[:2]) == "98" { // overseas
		return code[:3]
	}
	return code[:2]
}

// MarketOf returns the market of a department, and its position there; nil if no market has it.
func MarketOf(area string) (*market.Market, int) {
	for _, code := range Markets {
		m := market.Get(code)
		if i := slices.IndexFunc(m.Areas, func(a market.Area) bool { return a.Code == area }); i >= 0 {
			return m, i
		}
	}
	return nil, 0
}
