package belgium

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relais/ingest/source"
	"relais/internal/filetest"
	"relais/market"
)

const here = `{"type":"Point","coordinates":[104500,194000]}`

var goodRow = row{"1", "2018-01-01", "S", "Straat 1, 9000 Gent", "Proximus NV", "1", here}

func with(change func(*row)) string {
	r := goodRow
	r.id = "2"
	change(&r)
	return r.String()
}

func placed(geometry string) string { return with(func(r *row) { r.geometry = geometry }) }

func point(coordinates string) string {
	return placed(`{"type":"Point","coordinates":` + coordinates + `}`)
}

var badRows = []struct{ bad, want string }{
	{"null", "not an object"},
	{"7", "not an object"},
	{`{"type":"Feature","geometry":` + here + `}`, "no properties"},
	{`{"type":"Feature","properties":null,"geometry":` + here + `}`, "no properties"},
	{`{"properties":{},"geometry":` + here + `}`, "no register id"},
	{with(func(r *row) { r.id = "null" }), "no register id"},
	{with(func(r *row) { r.id = "-3" }), "no register id"},
	{with(func(r *row) { r.id = "1e3" }), "no register id"},
	{with(func(r *row) { r.id = "99999999999999999999" }), "no register id"},
	{with(func(r *row) { r.id = "{}" }), "not in the form of the register"},
	{placed("null"), "no position"},
	{placed(`{"type":"Point"}`), "no position"},
	{placed(`{"type":"Point","coordinates":null}`), "no position"},
	{placed(`{"type":"MultiPoint","coordinates":[]}`), "no position"},
	{placed(`{"type":"MultiPoint","coordinates":[[1,2]]}`), "not in the form of the register"},
	{point("[]"), "no position"},
	{point("[104500]"), "no position"},
	{point("[0,0]"), "no position"},
	{point(`["104500","194000"]`), "not in the form of the register"},
	{point(`[1e999,194000]`), "not in the form of the register"},
	{point(`[1e300,194000]`), "position outside Belgium"},
	{point("[3.7253,51.0538]"), "position in degrees, not in metres of Lambert 72"},
	{point("[51.0538,3.7253]"), "position in degrees, not in metres of Lambert 72"},
	{point("[194000,104500]"), swapped},
	{point("[185000,128000]"), swapped}, // or Namur
	{point("[250000,60000]"), "position outside Flanders"},
	{point("[600000,194000]"), "position outside Belgium"},
	{point("[-104500,194000]"), "position outside Belgium"},
	{with(func(r *row) { r.operator = "" }), "no operator"},
	{with(func(r *row) { r.operator = "ASTRID" }), "operator not served"},
	{with(func(r *row) { r.operator = "Orange Armenia" }), "operator not served"},
	{with(func(r *row) { r.location = strings.Repeat("x", maxText+1) }), tooLong},
	{with(func(r *row) { r.operator = strings.Repeat("x", 1000) }), "operator not served"},
	{with(func(r *row) { r.id = `"1"` }), "duplicate dossier"},
	{with(func(r *row) { r.id, r.sitecode = "1", "T" }), "duplicate dossier with other content"},
	{with(func(r *row) { r.approved = "2017-01-01" }), "superseded by a newer dossier"},
	{strings.Replace(goodRow.String(), `"operatornaam":"Proximus NV"`, `"operatornaam":null`, 1), "no operator"},
	{strings.Replace(goodRow.String(), `"id":1`, `"id":3,"sitecode":["x"]`,
		1), "not in the form of the register"},
	{strings.Replace(goodRow.String(), `"id":1,"goedkeuringsdatum":"2018-01-01"`, `"id":""`, 1), "no register id"},
	{strings.Replace(goodRow.String(), `"id":1,`, `"id":3,"sitecode":"T",`,
		1), "the column sitecode is there twice"},
}

// Whatever is wrong with a row, it is counted, and the good ones around it are
// served.
func TestBadRows(t *testing.T) {
	for _, tt := range badRows {
		t.Run(tt.want, func(t *testing.T) {
			_, sites, reports := build(t, files(t, collection(crs, goodRow.String(), tt.bad)))
			if r := reports[0]; len(sites) != 1 || r.Rows != 2 ||
				!maps.Equal(r.Rejected, map[string]int{tt.want: 1}) {
				t.Errorf("%.300s: %d sites, rejected %v, want %s", tt.bad, len(sites), r.Rejected, tt.want)
			}
		})
	}
	// All that is not needed may be null.
	sparse := `{"properties":{"id":7,"goedkeuringsdatum":null,"sitecode":null,"locatiebeschrijving":null,"operatornaam":"BASE","dossiernummer":null},"geometry":` + here + `}`
	if _, sites, _ := build(t, files(t, collection(crs, goodRow.String(), sparse))); len(sites["1"].Stations) != 2 ||
		sites["1"].Stations[1].Code != "" {
		t.Errorf(`sites = %+v; want len(sites["1"].Stations) = 2, sites["1"].Stations[1].Code = ""`, sites)
	}
}

// A row takes nothing over from one that could not be decoded.
func TestNothingLeftBehind(t *testing.T) {
	broken := row{"5", "2018-01-01", "S", "Straat 1, 9000 Gent", "Proximus NV", "5",
		`{"type":"Point","coordinates":[104500,194000,"x"]}`}.String()
	_, sites, reports := build(t,
		files(t, collection(crs, row{"1", "", "", "", "BASE", "", here}.String(), broken,
			`{"properties":{"id":6},"geometry":`+here+`}`)))
	if len(sites) != 1 || reports[0].Rejected["no operator"] != 1 ||
		reports[0].Rejected["not in the form of the register"] != 1 {
		t.Errorf(`sites = %+v, reports[0].Rejected = %v; want len(sites) = 1, reports[0].Rejected["no operator"] `+
			`= 1, reports[0].Rejected["not in the form of the register"] = 1`, sites, reports[0].Rejected)
	}
}

// A file whose coordinates are in another system is refused.
func TestCRS(t *testing.T) {
	good := row{"1", "2018-01-01", "S", "Straat 1, 9000 Gent", "Proximus NV", "1", here}.String()
	named := func(name string) string {
		return `"name":"x","crs":{"type":"name","properties":{"name":"` + name + `"}},`
	}
	for _, head := range []string{"", `"crs":null,`, named("EPSG:31370"), named("epsg:31370"),
		named("urn:ogc:def:crs:EPSG::31370"), named("urn:x-ogc:def:crs:EPSG:9.8:31370"),
		named("http://www.opengis.net/def/crs/EPSG/0/31370"), named("http://www.opengis.net/gml/srs/epsg.xml#31370")} {
		if _, sites, _ := build(t, files(t, collection(head, good))); len(sites) != 1 {
			t.Errorf("%s: refused, want 1", head)
		}
	}
	for _, head := range []string{named("EPSG:4326"), named("urn:ogc:def:crs:OGC:1.3:CRS84"), named("EPSG:131370"),
		named("EPSG::31370X"), named("31370"), named(""), `"crs":"EPSG:31370",`, `"crs":{},`, `"crs":[],`} {
		list := files(t, collection(head, good))
		_, _, err := Build(list, nil, nil)
		if err == nil || !strings.Contains(err.Error(), list[0].Path+":1: ") ||
			!strings.Contains(err.Error(), "EPSG:31370 (Lambert 72") {
			t.Errorf("head %s: got %v, want an error of line 1 with EPSG:31370", head, err)
		}
	}
}

// Files that cannot be read to their end make nothing.
func TestBadFiles(t *testing.T) {
	text := collection(crs, row{"1", "2018-01-01", "S", "Straat 1, 9000 Gent", "Proximus NV", "1", here}.String())
	for _, bad := range []string{text[:len(text)-2], strings.Replace(text, `"}},`+"\n", `"},`+"\n", 1), text + "x",
		strings.TrimSuffix(text, "]}") + ",7"} {
		list := files(t, text)
		list[0] = source.Found{Input: input(t, bad), Kind: Kinds[0]}
		if b, _, err := Build(list, nil, nil); err == nil {
			t.Errorf("%.200q: %d sites; want an error", bad, b[0].Len())
		} else if !strings.Contains(err.Error(), list[0].Path+":") {
			t.Errorf(`%v names no file; want an error with list[0].Path+":"`, err)
		}
	}
}

func TestOperators(t *testing.T) {
	c := &country{market: market.Get(market.BE)}
	for _, tt := range []struct{ name, want string }{
		{"Proximus NV", "PROXIMUS_BE"}, {"PROXIMUS N.V. van publiek recht", "PROXIMUS_BE"},
		{"Belgacom NV", "PROXIMUS_BE"},
		{"Próximus S.A./N.V.", "PROXIMUS_BE"},
		{"Telenet Group BVBA", "TELENET_BASE_BE"}, {"Telenet BV", "TELENET_BASE_BE"},
		{"BASE Company NV", "TELENET_BASE_BE"},
		{"base", "TELENET_BASE_BE"},
		{"Orange Belgium NV", "ORANGE_BE"}, {"ORANGE BELGIUM", "ORANGE_BE"}, {"Mobistar (NV)", "ORANGE_BE"},
		{"Citymesh", "CITYMESH_BE"}, {"CITYMESH  nv", "CITYMESH_BE"},
		{"ASTRID", ""}, {"NV", ""}, {"", ""}, {"Proximus2", ""}, {"Infrabel NV", ""}, {"Telenet Proximus", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			if i, ok := c.operator(tt.name); ok {
				got = c.market.Operators[i].Key
			}
			if got != tt.want {
				t.Errorf("%q is %q, want %q", tt.name, got, tt.want)
			}
		})
	}
	rows := []string{row{"1", "", "", "", "Citymesh", "", here}.String()}
	for i, name := range []string{"ASTRID", "ASTRID", "Infrabel", "Infrabel", "Infrabel", "DIGI", "NMBS"} {
		rows = append(rows, row{fmt.Sprint(i + 2), "", "", "", name, "", here}.String())
	}
	_, _, reports := build(t, files(t, collection(crs, rows...)))
	want := []source.Spelling{{Name: "Infrabel", Rows: 3}, {Name: "ASTRID", Rows: 2}, {Name: "DIGI", Rows: 1}}
	if diff := cmp.Diff(want, reports[0].Unknown); diff != "" {
		t.Errorf("unknown names (-want +got):\n%s", diff)
	}
}

func TestAddress(t *testing.T) {
	for _, tt := range []struct {
		whole string
		want  address
	}{
		{"Korenlei  10, 9000 GENT", address{street: "Korenlei 10", postal: "9000", city: "GENT"}},
		{"Tiensesteenweg, 3010 LEUVEN (KESSEL-LO)", address{street: "Tiensesteenweg", postal: "3010",
			city: "LEUVEN (KESSEL-LO)"}},
		{"Belfortstraat 5 / Hoogpoort 63, 9000 Gent", address{street: "Belfortstraat 5 / Hoogpoort 63", postal: "9000",
			city: "Gent"}},
		{"Schorenshof 6 ,3012 Leuven", address{street: "Schorenshof 6", postal: "3012", city: "Leuven"}},
		{"Johannes Schrantstraat 1 9000 Gent",
			address{street: "Johannes Schrantstraat 1", postal: "9000", city: "Gent"}},
		{"Straat 1, 3012 Leuven / 3000 Leuven",
			address{street: "Straat 1", town: "3012 Leuven / 3000 Leuven", postal: "3012",
				more: "3000", city: "Leuven"}},
		{"Straat 1, 3012 Leuven / 3012 Wilsele",
			address{street: "Straat 1", town: "3012 Leuven / 3012 Wilsele", postal: "3012",
				city: "Leuven"}},
		{"Straat 1, bus 2, 2000 Antwerpen", address{street: "Straat 1, bus 2", postal: "2000", city: "Antwerpen"}},
		{"Caf&eacute; d&#39;Or 3, 9000 Gent", address{street: "Café d'Or 3", postal: "9000", city: "Gent"}},
		{"9000 Gent", address{postal: "9000", city: "Gent"}},
		{"Industrieweg 2000 Antwerpen", address{street: "Industrieweg 2000 Antwerpen"}},
		{"Korenlei 10, Gent", address{street: "Korenlei 10, Gent"}},
		{"Straat 1, 0900 Gent", address{street: "Straat 1, 0900 Gent"}},
		{"", address{}},
		{"\u0000 \t", address{}},
		{"R&D weg 3, 9000 Gent", address{street: "R&D weg 3", postal: "9000", city: "Gent"}},
	} {
		t.Run(tt.whole, func(t *testing.T) {
			if got := splitAddress(text(tt.whole).words()); got != tt.want {
				t.Errorf("%q: %+v, want %+v", tt.whole, got, tt.want)
			}
		})
	}
}

// input writes a text into a file, whatever it is.
func input(t testing.TB, text string) *source.Input {
	t.Helper()
	path := filetest.New(t, "x.json", text)
	return &source.Input{Path: path}
}

// An approval that is not a date is counted, and the dossier has none.
func TestApprovalsThatAreNoDates(t *testing.T) {
	_, _, reports := build(t, files(t, collection(crs, goodRow.String(), with(func(r *row) { r.approved = "1/2/2018" }))))
	const want = "goedkeuringsdatum: 1 values are not dates and were left out; the first is on line 4"
	if got := reports[0].Warning; got != want {
		t.Errorf("Warning = %q, want %q", got, want)
	}
}
