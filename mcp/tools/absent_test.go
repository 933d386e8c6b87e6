package tools

import (
	"encoding/json"
	"testing"
	"time"

	"relais/api"
	"relais/archive"
	"relais/catalog"
	"relais/community"
	"relais/internal/tier"
	"relais/outage"
	"relais/outage/history"
	"relais/photos"
)

// empty reads nothing: no register, no measures, and stores of a folder that has no files
// and cannot have any.
func empty(t *testing.T) *Reading {
	t.Helper()
	outages, err := outage.Open(nil, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	said, err := community.Open(nil, outages, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return &Reading{Submissions: NewSubmissionStores(said, nil), Env: &api.Env{
		Catalog: catalog.Catalog{Outages: said.Outages(), Archives: archive.Open(nil, time.Now), History: history.Open(nil),
			Photos: photos.Open(nil, "", time.Now), Now: time.Now()}}}
}

// shown is arguments of a tool as the examples of its schema have them.
func shown(t *testing.T, tool *Tool) string {
	t.Helper()
	schema := tool.InputSchema()
	text, err := json.Marshal(schema["properties"])
	if err != nil {
		t.Fatal(err)
	}
	var properties map[string]struct{ Examples []any }
	if err := json.Unmarshal(text, &properties); err != nil {
		t.Fatal(err)
	}
	given := object{}
	required, _ := schema["required"].([]string)
	for _, name := range required {
		given[name] = properties[name].Examples[0]
	}
	if text, err = json.Marshal(given); err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// No tool breaks of what is not there: it answers nothing, or says what is missing.
func TestNothingThere(t *testing.T) {
	tier.Slow(t)
	nothing := empty(t)
	registers := empty(t)
	registers.Set = inCountry(t).Set
	for _, r := range []*Reading{nothing, registers} {
		for _, tool := range All() {
			if tool.SignedIn {
				continue
			}
			if _, err := call(r, tool.Name, shown(t, tool)); err != nil {
				if message, cause := api.PublicMessage(err); cause != nil {
					t.Errorf("%s: %s: %v, want none", tool.Name, message, cause)
				}
			}
		}
	}
}

// A market without an inventory has a source, which says why.
func TestNoInventory(t *testing.T) {
	r := empty(t)
	r.Set = inCountry(t).Set
	for _, tt := range []struct{ tool, arguments string }{
		{"sites_search", `{"market":"PT"}`},
		{"sites_nearby", `{"lat":38.7,"lon":-9.1,"market":"PT"}`},
		{"location_search_places", `{"place":"lisboa","market":"PT"}`},
		{"photos_search", `{"market":"PT"}`},
	} {
		t.Run(tt.tool, func(t *testing.T) {
			o := mustCall(t, r, tt.tool, tt.arguments)
			from, _ := o["sources"].([]any)
			if len(from) != 1 || from[0].(object)["market"] != "PT" ||
				from[0].(object)["sourceUnavailableReason"] == nil || o["total"] != 0.0 {
				t.Errorf("%s: %v, want len(from) = 1, market = PT, sourceUnavailableReason set and total = 0.0",
					tt.tool, o)
			}
		})
	}
}
