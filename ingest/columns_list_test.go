package ingest

import (
	"fmt"
	"strings"
	"testing"

	"relais/market"
)

// list makes a publication of columns and rows; a row has what is not null, in JSON.
func list(file, before string, outer []string, columns string, rows ...map[string]string) publication {
	p := publication{file: file, before: before, outer: outer, columns: words(columns)}
	for _, row := range rows {
		p.rows = append(p.rows, fill(p.columns, "null", row))
	}
	return p
}

// languages are a column in each of them.
func languages(columns string) (all string) {
	for _, c := range words(columns) {
		all += fmt.Sprintf(" %[1]s_de %[1]s_fr %[1]s_it %[1]s_en", c)
	}
	return all
}

// installation is a feature of the Swiss file.
func installation(station, class, generations, at string) map[string]string {
	row := map[string]string{"station": `"` + station + `"`, "koord": `"` + at + `"`,
		"geometry": `{"type":"Point","coordinates":[` + at + `]}`}
	for _, l := range []string{"de", "fr", "it", "en"} {
		row["typ_"+l], row["techno_"+l] = `"`+class+`"`, `"Technologie `+generations+`"`
		row["power_"+l], row["adaptiv_"+l], row["agw_"+l] = `"low"`, `""`, `"- V/m"`
		row["bewilligung_"+l] = `"Fiche 2023-04-11"`
	}
	return row
}

func columnsSwitzerland() columnsKit {
	p := list("standorte-mobilfunkanlagen_2056_2026-08-14.json",
		`{"type":"FeatureCollection","crs":{"type":"name","properties":{"name":"EPSG:2056"}},"features":[`,
		words("geometry"),
		"station"+languages("typ")+" koord"+languages("power techno adaptiv bewilligung agw")+" geometry",
		installation("Swisscom STSB", "Outdoor > 6 Werp", "4G,5G", "2732413,1219730"),
		installation("Salt BE_1014A", "Indoor ≤ 6 Werp", "3G", "2600000,1200000"),
		installation("SBB X1", "Outdoor > 6 Werp", "2G", "2600100,1200000")) // the railway
	return columnsKit{markets: []market.Code{market.CH}, facts: facts{"sites": 2, "stations": 2, "stationCodes": 2,
		"operatorIds": 2, "sourceCodes": 2,
		"emissions": 3, "generations": 3, "statuses": 3},
		cases: []columnsCase{{p, contract{served: 2,
			required: words("station geometry typ_en"), filled: words("typ_en"),
			// Of what is said in four languages, each fills in for the others.
			read:    words(languages("techno bewilligung")),
			guarded: map[string]string{"typ_en": "statuses"}}}}}
}

// dossier72 is a row of the Flemish register, in metres of Lambert 72.
func dossier72(id, approved, code, place, operator, number, at string) map[string]string {
	return map[string]string{"id": id, "goedkeuringsdatum": `"` + approved + `"`, "sitecode": `"` + code + `"`,
		"locatiebeschrijving": `"` + place + `"`,
		"operatornaam":        `"` + operator + `"`, "referentie": `"` + code + `"`,
		"conformiteitsattest": `"https://example.org/` + id + `"`,
		"dossiernummer":       `"` + number + `"`, "geometry": `{"type":"Point","coordinates":[` + at + `]}`}
}

func columnsFlanders() columnsKit {
	p := list("zendant_2018-03-05.geojson",
		`{"type":"FeatureCollection","crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::31370"}},"features":[`,
		words("geometry"), "id goedkeuringsdatum sitecode locatiebeschrijving operatornaam referentie "+
			"conformiteitsattest dossiernummer geometry",
		dossier72("10", "2015-06-30T22:00:00", "A1", "Korenlei 10, 9000 Gent", "Proximus NV", "D10", "104500,194000"),
		dossier72("9", "2014-01-31T22:00:00", "A0", "Korenlei 10, 9000 Gent", "Proximus NV", "D9", "104500,194000"),
		// not the newest
		dossier72("30", "2018-03-05T10:11:12", "T1", "Straat 5, 9000 Gent", "Telenet Group BVBA", "D30",
			"105500,194000"))
	return columnsKit{markets: []market.Code{market.BE}, facts: facts{"sites": 2, "stations": 2, "stationCodes": 2,
		"operatorIds": 2, "sourceCodes": 2,
		"emissions": 2, "dated": 2, "streets": 2, "postalCodes": 2, "communes": 2},
		cases: []columnsCase{{p, contract{served: 2,
			required: words("id operatornaam geometry goedkeuringsdatum dossiernummer"),
			filled:   words("goedkeuringsdatum dossiernummer"),
			read:     words("sitecode locatiebeschrijving"),
			guarded: map[string]string{"sitecode": "operatorSiteIds", "locatiebeschrijving": "addresses",
				"goedkeuringsdatum": "emissionDates", "dossiernummer": "stationCodes"}}}}}
}

func columnsBIPT() columnsKit {
	var owners, references, later string
	for i := range 15 {
		owners += fmt.Sprintf(" Eigenaar%[1]d Ref%[1]d BIPTRef%[1]d", i+1)
		if i > 0 {
			later += fmt.Sprintf(" Eigenaar%d", i+1)
			references += fmt.Sprintf(" Ref%d", i+1)
		}
	}
	p := list("bipt_2026-08-27.json", "", nil, "Adres Locatie PostcodeGemeente Status"+owners+" NrOps X Y AA ID "+
		"Longitude Latitude SiteType",
		map[string]string{"Adres": `"Brusselsesteenweg 144"`, "Locatie": `"R4"`, "PostcodeGemeente": `"9090 Melle"`,
			"Status":    `"O"`,
			"Eigenaar1": `"Proximus: P1"`, "Ref1": `"P"`, "Eigenaar2": `"Orange Belgium: O1"`, "Ref2": `"O"`,
			"NrOps": `"0"`,
			"X":     `"109163"`, "Y": `"189232"`, "ID": `"5"`, "Longitude": `"3.78681720781563"`,
			"Latitude": `"51.0118514336637"`, "SiteType": `"BTS"`},
		map[string]string{"Adres": `"Straat 2"`, "Locatie": `"Toren"`, "PostcodeGemeente": `"9000 Gent"`,
			"Status":    `"A"`,
			"Eigenaar1": `"Telenet: T1"`, "X": `"104500"`, "Y": `"194000"`, "ID": `"6"`},
		map[string]string{"Adres": `"Straat 3"`, "PostcodeGemeente": `"9000 Gent"`, "Status": `"R"`,
			// refused by the authority
			"Eigenaar1": `"Telenet: T2"`, "X": `"105500"`, "Y": `"194000"`, "ID": `"7"`})
	return columnsKit{markets: []market.Code{market.BE}, facts: facts{"sites": 2, "stations": 3, "stationCodes": 3,
		"operatorIds": 3, "sourceCodes": 2,
		"emissions": 3, "statuses": 3, "places": 2, "streets": 2, "postalCodes": 2, "communes": 2},
		cases: []columnsCase{{p, contract{served: 2,
			required: words("ID Status X Y Eigenaar1" + later), filled: words(later),
			read:    words("Longitude Latitude Adres Locatie PostcodeGemeente" + references),
			guarded: map[string]string{"PostcodeGemeente": "communes", "Adres": "addresses", "Locatie": "places"},
			facts: map[string]facts{
				"Eigenaar2": {"stations": 2, "stationCodes": 2, "operatorIds": 2, "emissions": 2,
					"statuses": 2}}}}}}
}

// What a program writes is a list that JSON readers take, also where a column is changed.
func TestPublicationOfAList(t *testing.T) {
	p := list("x.json", `{"features":[`, words("geometry"), "geometry id", map[string]string{"geometry": "{}",
		"id": "1"}, map[string]string{"id": "2"})
	for _, tt := range []struct{ how, want string }{
		{"doubled", `{"features":[{"geometry":{},"properties":{"id":1,"id":2}},` + "\n" +
			`{"geometry":null,"properties":{"id":2,"id":1}}]}`},
		{"renamed", `{"features":[{"geometry":{},"properties":{"renamed_column":1}},` + "\n" +
			`{"geometry":null,"properties":{"renamed_column":2}}]}`},
		{"emptied", `{"features":[{"geometry":{},"properties":{"id":null}},` + "\n" +
			`{"geometry":null,"properties":{"id":null}}]}`},
		{"dropped", `{"features":[{"geometry":{},"properties":{}},` + "\n" + `{"geometry":null,"properties":{}}]}`},
	} {
		t.Run(tt.how, func(t *testing.T) {
			if got := strings.TrimSpace(p.changed(tt.how, 1).String()); got != tt.want {
				t.Errorf("%s: %s, want %s", tt.how, got, tt.want)
			}
		})
	}
}
