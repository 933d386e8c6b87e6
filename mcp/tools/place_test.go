package tools

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"relais/api"
	"relais/catalog"
	"relais/geo"
	"relais/index"
	"relais/market"
	"relais/site"
)

// towns is a register with several communes of one name, and districts.
func towns(t *testing.T) *Reading {
	t.Helper()
	var sites []site.Site
	for i, s := range []struct{ commune, postal, department string }{
		{"ST DENIS", "93200", "93"}, {"ST DENIS", "93200", "93"}, {"ST DENIS", "11310", "11"},
		{"ST DENIS EN VAL", "45560", "45"},
		{"LA RUE ST DENIS", "45000", "45"}, {"CAGNY", "14630", "14"}, {"PARIS 01", "75001", "75"},
		{"PARIS 15", "75015", "75"}, {"VILLEPARISIS", "77270", "77"},
	} {
		area, ok := market.Get(market.FR).Area(s.department)
		if !ok {
			t.Fatalf("department %s is unknown", s.department)
		}
		sites = append(sites, site.Site{ID: fmt.Sprint(1750010 + i), Position: geo.Point{Lat: 46 + float64(i), Lng: 3},
			Commune: s.commune, PostalCode: s.postal, Area: area})
	}
	return &Reading{Env: &api.Env{Catalog: catalog.Catalog{
		Set: index.NewSet([]*index.Market{register(t, market.FR, sites...)}, nil)}}}
}

// Pages of places neither skip nor repeat one, and all say how many there are.
func TestPlacePages(t *testing.T) {
	r := inCountry(t)
	whole := mustCall(t, r, "location_search_places", `{"place":"s","limit":50}`)
	total := int(whole["total"].(float64))
	if total <= 6 || whole["truncated"] != (total > 50) {
		t.Fatalf("got %v of %d, want more than 6, truncated over 50", whole["returned"], total)
	}
	var got []any
	for offset := 0; offset < min(total, 50); offset += 3 {
		page := mustCall(t, r, "location_search_places", fmt.Sprintf(`{"place":"s","limit":3,"offset":%d}`, offset))
		wantMembers(t, page, object{"total": whole["total"], "truncated": offset+3 < total}, "at %d", offset)
		got = append(got, page["items"].([]any)...)
	}
	want := whole["items"].([]any)
	if n := min(len(got), len(want)); fmt.Sprint(got[:n]) != fmt.Sprint(want[:n]) || n < min(total, 50) {
		t.Errorf("got pages %v\nwant the whole %v", got, want)
	}
	past := mustCall(t, r, "location_search_places", `{"place":"s","offset":1000000}`)
	wantMembers(t, past, object{"total": whole["total"], "returned": 0.0}, "past the end")
}

// The code of a department names it, also where postal codes begin with it.
func TestPlaceOfCode(t *testing.T) {
	for _, tt := range []struct{ code, name string }{
		{"93", "Seine-Saint-Denis"},
		{"75", "Paris"},
	} {
		t.Run(tt.code, func(t *testing.T) {
			match := mustCall(t, towns(t), "location_geocode", fmt.Sprintf(`{"place":%q}`, tt.code))["match"].(object)
			wantMembers(t, match, object{"name": tt.name, "kind": "area"}, "%s", tt.code)
		})
	}
}

// An answer around a place says which others its name may mean.
func TestPlaceOfSeveral(t *testing.T) {
	r := towns(t)
	for _, tt := range []struct{ place, other string }{
		{"saint-denis", "ST DENIS (Aude)"},
		{"saint-denis 93", ""},
		{"cagny", ""},
		{"saint-denis en val", ""},
	} {
		t.Run(tt.place, func(t *testing.T) {
			for _, tool := range []string{"sites_nearby_from_place", "sites_planned_nearby_from_place"} {
				note, _ := mustCall(t, r,
					tool, fmt.Sprintf(`{"place":%q}`, tt.place))["center"].(object)["note"].(string)
				if got := strings.Contains(note, "another place"); got != (tt.other != "") ||
					!strings.Contains(note, tt.other) || strings.Contains(note, "EN VAL") {
					t.Errorf("%s %s: got note %q, want %q in it when there is another place", tool, tt.place, note,
						tt.other)
				}
			}
		})
	}
}

// Words are meant as people say them: a Saint is a St, and a commune, its districts and a
// postal code come before streets; nothing is found within other words and numbers.
func TestSearchAsSpoken(t *testing.T) {
	r := towns(t)
	for _, tt := range []struct {
		query string
		want  [][]string
	}{ // in groups of any order
		{"saint-denis", [][]string{{"1750010", "1750011", "1750012"}, {"1750013"}, {"1750014"}}},
		{"St Denis", [][]string{{"1750010", "1750011", "1750012"}, {"1750013"}, {"1750014"}}},
		{"75001", [][]string{{"1750016"}}},
		{"1750012", [][]string{{"1750012"}}},
		{"paris", [][]string{{"1750016", "1750017"}}},
		{"saint-denis 45", [][]string{{"1750013", "1750014"}}},
		{"sainte denis", [][]string{}},
		{"saint", [][]string{{"1750010", "1750011", "1750012", "1750013"}, {"1750014"}}},
	} {
		t.Run(tt.query, func(t *testing.T) {
			for _, tool := range []string{"sites_search", "anfr_search", "sites_global_search"} {
				var got []string
				for offset := 0; offset < 9; offset += 2 {
					for _, key := range keys(mustCall(t, r, tool,
						fmt.Sprintf(`{"query":%q,"limit":2,"offset":%d}`, tt.query, offset))["items"]) {
						got = append(got, strings.TrimPrefix(key, "fr-"))
					}
				}
				rest := got
				for _, group := range tt.want {
					n := min(len(group), len(rest))
					if slices.Sort(rest[:n]); !slices.Equal(rest[:n], group) {
						t.Errorf("%s %q: %v, want %v", tool, tt.query, got, tt.want)
					}
					rest = rest[n:]
				}
				if len(rest) > 0 {
					t.Errorf("%s %q: %v too many, want none", tool, tt.query, rest)
				}
			}
		})
	}
}

// The error of a place whose market does not have the operator names the place, that of no place where it was looked for.
func TestPlaceOfOperator(t *testing.T) {
	r := empty(t)
	r.Set = inCountry(t).Set
	for _, tt := range []struct{ arguments, want string }{
		{`{"place":"97400","operator":"SFR"}`, "97400 (La Réunion) is in the market DROM, which has ORANGE,"},
		{`{"place":"97400","operator":"ORANGE,SFR"}`, "97400 (La Réunion) is in the market DROM, which has ORANGE,"},
		{`{"place":"97400","market":"FR"}`, "FR has no sites in a commune"},
		{`{"place":"xanadu"}`, "no loaded register"},
	} {
		for _, tool := range []string{"sites_nearby_from_place", "sites_planned_nearby_from_place",
			"sites_hs_nearby_from_place"} {
			if _, err := call(r, tool, tt.arguments); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s %s: %v, want an error with %q", tool, tt.arguments, err, tt.want)
			}
		}
	}
	for _, operator := range []string{"ORANGE", "orange,srr"} {
		answer := mustCall(t, r, "sites_nearby_from_place", fmt.Sprintf(`{"place":"97400","operator":%q}`, operator))
		if answer["total"] == 0.0 || answer["center"].(object)["market"] != "DROM" {
			t.Errorf("%s: got %v, want sites in DROM", operator, answer)
		}
	}
}
