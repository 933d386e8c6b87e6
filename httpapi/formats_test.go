package httpapi

import (
	"fmt"
	"maps"
	"mime"
	"slices"
	"strings"
	"testing"

	"relais/market"
)

// The OpenAPI document has the media type of each format, and no other; what is JSON has the schema that it names.
func TestFormatsAreDeclared(t *testing.T) {
	s, doc := newServer(t), document(t)
	importOutages(t, s, market.FR, "ORANGE", paris, lyon)
	archiveWeeks(t, s, 3)
	more := map[string][]string{ // of what has another schema or another way through the program
		"/antennas":        {"format=geojson&limit=5", "format=geojson&limit=5&lat=48.85&lon=2.35&radiusKm=30"},
		"/antennas/export": {"format=geojson&properties=full", "format=parquet&rows=emissions"},
	}
	operations := 0
	for path, item := range doc["paths"].(object) {
		op, _ := item.(object)["get"].(object)
		formats := enumOf(op, "format")
		if formats == nil {
			continue
		}
		operations++
		t.Run(path, func(t *testing.T) {
			content := op["responses"].(object)["200"].(object)["content"].(object)
			answered := map[string]bool{}
			var queries []string
			for _, f := range formats {
				queries = append(queries, fmt.Sprint("format=", f))
			}
			for _, query := range append(queries, more[path]...) {
				w := get(t, s, path+"?"+query)
				mediaType, _, err := mime.ParseMediaType(w.Header().Get("Content-Type"))
				declared, ok := content[mediaType].(object)
				if w.Code != 200 || err != nil || !ok {
					t.Errorf("%s: status %d, content type %q, want 200 and one of %q", query, w.Code, mediaType,
						slices.Sorted(maps.Keys(content)))
					continue
				}
				answered[mediaType] = true
				if !strings.HasSuffix(mediaType, "json") {
					continue
				}
				for _, problem := range mismatch(doc, declared["schema"].(object), parse(t, w, 200), query) {
					t.Error(problem)
				}
			}
			for mediaType := range content {
				if !answered[mediaType] {
					t.Errorf("%s is declared, and no format has it", mediaType)
				}
			}
		})
	}
	if operations != 7 {
		t.Errorf("%d operations have formats, want 7", operations)
	}
}

// enumOf are the values of a parameter, nil if the operation does not have it.
func enumOf(op object, name string) (values []any) {
	parameters, _ := op["parameters"].([]any)
	for _, p := range parameters {
		if p := p.(object); p["name"] == name {
			values, _ = p["schema"].(object)["enum"].([]any)
		}
	}
	return values
}
