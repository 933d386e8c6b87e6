package tools

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// numbers are the sites of an answer, without the zeros of their identifiers.
func numbers(list any, member string) (found []string) {
	for _, item := range list.([]any) {
		found = append(found, strings.TrimSuffix(strings.TrimPrefix(item.(object)[member].(string), "fr-"), "0000"))
	}
	return found
}

// The tools that take a question ask all of it, with what is given in addition, and say why they found nothing.
func TestFindOfTools(t *testing.T) {
	r := towns(t)
	for _, tt := range []struct{ tools, arguments, want string }{
		{"search", `{"query":"antenne Orange à Vitré"}`, "4 3 6 1"},
		{"sites_search anfr_search sites_global_search", `{"query":"5G Rennes"}`, "2 3"},
		{"sites_search anfr_search sites_global_search", `{"query":"5G Rennes","limit":1,"offset":1}`, "3"},
		{"sites_search anfr_search", `{"query":"Brest 3500","status":"projet","operator":"bouygues,free"}`, "8"},
		{"sites_search anfr_search", `{"query":"5G","department":"29"}`, "9 8"},
		{"search sites_search anfr_search sites_global_search", `{"query":"tour Eiffel"}`, ""},
	} {
		for tool := range strings.FieldsSeq(tt.tools) {
			answer := mustCall(t, r, tool, tt.arguments)
			list, member := answer["items"], "siteKey"
			if tool == "search" {
				list, member = answer["results"], "id"
			}
			if got := strings.Join(numbers(list, member), " "); got != tt.want {
				t.Errorf("%s %s: got %s, want %s", tool, tt.arguments, got, tt.want)
			}
			if u := answer["understood"].(object); tt.want == "" && u["note"] == nil {
				t.Errorf("%s %s: nothing is said about nothing: %v", tool, tt.arguments, u)
			}
		}
	}
}

var understoodCases = []struct {
	query string
	want  Understood
}{
	{"5G Rennes", Understood{Place: "RENNES (Ille-et-Vilaine)", Words: "rennes", Technologies: []string{"5G"}}},
	{"planned LTE 700 Orange Brest", Understood{Place: "BREST (Finistère)", Words: "brest",
		Technologies: []string{"LTE 700"}, Status: "planned", Operators: []string{"ORANGE"},
		Note: "No site of BREST"}},
	{"Rennes 3500", Understood{Place: "RENNES (Ille-et-Vilaine)", Words: "rennes",
		Technologies: []string{"3500 MHz"}}},
	{"Bretagne", Understood{Place: "Bretagne", Words: "bretagne", Note: "BRETAGNE (Indre)"}},
	{"Orange", Understood{Place: "ORANGE (Vaucluse)", Words: "orange", Note: "for the operator ORANGE"}},
	{"tour Eiffel", Understood{Words: "tour eiffel", Note: "Landmarks"}},
	{"xanadu de Rennes", Understood{Place: "RENNES (Ille-et-Vilaine)", Words: "xanadu rennes",
		Note: `No place is called "xanadu de rennes"`}},
	{"5G 26 GHz sites SFR in Brest ?", Understood{Place: "BREST (Finistère)", Words: "brest",
		Technologies: []string{"5G NR 26000"}, Operators: []string{"SFR"}, Note: "No site of BREST"}},
}

// An answer says how the question was read.
func TestUnderstood(t *testing.T) {
	r := towns(t)
	for _, tt := range understoodCases {
		t.Run(tt.query, func(t *testing.T) {
			for _, tool := range []string{"search", "sites_search"} {
				got := mustCall(t, r, tool, fmt.Sprintf(`{"query":%q}`, tt.query))["understood"].(object)
				note, _ := got["note"].(string)
				delete(got, "note")
				shown := object{}
				for name, value := range map[string]any{"place": tt.want.Place, "words": tt.want.Words,
					"status": tt.want.Status, "operators": tt.want.Operators, "technologies": tt.want.Technologies} {
					if !reflect.ValueOf(value).IsZero() {
						shown[name] = value
					}
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
	r := towns(t)
	for _, tt := range []struct{ place, want string }{
		{"Ille-et-Vilaine", "1 2 3 4 5 6"},
		{"Bretagne", "1 2 3 4 5 6 8 9"},
		{"35", "1 2 3 4 5 6"},
		{"Bretagne 36", "10"},
		{"Île-de-France", "12 1750010 1750011 30 31"},
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
	r := towns(t)
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
	r := towns(t)
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
