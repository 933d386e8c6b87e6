package httpapi

import (
	"fmt"
	"strings"
	"testing"
)

// The description of the API is OpenAPI 3.0, and names the paths that there are, with the limits of a page.
func TestOGCDescription(t *testing.T) {
	s := newServer(t)
	address := linkOf(askOGC(t, s, ogcBase, 200), "service-desc")
	w := do(t, s, "GET", address[len("http://relais.test"):], "X-API-Key", "")
	doc := parse(t, w, 200)
	const want = "application/vnd.oai.openapi+json;version=3.0"
	if got := w.Header().Get("Content-Type"); got != want || doc["openapi"] != "3.0.3" {
		t.Errorf("content type %q, openapi %v, want %q and 3.0.3", got, doc["openapi"], want)
	}
	server := doc["servers"].([]any)[0].(object)["url"].(string)
	fill := map[string]string{"collectionId": "fr-sites", "featureId": "fr-90000010"}
	components := doc["components"].(object)["parameters"].(object)
	for path, item := range doc["paths"].(object) {
		for name, value := range fill {
			path = strings.ReplaceAll(path, "{"+name+"}", value)
		}
		askOGC(t, s, server+path, 200)
		for _, p := range item.(object)["get"].(object)["parameters"].([]any) {
			name := p.(object)["$ref"].(string)[len("#/components/parameters/"):]
			if components[name] == nil {
				t.Errorf("%s has the parameter %s, which is not described", path, name)
			}
		}
	}
	limit := components["limit"].(object)["schema"].(object)
	for query, most := range map[string]any{"": limit["default"], "&limit=6000": limit["maximum"]} {
		page := askOGC(t, s, server+"/collections/fr-sectors/items?f=json"+query, 200)
		if got := page["numberReturned"]; fmt.Sprint(got) != fmt.Sprint(most) {
			t.Errorf("%q answers %v features, want %v", query, got, most)
		}
	}
}
