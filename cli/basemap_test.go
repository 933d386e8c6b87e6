package cli

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"relais/httpapi/web"
	"relais/internal/filetest"
)

func TestStyleOrigin(t *testing.T) {
	for _, tt := range []struct{ address, want string }{ // "" is refused
		{"https://Maps.Example/style.json?key=1", "https://maps.example"},
		{"https://maps.example:8443/a", "https://maps.example:8443"},
		{"http://localhost:9000/style.json", "http://localhost:9000"},
		{"http://127.0.0.1:9000/style.json", "http://127.0.0.1:9000"},
		{"http://maps.example/style.json", ""},
		{"http://127.0.0.1.maps.example/style.json", ""},
		{"ftp://maps.example/style.json", ""},
		{"//maps.example/style.json", ""},
		{"style.json", ""},
		{"https://", ""},
		{"https://user:word@maps.example/", ""},
		{"https://maps.example/#x", ""},
		{"https://a;script-src *", ""},
		{"https://a;script-src/x", ""},
		{"https://a,b/x", ""},
		{"https://*/x", ""},
		{"https://'self'/x", ""},
		{"https://maps.example:99999/x", ""},
		{"javascript:alert(1)", ""},
	} {
		t.Run(tt.address, func(t *testing.T) {
			got, err := styleOrigin(tt.address)
			if got != tt.want || (err == nil) != (tt.want != "") {
				t.Errorf("origin %q, error %v, want %q", got, err, tt.want)
			}
		})
	}
}

func TestBaseFlags(t *testing.T) {
	other := filepath.Join(t.TempDir(), "notes.txt")
	filetest.Write(t, other, "hello")
	style := baseFlags{MapStyle: "https://maps.example/style.json"}
	for _, tt := range []struct {
		name  string
		flags webFlags
		want  string // in the error; "" for none
		usage bool
	}{
		{"none, no map", webFlags{Map: "off", Pages: "on"}, "", false},
		{"a style", webFlags{Map: "key", Pages: "on", baseFlags: style}, "", false},
		{"a style, no map", webFlags{Map: "off", Pages: "on", baseFlags: style}, "need the map", true},
		{"a style, no pages", webFlags{Map: "on", Pages: "off", baseFlags: style}, "need the map", true},
		{"both", webFlags{Map: "on", Pages: "on", baseFlags: baseFlags{other, "https://maps.example/"}}, "one of them", true},
		{"another file", webFlags{Map: "on", Pages: "on", baseFlags: baseFlags{Basemap: other}}, "not a PMTiles file", false},
		{"no file", webFlags{Map: "on", Pages: "on", baseFlags: baseFlags{Basemap: other + "x"}}, "no such file", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.flags.base(new(web.Options))
			_, usage := errors.AsType[usageError](err)
			wrong := tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want))
			if wrong || usage != tt.usage {
				t.Errorf("error %v, want %q, a wrong use: %t", err, tt.want, tt.usage)
			}
		})
	}
}
