package tools

import (
	"fmt"
	"strings"
	"testing"

	"relais/geo"
	"relais/index"
	"relais/market"
	"relais/ops"
	"relais/site"
)

// towns is a register with several communes of one name, and districts.
func towns(t *testing.T) *Reading {
	t.Helper()
	var sites []site.Site
	for i, s := range []struct{ commune, postal, department string }{
		{"ST DENIS", "93200", "93"}, {"ST DENIS", "93200", "93"}, {"ST DENIS", "11310", "11"}, {"ST DENIS EN VAL", "45560", "45"},
		{"LA RUE ST DENIS", "45000", "45"}, {"CAGNY", "14630", "14"}, {"PARIS 01", "75001", "75"}, {"PARIS 15", "75015", "75"}, {"VILLEPARISIS", "77270", "77"},
	} {
		area, ok := market.Get(market.FR).Area(s.department)
		if !ok {
			t.Fatal(s.department)
		}
		sites = append(sites, site.Site{ID: fmt.Sprint(1750010 + i), Position: geo.Point{Lat: 46 + float64(i), Lng: 3}, Commune: s.commune, PostalCode: s.postal, Area: area})
	}
	return &Reading{Reading: &ops.Reading{Set: index.NewSet([]*index.Market{register(t, market.FR, sites...)}, nil)}}
}

// Pages of places neither skip nor repeat one, and all say how many there are.
func TestPlacePages(t *testing.T) {
	r := inCountry(t)
	whole := mustCall(t, r, "location_search_places", `{"place":"s","limit":50}`)
	total := int(whole["total"].(float64))
	if total <= 6 || whole["truncated"] != (total > 50) {
		t.Fatalf("%v of %d", whole["returned"], total)
	}
	var got []any
	for offset := 0; offset < min(total, 50); offset += 3 {
		page := mustCall(t, r, "location_search_places", fmt.Sprintf(`{"place":"s","limit":3,"offset":%d}`, offset))
		if page["total"] != whole["total"] || page["truncated"] != (offset+3 < total) {
			t.Errorf("at %d: %v", offset, page)
		}
		got = append(got, page["items"].([]any)...)
	}
	want := whole["items"].([]any)
	if n := min(len(got), len(want)); fmt.Sprint(got[:n]) != fmt.Sprint(want[:n]) || n < min(total, 50) {
		t.Errorf("pages: %v\nwhole: %v", got, want)
	}
	past := mustCall(t, r, "location_search_places", `{"place":"s","offset":1000000}`)
	if past["total"] != whole["total"] || past["returned"] != 0.0 {
		t.Errorf("past the end: %v", past)
	}
}

// The code of a department names it, also where postal codes begin with it.
func TestPlaceOfCode(t *testing.T) {
	for code, name := range map[string]string{"93": "Seine-Saint-Denis", "75": "Paris"} {
		match := mustCall(t, towns(t), "location_geocode", fmt.Sprintf(`{"place":%q}`, code))["match"].(object)
		if match["name"] != name || match["kind"] != "area" {
			t.Errorf("%s is %v", code, match)
		}
	}
}

// An answer around a place says which others its name may mean.
func TestPlaceOfSeveral(t *testing.T) {
	r := towns(t)
	for place, other := range map[string]string{"saint-denis": "ST DENIS (Aude)", "saint-denis 93": "", "cagny": "", "saint-denis en val": ""} {
		for _, tool := range []string{"sites_nearby_from_place", "sites_planned_nearby_from_place"} {
			note, _ := mustCall(t, r, tool, fmt.Sprintf(`{"place":%q}`, place))["center"].(object)["note"].(string)
			if got := strings.Contains(note, "another place"); got != (other != "") || !strings.Contains(note, other) || strings.Contains(note, "EN VAL") {
				t.Errorf("%s %s: %q", tool, place, note)
			}
		}
	}
}
