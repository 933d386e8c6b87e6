package cli

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"relais/httpapi"
)

func TestPagesFlags(t *testing.T) {
	for _, tt := range []struct {
		name  string
		flags webFlags
		tools bool
		mode  httpapi.MapMode
		links string // names of what / answers, "" if a page answers it
	}{
		{"as they are", webFlags{Map: "on", Pages: "on"}, true, httpapi.MapOpen, ""},
		{"a key for the map", webFlags{Map: "key", Pages: "on"}, true, httpapi.MapKey, ""},
		{"no map", webFlags{Map: "off", Pages: "on"}, true, httpapi.MapOff, ""},
		{"no pages", webFlags{Map: "on", Pages: "off"}, true, httpapi.MapOff, "api openapi tools"},
		{"the API alone", webFlags{Map: "key", Pages: "off"}, false, httpapi.MapOff, "api openapi"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.flags.mode(); got != tt.mode {
				t.Errorf("mode: got %q, want %q", got, tt.mode)
			}
			links := tt.flags.links("http://relais.test", tt.tools)
			if got := strings.Join(slices.Sorted(maps.Keys(links)), " "); got != tt.links {
				t.Errorf("links: got %q, want %q", got, tt.links)
			}
		})
	}
}
