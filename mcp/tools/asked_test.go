package tools

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"relais/geo"
	"relais/index"
	"relais/index/indextest"
	"relais/market"
	"relais/site"
)

// registers is a register for questions: each site has one station and the emissions that are
// named, "5G NR 3500" or with a minus before it for a project.
func asked(t *testing.T) *Reading {
	t.Helper()
	fr := market.Get(market.FR)
	var sites []site.Site
	for _, s := range []struct {
		id, commune, postal, department, address, operator string
		lat                                                float64
		systems                                            []string
	}{
		{"1", "RENNES", "35000", "35", "1 RUE HAUTE", "ORANGE", 48.100, []string{"LTE 700"}},
		{"2", "RENNES", "35700", "35", "18 PLACE DE LA GARE", "FREE", 48.110, []string{"LTE 700", "5G NR 3500"}},
		{"3", "RENNES", "35000", "35", "2 RUE BASSE", "ORANGE", 48.130, []string{"5G NR 700"}},
		{"4", "VITRE", "35500", "35", "RUE DE RENNES", "ORANGE", 48.120, []string{"LTE 800"}},
		{"5", "VITRE", "35500", "35", "RUE NEUVE", "SFR", 48.121, []string{"5G NR 2100", "LTE 700"}},
		{"6", "POCE LES BOIS", "35500", "35", "LA HUNAUDIERE", "ORANGE", 48.140, []string{"LTE 800"}},
		{"7", "TOURS", "37200", "37", "4 AV GUSTAVE EIFFEL", "FREE", 47.300, []string{"LTE 800"}},
		{"8", "BREST", "29200", "29", "29 R DUQUESNE", "BOUYGUES", 48.390, []string{"LTE 800", "-5G NR 3500"}},
		{"9", "BREST", "29200", "29", "64 R D'ARMORIQUE", "BOUYGUES", 48.391, []string{"5G NR 3500"}},
		{"10", "BRETAGNE", "36110", "36", "BRISEVENT", "SFR", 46.990, []string{"LTE 800"}},
		{"11", "ORANGE", "84100", "84", "RUE DE L'ARC", "FREE", 44.130, []string{"LTE 800"}},
		{"12", "PARIS 15", "75015", "75", "107 RUE BLOMET", "FREE", 48.840, []string{"LTE 800"}},
		{"13", "LYON 03", "69003", "69", "RUE DUGUESCLIN", "FREE", 45.750, []string{"LTE 800"}},
	} {
		area, _ := fr.Area(s.department)
		operator, ok := fr.Operator(s.operator)
		if !ok {
			t.Fatalf("operator %s is unknown", s.operator)
		}
		one := site.Site{ID: s.id + "0000", Position: geo.Point{Lat: s.lat, Lng: -1.6}, Commune: s.commune,
			PostalCode: s.postal, Area: area, Address: [3]string{s.address},
			Stations: []site.Station{{Code: "00" + s.id, Operator: operator}}}
		for _, name := range s.systems {
			name, project := strings.CutPrefix(name, "-")
			e := site.Emission{System: name, Generation: site.G4, Status: 2}
			if strings.HasPrefix(name, "5G") {
				e.Generation = site.G5
			}
			if project {
				e.Status = 0
			}
			one.Emissions = append(one.Emissions, e)
		}
		sites = append(sites, one)
	}
	r := empty(t)
	r.Set = index.NewSet([]*index.Market{indextest.Market(t, market.FR, sites...)}, nil)
	return r
}

// numbers are the sites of an answer, without the zeros of their identifiers.
func numbers(list any, member string) (found []string) {
	for _, item := range list.([]any) {
		found = append(found, strings.TrimSuffix(strings.TrimPrefix(item.(object)[member].(string), "fr-"), "0000"))
	}
	return found
}

// Questions as people type them find the sites of the place first, then those around it.
func TestAskedOfSearch(t *testing.T) {
	r := asked(t)
	for _, tt := range []struct{ query, want string }{
		{"5G Rennes", "2 3 5"},
		{"antenne Orange à Vitré", "4 3 6 1"},
		{"gare de Rennes", "2"},
		{"Paris 15e", "12"},
		{"Lyon 3", "13"},
		{"tour Eiffel", ""},
		{"Rennes 3500", "2"},
		{"planned 5G in Brest", "8"},
		{"Bretagne", "2 4 5 1 3 6 8 9"},
		{"commune Bretagne 36", "10"},
		{"LTE 700 près de Vitré", "5 2 1"},
		{"antennes Free à Xanadu", ""},
		{"xanadu de Rennes", "2 1 3"},
		{"Rennes, France", "2 1 3 4 5 6"},
		{"5G Swisscom Rennes", ""},
		{"rue de Rennes Vitré", "4"},
		{"20000", "2"},
		{"5G en projet", "8"},
	} {
		t.Run(tt.query, func(t *testing.T) {
			answer := mustCall(t, r, "search", fmt.Sprintf(`{"query":%q}`, tt.query))
			got := numbers(answer["results"], "id")
			head := got[:min(len(got), len(strings.Fields(tt.want)))]
			if tt.query == "Bretagne" { // their order is that of the middle of the region
				slices.Sort(head)
				tt.want = "1 2 3 4 5 6 8 9"
			}
			if strings.Join(head, " ") != tt.want || tt.want == "" && len(got) > 0 {
				t.Errorf("%q: %v, want %s first", tt.query, got, tt.want)
			}
			if u := answer["understood"].(object); len(got) == 0 && u["note"] == nil {
				t.Errorf("%q: nothing is said about nothing: %v", tt.query, u)
			}
		})
	}
}

// The lists of sites read questions as search does, and count what they find.
func TestAskedOfLists(t *testing.T) {
	r := asked(t)
	for _, tool := range []string{"sites_search", "anfr_search", "sites_global_search"} {
		for _, tt := range []struct{ query, want string }{
			{"5G Rennes", "2 3"},
			{"antenne Orange à Vitré", "4"},
			{"Rennes 3500", "2"},
			{"planned 5G in Brest", "8"},
			{"Bretagne", "1 2 3 4 5 6 8 9"},
			{"tour Eiffel", ""},
			{"gare de Rennes", "2"},
			{"Paris 15ème arrondissement", "12"},
			{"vitr", "4 5"},
			{"xanadu de Brest", "8 9"},
			{"Free ou SFR LTE 700", "2 5"},
			{"Orange", "11"},
			{"5G NR 3500 Bouygues Brest", "8 9"},
		} {
			t.Run(tt.query, func(t *testing.T) {
				answer := mustCall(t, r, tool, fmt.Sprintf(`{"query":%q,"limit":50}`, tt.query))
				got := numbers(answer["items"], "siteKey")
				slices.SortFunc(got, func(a, b string) int { return len(a) - len(b) })
				slices.Sort(got)
				if strings.Join(got, " ") != tt.want || answer["total"] != float64(len(got)) {
					t.Errorf("%s %q: %v, total %v, want %s", tool, tt.query, got, answer["total"], tt.want)
				}
			})
		}
	}
	// What is given in addition meets on one emission with what is understood.
	for _, tt := range []struct{ arguments, want string }{
		{`{"query":"Brest 3500","status":"en-service"}`, "9"},
		{`{"query":"Brest 3500","status":"projet"}`, "8"},
		{`{"query":"Rennes 5G","operator":"FREE"}`, "2"},
	} {
		t.Run(tt.arguments, func(t *testing.T) {
			if got := numbers(mustCall(t, r, "sites_search", tt.arguments)["items"], "siteKey"); strings.Join(got,
				" ") != tt.want {
				t.Errorf("%s: %v, want %s", tt.arguments, got, tt.want)
			}
		})
	}
}

var understoodCases = []struct {
	query string
	want  Understood
}{
	{"5G Rennes", Understood{Place: "RENNES (Ille-et-Vilaine)", Words: "rennes", Technologies: []string{"5G"}}},
	{"planned LTE 700 Orange Brest", Understood{Place: "BREST (Finistère)", Words: "brest",
		Technologies: []string{"LTE 700"}, Status: "planned", Operators: []string{"ORANGE", "ORANGE_BE"},
		Note: "No site of BREST"}},
	{"Rennes 3500", Understood{Place: "RENNES (Ille-et-Vilaine)", Words: "rennes",
		Technologies: []string{"3500 MHz"}}},
	{"Bretagne", Understood{Place: "Bretagne", Words: "bretagne", Note: "BRETAGNE (Indre)"}},
	{"Orange", Understood{Place: "ORANGE (Vaucluse)", Words: "orange", Note: "for the operator ORANGE"}},
	{"tour Eiffel", Understood{Words: "tour eiffel", Note: "Landmarks"}},
	{"xanadu de Rennes", Understood{Place: "RENNES (Ille-et-Vilaine)", Words: "xanadu rennes",
		Note: `No place is called "xanadu de rennes"`}},
	{"5G 26 GHz sites SFR in Brest ?", Understood{Place: "BREST (Finistère)", Words: "brest",
		Technologies: []string{"5G NR 26000"}, Operators: []string{"SFR", "SRR"}, Note: "No site of BREST"}},
}

// An answer says how the question was read.
func TestUnderstood(t *testing.T) {
	r := asked(t)
	for _, tt := range understoodCases {
		t.Run(tt.query, func(t *testing.T) {
			for _, tool := range []string{"search", "sites_search"} {
				got := mustCall(t, r, tool, fmt.Sprintf(`{"query":%q}`, tt.query))["understood"].(object)
				note, _ := got["note"].(string)
				delete(got, "note")
				shown := object{}
				for _, tt := range []struct{ name, value string }{
					{"place", tt.want.Place},
					{"words", tt.want.Words},
					{"status", tt.want.Status},
				} {
					t.Run(tt.name, func(t *testing.T) {
						if tt.value != "" {
							shown[tt.name] = tt.value
						}
					})
				}
				for _, tt := range []struct {
					name string
					list []string
				}{
					{"operators", tt.want.Operators},
					{"technologies", tt.want.Technologies},
				} {
					t.Run(tt.name, func(t *testing.T) {
						if tt.list != nil {
							shown[tt.name] = tt.list
						}
					})
				}
				if fmt.Sprint(got) != fmt.Sprint(shown) || !strings.Contains(note, tt.want.Note) ||
					tt.want.Note == "" && note != "" {
					t.Errorf("%s %q: %v %q, want %v %q", tool, tt.query, got, note, shown, tt.want.Note)
				}
			}
		})
	}
	if plain := mustCall(t, r, "sites_search", `{}`); plain["understood"] != nil {
		t.Errorf("without a query: %v, want none", plain["understood"])
	}
}

// Areas and regions are places: what is near them is what is in them.
func TestAreasAsPlaces(t *testing.T) {
	r := asked(t)
	for _, tt := range []struct{ place, want string }{
		{"Ille-et-Vilaine", "1 2 3 4 5 6"},
		{"Bretagne", "1 2 3 4 5 6 8 9"},
		{"35", "1 2 3 4 5 6"},
		{"Bretagne 36", "10"},
		{"Île-de-France", "12"},
	} {
		t.Run(tt.place, func(t *testing.T) {
			answer := mustCall(t, r, "sites_nearby_from_place", fmt.Sprintf(`{"place":%q,"limit":50}`, tt.place))
			got := numbers(answer["items"], "siteKey")
			last := -1.0
			for _, item := range answer["items"].([]any) {
				d := item.(object)["distanceMeters"].(float64)
				if d < last {
					t.Errorf("%s: %v m after %v m", tt.place, d, last)
				}
				last = d
			}
			slices.Sort(got)
			if strings.Join(got, " ") != tt.want {
				t.Errorf("%s: %v, want %s", tt.place, got, tt.want)
			}
		})
	}
	planned := mustCall(t, r, "sites_planned_nearby_from_place", `{"place":"Bretagne"}`)["items"]
	if got := numbers(planned, "siteKey"); strings.Join(got, " ") != "8" {
		t.Errorf("planned in Bretagne: got %v, want site 8 alone", got)
	}
	around := mustCall(t, r, "sites_nearby_from_place", `{"place":"Ille-et-Vilaine","radiusKm":0.5}`)
	if around["total"].(float64) >= 6 {
		t.Errorf("a radius that is given counts: %v, want total less than 6", around)
	}
	match := mustCall(t, r, "location_geocode", `{"place":"Bretagne"}`)
	m, others := match["match"].(object), match["alternatives"].([]any)
	if m["kind"] != "region" || m["sites"] != 8.0 || len(others) != 1 ||
		others[0].(object)["kind"] != "commune" {
		t.Errorf("got %v, want the region of 8 sites and one commune as another match", match)
	}
	for _, arguments := range []string{`{"department":"ille et vilaine","limit":50}`, `{"department":35,"limit":50}`} {
		if got := mustCall(t, r, "sites_search", arguments); got["total"] != 6.0 {
			t.Errorf("%s: %v, want 6.0", arguments, got["total"])
		}
		if got := mustCall(t, r, "anfr_get_stats",
			strings.Replace(arguments, `,"limit":50`, "", 1)); got["allSites"] != 6.0 {
			t.Errorf("stats %s: %v, want allSites = 6.0", arguments, got)
		}
	}
}

func TestPlacesWithTheirTown(t *testing.T) {
	r := asked(t)
	for _, tt := range []struct{ place, want string }{
		{"Lyon 3", "LYON 03"},
		{"Paris 15e", "PARIS 15"},
		{"Rennes, France", "RENNES"},
		{"gare de Rennes", "RENNES"},
		{"Vitré, Ille-et-Vilaine", "VITRE"},
	} {
		t.Run(tt.place, func(t *testing.T) {
			got := mustCall(t, r, "location_geocode", fmt.Sprintf(`{"place":%q}`, tt.place))
			if got["match"].(object)["name"] != tt.want || (got["note"] != nil) != (tt.place == "gare de Rennes") {
				t.Errorf("%s: got %v, want %s, and a note for gare de Rennes only", tt.place, got, tt.want)
			}
		})
	}
	if _, err := call(r, "location_geocode", `{"place":"tour Eiffel"}`); err == nil ||
		!strings.Contains(err.Error(), "Landmarks") {
		t.Errorf("tour Eiffel: %v, want an error with Landmarks", err)
	}
	if _, err := call(r, "sites_nearby_from_place", `{"place":"Rennes, Belgium"}`); err == nil {
		t.Error("Rennes is found in Belgium")
	}
}

// What says the same in another type of JSON is taken.
func TestLenientArguments(t *testing.T) {
	r := asked(t)
	for _, tt := range []struct {
		tool  string
		pairs [2]string
	}{
		{"sites_nearby", [2]string{`{"lat":"48.1","lon":"-1.6","limit":"3"}`, `{"lat":48.1,"lon":-1.6,"limit":3}`}},
		{"sites_find_by_radio", [2]string{`{"enb":100000}`, `{"enb":"100000"}`}},
		{"sites_nearby_from_place",
			[2]string{`{"place":35000,"operator":["orange"]}`, `{"place":"35000","operator":"ORANGE"}`}},
		{"sites_search", [2]string{`{"query":["5G","Rennes"],"limit":[5]}`, `{"query":"5G,Rennes","limit":5}`}},
	} {
		t.Run(tt.tool, func(t *testing.T) {
			if got, want := mustCall(t, r, tt.tool, tt.pairs[0]), mustCall(t, r, tt.tool,
				tt.pairs[1]); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s %s: %v\nwant %v", tt.tool, tt.pairs[0], got, want)
			}
		})
	}
	if got := numbers(mustCall(t, r, "sites_search", `{"query":["5G","Rennes"]}`)["items"], "siteKey"); len(got) != 2 {
		t.Errorf("words in a list: got %v, want 2 sites", got)
	}
	if _, err := call(r, "sites_nearby", `{"lat":"north","lon":2}`); err == nil ||
		!strings.Contains(err.Error(), "lat") {
		t.Errorf("got %v, want an error with lat", err)
	}
}
