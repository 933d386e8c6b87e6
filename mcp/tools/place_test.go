package tools

import (
	"fmt"
	"strings"
	"testing"

	"relais/index"
	"relais/index/indextest"
)

// towns reads a register with several communes of one name, and districts.
func towns(t *testing.T) *Reading {
	t.Helper()
	r := empty(t)
	r.Set = index.NewSet([]*index.Market{indextest.Towns(t)}, nil)
	return r
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

// The error of a place whose market does not have the operator names the place, that of no place where it was looked for.
func TestPlaceOfOperator(t *testing.T) {
	r := empty(t)
	r.Set = inCountry(t).Set
	const nearby = "sites_nearby_from_place sites_planned_nearby_from_place sites_hs_nearby_from_place"
	for _, tt := range []struct{ tools, arguments, want string }{
		{nearby, `{"place":"97400","operator":"SFR"}`, "97400 (La Réunion) is in the market DROM, which has ORANGE,"},
		{nearby, `{"place":"97400","operator":"ORANGE,SFR"}`, "97400 (La Réunion) is in the market DROM, which has ORANGE,"},
		{nearby + " location_geocode", `{"place":"97400","market":"PT"}`,
			`PT has no sites in a commune, postal code, department or province "97400"; location_search_places lists those that begin with a text, and without market all registers`},
		{nearby + " location_geocode", `{"place":"xanadu"}`, "no loaded register has sites in"},
	} {
		for tool := range strings.FieldsSeq(tt.tools) {
			if answer, err := call(r, tool, tt.arguments); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s %s: %v, %v, want an error with %q", tool, tt.arguments, answer, err, tt.want)
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
