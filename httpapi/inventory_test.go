package httpapi

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"relais/api"
	"relais/api/endpoint"
)

// Every list of a market without an inventory is empty and says why in its meta, in each form that has one. Lists of
// other markets have the member too, as null.
func TestListsWithoutInventory(t *testing.T) {
	s := newServer(t)
	var names []string
	for _, op := range api.Operations() {
		has := func(name string) bool {
			return slices.ContainsFunc(op.Params, func(p endpoint.Param) bool { return p.Name == name && p.In == "query" })
		}
		oneOrAll := strings.Contains(op.Path, "{") || !has("market")                                    // one site, or all markets
		if op.Method != http.MethodGet || oneOrAll || op.Produces != "" || op.Name == "coverage.area" { // maps need no inventory
			continue
		}
		names = append(names, op.Name)
		query := op.Path + "?"
		switch op.Name {
		case "antennas.lookup":
			query += "value=1&"
		case "speedtests.site":
			query += "enb=1&"
		}
		forms := map[string]string{"": "data"}
		if has("format") && get(t, s, query+"format=geojson").Code == http.StatusOK {
			forms["&format=geojson"] = "features"
		}
		for form, items := range forms {
			for market, country := range map[string]string{"PT": "Portugal", "ES": "Spain", "BA": "Bosnia", "FR": ""} {
				target := query + "market=" + market + form
				o := parse(t, get(t, s, target), http.StatusOK)
				why, there := o["meta"].(object)["sourceUnavailableReason"]
				list, isList := o[items].([]any)
				text, says := why.(string)
				if !there || !isList || says != (country != "") || !strings.Contains(text, country) {
					t.Errorf("%s: got the reason %v with %d items, want one about %q", target, why, len(list), country)
				}
				if country != "" && len(list) > 0 {
					t.Errorf("%s: %d items, want none", target, len(list))
				}
			}
		}
	}
	want := []string{"antennas.export", "antennas.list", "antennas.lookup", "antennas.search", "changes.list",
		"coverage.points", "outages.history", "outages.list", "sites-hs.list", "speedtests.list", "speedtests.site"}
	if slices.Sort(names); !slices.Equal(names, want) {
		t.Errorf("got the lists %q, want %q", names, want)
	}
}
