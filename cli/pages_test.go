package cli

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"testing"

	"relais/httpapi"
	"relais/httpapi/web"
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

func TestEmbedFlag(t *testing.T) {
	for _, tt := range []struct {
		name  string
		flags webFlags
		want  string // origins, or a part of the error
	}{
		{"as browsers write them", webFlags{Embed: []string{"https://Town.example:443/", "http://127.0.0.1:3000", "http://localhost"}},
			"https://town.example http://127.0.0.1:3000 http://localhost"},
		{"every origin", webFlags{Embed: []string{"*"}}, "must start with http"},
		{"every name", webFlags{Embed: []string{"https://*.example"}}, "is not a host in full"},
		{"a path", webFlags{Embed: []string{"https://town.example/map"}}, "only scheme, host and port"},
		{"a policy", webFlags{Embed: []string{"https://town.example; script-src *"}}, "there is a blank"},
		{"plain HTTP", webFlags{Embed: []string{"http://town.example"}}, "want https"},
		{"an address that policies cannot name", webFlags{Embed: []string{"https://[2001:db8::1]"}}, "want a name"},
		{"a map with a key", webFlags{Embed: []string{"https://town.example"}, Map: "key"}, "--map on"},
		{"no pages", webFlags{Embed: []string{"https://town.example"}, Pages: "off"}, "--pages on"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var o web.Options
			tt.flags.Map, tt.flags.Pages = cmp.Or(tt.flags.Map, "on"), cmp.Or(tt.flags.Pages, "on")
			if err := tt.flags.pages(&o); err != nil {
				if _, usage := err.(usageError); !usage || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("got %v, want a wrong use with %q", err, tt.want)
				}
			} else if got := strings.Join(o.Embed, " "); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
