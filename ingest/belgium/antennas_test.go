package belgium

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"relais/geo"
	"relais/internal/fold"
	"relais/site"
)

// Rows in the form that rwydaegh/aegis reads (Belgium/flanders sparqlService.py, Belgium/brussels basestations.py). No
// answer of the real services was seen.

// bound is a row of an answer: names and values alternate, "" is not bound.
func bound(pairs ...string) string {
	row := map[string]map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			row[pairs[i]] = map[string]string{"type": "literal", "value": pairs[i+1]}
		}
	}
	text, _ := json.Marshal(row)
	return string(text)
}

// answers are the kept answers of the query service, by query.
func answers(lists map[string][]string) string {
	var queries []string
	for _, name := range []string{"operators", "technologies", "dossiers", "antennas", "emissions"} {
		queries = append(queries, fmt.Sprintf("%q:{\"head\":{\"vars\":[]},\"results\":{\"bindings\":[\n%s\n]}}", name,
			strings.Join(lists[name], ",\n")))
	}
	return "{\"queries\":{\n" + strings.Join(queries, ",\n") + "\n}}\n"
}

const service = "https://data.zendantennes.omgeving.vlaanderen.be"

// stated is an antenna at 105000, 194000 in Lambert 72, moved by metres to the east.
func stated(n, tech, operator, label string, east float64, more ...string) string {
	p := geo.FromLambert72(105000+east, 194000)
	return bound(append([]string{"antenne", service + "/id/zendantenne/" + n, "operator", service + "/id/operator/" + operator,
		"tech", service + "/id/antennetechnologie/" + tech, "site_label", label,
		"geometry", fmt.Sprintf("POINT(%.7f %.7f)", p.Lng, p.Lat)}, more...)...)
}

func approved(n, dossier, at, withdrawn string) string {
	return bound("antenne", service+"/id/zendantenne/"+n, "dossier", dossier, "goedkeuring_tijdstip", at,
		"intrekking_tijdstip", withdrawn)
}

func emits(n, mhz string) string {
	return bound("antenne", service+"/id/zendantenne/"+n, "straling", n+mhz, "frequentie", mhz)
}

// dossiersAt is a register with dossiers of two operators at 105000, 194000.
func dossiersAt() string {
	return collection(crs, row{"5", "2014-01-02", "S1", "Korenlei 10, 9000 Gent", "Proximus NV", "D5", at(105000, 194000)}.String(),
		row{"6", "2015-01-02", "S2", "", "Telenet Group BVBA", "D6", at(105004, 194000)}.String())
}

var operators = []string{bound("operator", service+"/id/operator/1", "label", "Proximus NV"),
	bound("operator", service+"/id/operator/2", "label", "TELENET group bvba"),
	bound("operator", service+"/id/operator/3", "label", "Marconi")}

// Antennas become emissions of the operator at the place, by system, with azimuths; what a source states of each comes
// along. Ids, positions and dates are those without them.
func TestQueryService(t *testing.T) {
	file := answers(map[string][]string{"operators": operators,
		"technologies": {bound("technologie", service+"/id/antennetechnologie/1", "label", "4G")},
		"dossiers": {approved("1", "a", "2020-05-06T07:08:09Z", ""), approved("2", "a", "2020-05-06T07:08:09Z", ""),
			approved("3", "b", "2020-05-06", ""), approved("4", "c", "2018-05-06T00:00:00+02:00", ""),
			approved("5", "d", "2021-05-06", "2022-01-01"), approved("6", "e", "2021-05-06", ""),
			approved("7", "e", "2021-05-06", ""),
			approved("8", "e", "2021-05-06", ""), approved("9", "e", "2021-05-06", ""), approved("10", "f", "2021-05-06", "")},
		"antennas": {
			stated("1", "1", "1", "S1", 9, "azimut", "120.4", "hoogte", "32.5", "hoogte_eenheid", "http://qudt.org/vocab/unit/M",
				"vermogen", "52.5", "mechtilt", "4", "mechtilt_eenheid", "http://qudt.org/vocab/unit/DEG"),
			stated("2", "6", "1", "S1", 0, "azimut", "360", "azimut_eenheid", "°", "vermogen", "7", "vermogen_eenheid", "furlong"),
			stated("3", "5", "2", "S2", 0),
			stated("4", "1", "1", "S1", 0, "azimut", "7"),  // an older approval of S1
			stated("5", "1", "1", "S9", 0, "azimut", "8"),  // withdrawn
			stated("6", "1", "1", "S3", 11, "azimut", "9"), // eleven metres away
			stated("7", "1", "3", "S4", 0), stated("8", "4", "1", "S5", 0),
			stated("9", "1", "1", "S6", 0, "geometry", "<http://www.opengis.net/def/crs/EPSG/0/31370> POINT(105000 194000)"),
			stated("10", "1", "2", "S7", 4, "azimut", "10"), stated("10", "1", "2", "S7", 4, "azimut", "20", "hoogte", "9"),
			stated("11", "1", "1", "S8", 0)},
		"emissions": {emits("1", "806.0"), emits("1", "1842.5"), emits("1", "1850"), emits("2", "3600"), emits("10", "4")}})
	_, without, _ := build(t, files(t, dossiersAt()))
	_, sites, reports := build(t, files(t, dossiersAt(), file))
	if got, want := slices.Sorted(maps.Keys(sites)), slices.Sorted(maps.Keys(without)); !slices.Equal(got, want) ||
		sites["5"].Position != without["5"].Position {
		t.Fatalf("sites %v at %v; want those without the query service: %v at %v", got, sites["5"].Position, want,
			without["5"].Position)
	}
	s := sites["5"]
	if got, want := describe(&s), "PROXIMUS_BE LTE 800 2014-01-02 [120]; PROXIMUS_BE LTE 1800 2014-01-02 [120]; "+
		"PROXIMUS_BE NR 3500 2014-01-02 [0]; TELENET_BASE_BE LTE 2015-01-02 []"; got != want || !s.FixedLink {
		t.Errorf("emissions %s, link %v; want %s and a link", got, s.FixedLink, want)
	}
	if got, want := describeAntennas(&s), "0 az 120.4 h 32.5m p 52.5 t 4° [806000000]; 1 az 120.4 h 32.5m p 52.5 t 4° "+
		"[1842500000 1850000000]; 2 az 0 h NaN p NaN t NaN [3600000000]; 3 az NaN h NaN p NaN t NaN [4000000]"; got != want {
		t.Errorf("antennas %s; want %s", got, want)
	}
	r := reports[1]
	want := map[string]int{superseded: 1, withdrawn: 1, notJoined: 1, "operator not served": 1, "technology not served": 1,
		"position in an unknown reference system": 1, "no approved dossier": 1}
	if !maps.Equal(r.Rejected, want) || r.Rows != 11 || r.Served != 4 || r.Unknown[0].Name != "Marconi" {
		t.Errorf("%d of %d rows, rejected %v, unknown %v; want 4 of 11, %v, Marconi", r.Served, r.Rows, r.Rejected, r.Unknown, want)
	}
	for _, text := range []string{`unit of power "furlong"`, `technology "` + service + `/id/antennetechnologie/4"`,
		`band of frequency "4"`,
		`crs "http://www.opengis.net/def/crs/EPSG/0/31370"`, "1 rows state another value", "1 of 5 antennas in force"} {
		if !strings.Contains(r.Warning, text) {
			t.Errorf("warning %q lacks %q", r.Warning, text)
		}
	}
	if s.Registers != fromRegister(Register)|fromRegister(Antennas) || without["5"].Registers != fromRegister(Register) {
		t.Errorf("registers %b, without the query service %b", s.Registers, without["5"].Registers)
	}
}

// describe writes the emissions of a site.
func describe(s *site.Site) string {
	var list []string
	for _, e := range s.Emissions {
		list = append(list, fmt.Sprint(key(s.Stations[e.Station]), " ", e.System, " ", e.On, " ", e.Azimuths))
	}
	return strings.Join(list, "; ")
}

func describeAntennas(s *site.Site) string {
	var list []string
	for _, a := range s.Antennas {
		list = append(list, fmt.Sprint(a.Emission, " az ", a.Azimuth, " h ", a.Height.Value, a.Height.Unit, " p ", a.Power.Value,
			a.Power.Unit, " t ", a.Tilt.Value, a.Tilt.Unit, " ", a.Frequencies))
	}
	return strings.Join(list, "; ")
}

// A file without a usable antenna is refused, and the antennas of the last good file stay.
func TestNoAntennaUsed(t *testing.T) {
	for _, tt := range []struct{ name, file, want string }{
		{"no antenna", answers(map[string][]string{"operators": operators, "emissions": {emits("1", "806")}}),
			"the list has no row"},
		{"none joins", answers(map[string][]string{"operators": operators, "dossiers": {approved("1", "a", "2020-01-01", "")},
			"antennas": {stated("1", "1", "1", "S1", 500)}}), notJoined},
		{"old permits", `{"list":{},"items":{"17":{"meta":{"isOldPermit":true},"permitantennas":null}}}`, oldPermit},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := tt.file
			if tt.name == "no antenna" { // a row by which the file is known
				file = strings.Replace(file, `"dossiers":{"head":{"vars":[]},"results":{"bindings":[`,
					`"dossiers":{"head":{"vars":[]},"results":{"bindings":[`+approved("1", "a", "2020-01-01", ""), 1)
			}
			_, _, err := Build(files(t, dossiersAt(), file), nil, nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// transmits is a transmitter of Brussels; numbers may be texts.
func transmits(operator, system string, azimuth, height any) map[string]any {
	return map[string]any{"panneau_id": "p", "antbts": "BR1", "antname": "BR1_0", "antazi": azimuth, "anteff": "40.5",
		"antgain": "17", "antelect": 6, "antmect": 0, "anthma": height, "operateur": operator, "system": system, "duplex": "FDD",
		"diagram_hori": []float64{0, -1}, "diagram_verti": []float64{0}}
}

func panel(lng, lat float64, transmitters ...map[string]any) map[string]any {
	return map[string]any{"geometry": map[string]any{"coordinates": []float64{lng, lat, 30}},
		"properties": map[string]any{"transmitters": transmitters}}
}

func TestBrussels(t *testing.T) {
	items := map[string]any{
		"17": map[string]any{"meta": map[string]any{"id_global_outdoor": nil, "id_global_horiz": 1234,
			"date_exportation": "2014-10-15T12:44:01.969Z"},
			"permitantennas": map[string]any{
				"2": panel(4.35001, 50.85, transmits("PROXIMUS", "LTE 800", 240, 31.25), transmits("proximus", "5G 3500", "0", "31"),
					transmits("Nextel", "LTE 800", 1, 1), transmits("Orange", "TETRA 400", 1, 1)),
				"1": panel(4.35, 50.85, transmits("Proximus", "LTE 800", 120, 31.25)),
				"3": panel(149000, 170000, transmits("Proximus", "LTE 800", 7, 1))}},
		"18": map[string]any{"meta": map[string]any{"isOldPermit": true}, "permitantennas": nil},
		"19": map[string]any{"meta": nil, "permitantennas": nil},
	}
	text, err := json.Marshal(map[string]any{"list": map[string]any{"type": "FeatureCollection"}, "items": items})
	must(t, err)
	_, sites, reports := build(t, files(t, string(text)))
	s := sites["bru-17"]
	if d := geo.Distance(s.Position, geo.Point{Lat: 50.85, Lng: 4.35}); len(sites) != 1 || d > 0.1 || s.SourceCode != "1234" ||
		s.Stations[0].OperatorSiteID != "BR1" || s.Registers != fromRegister(Brussels) {
		t.Fatalf("%d sites, %g m away, %+v; want one with the permit 1234 and site code BR1", len(sites), d, s)
	}
	if got, want := describe(&s), "PROXIMUS_BE LTE 800  [120 240]; PROXIMUS_BE NR 3500  [0]"; got != want {
		t.Errorf("emissions %s; want %s", got, want)
	}
	if got, want := describeAntennas(&s), "0 az 120 h 31.25 p 40.5 t 0 []; 0 az 240 h 31.25 p 40.5 t 0 []; "+
		"1 az 0 h 31 p 40.5 t 0 []"; got != want ||
		s.Antennas[0].Electrical != (site.Quantity{Value: 6}) {
		t.Errorf("antennas %s; want %s, and an electrical tilt of 6", got, want)
	}
	want := map[string]int{oldPermit: 1, "a site without antennas": 1, "operator not served": 1, "technology not served": 1,
		"position in degrees outside the region": 1}
	if r := reports[0]; !maps.Equal(r.Rejected, want) ||
		r.Served != 3 || r.Rows != 8 || !strings.Contains(r.Warning, `technology "TETRA"`) {
		t.Errorf("%d of %d rows, rejected %v, warning %q; want 3 of 8, %v, TETRA named", r.Served, r.Rows, r.Rejected, r.Warning, want)
	}
}

// What is drawn at random and kept in the form of the query service is served as a second computation says, which
// knows neither cells nor spots.
func TestAntennasOracle(t *testing.T) {
	bands := map[string]string{"806": "LTE 800", "2655": "LTE 2600", "1842.5": "LTE 1800"}
	lists, rows, want := map[string][]string{"operators": operators}, []string{}, map[string][]string{}
	for n := range 60 {
		east, id := float64(n)*100, fmt.Sprint(1000+n)
		rows = append(rows, row{id, "2014-01-02", "S", "", "Proximus NV", id, at(105000+east, 194000)}.String())
		for k, mhz := range slices.Sorted(maps.Keys(bands)) {
			name, off := fmt.Sprintf("%d-%d", n, k), float64((n*7+k*5)%14)+0.5 // not at ten metres exactly
			lists["dossiers"] = append(lists["dossiers"], approved(name, id, "2020-01-01", ""))
			lists["emissions"] = append(lists["emissions"], emits(name, mhz))
			lists["antennas"] = append(lists["antennas"],
				stated(name, "1", "1", id, east+off, "azimut", fmt.Sprint(n*k%360), "hoogte", fmt.Sprint(20+k)))
			if off <= 10 {
				want[id] = append(want[id], fmt.Sprintf("%s %d %d", bands[mhz], n*k%360, 20+k))
			}
		}
	}
	_, sites, _ := build(t, files(t, collection(crs, rows...), answers(lists)))
	got := map[string][]string{}
	for id, s := range sites {
		for _, a := range s.Antennas {
			got[id] = append(got[id], fmt.Sprintf("%s %g %g", s.Emissions[a.Emission].System, a.Azimuth, a.Height.Value))
		}
	}
	for id := range want {
		slices.Sort(want[id])
		slices.Sort(got[id])
	}
	if len(sites) != 60 || len(got) != len(want) {
		t.Errorf("%d sites, %d with antennas; want 60 and %d", len(sites), len(got), len(want))
	}
	for id := range want {
		if !slices.Equal(got[id], want[id]) {
			t.Errorf("%s: %v, want %v", id, got[id], want[id])
		}
	}
}

// The words that antennas are told apart by are folded already, as the readers look them up.
func TestTechnologyWords(t *testing.T) {
	for word := range technologies {
		if folded := strings.Join(fold.Words(word), " "); folded != word {
			t.Errorf("%q, folded %q", word, folded)
		}
	}
	if bandOf(763) != "700" || bandOf(789) != "" || bandOf(math.NaN()) != "" {
		t.Errorf("bands of 763 and 789 MHz: %s, %q; want 700 and none", bandOf(763), bandOf(789))
	}
}
