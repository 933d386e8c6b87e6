//go:build linux

package e2e

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"relais/internal/filetest"
)

// axe finds nothing serious on any page, by day and by night, nor on some in languages with longer words, while the
// list of languages is open.
func TestConformanceOfPages(t *testing.T) {
	dir := os.Getenv("RELAIS_NPM")
	if dir == "" {
		t.Skip("make conformance installs axe and runs this")
	}
	axe := filetest.Read(t, filepath.Join(dir, "axe-core", "axe.min.js"))
	c := makeCountry(t, 400)
	run(t, "outage", "import", "--data", c.dir, "--market", "FR", filetest.New(t, "raw2026-01-01.geojson", unavailableOn(0)))
	s := serve(t, c.dir, "--photos-hold")
	fillQueue(t, s, c.dir)
	empty := start(t, nil, "serve", "--data", newFolder(t))
	empty.waitUntil("the folder is read", func() bool {
		a, err := empty.try("/")
		return err == nil && strings.Contains(string(a.body), "relais update")
	})
	at := aSupport(t, c)
	m := openMap(t, strings.TrimPrefix(s.base, "http://"), webGL...)
	people := &signedIn{m.tab, s.base}
	augusta := moderator(t, c.dir, "Augusta Quillfeather", "moderator")
	type look struct{ name, scheme, lang string }
	const firstRun = "/ without data"
	for _, path := range []string{"/?site=fr-" + at.support, "/?ui=0&site=fr-" + at.support, "/search?q=rue",
		"/near?lat=48.85&lon=2.35&radiusKm=20", "/at/48.85,2.35",
		"/site/fr-" + at.support, "/go?pci=12&lat=48.85&lon=2.35", "/log", "/news", "/stats", "/feeds/FR?operator=FREE",
		"/docs", "/docs/tools", "/nowhere", "/sign-in?done=in", "/account", "/account/password",
		"/account/delete", "/account/sent", "/moderation", "/sign-out", firstRun} {
		address := s.base + path
		switch path {
		case "/account":
			people.signIn(augusta, path, path)
		case firstRun:
			address = empty.base + "/"
		}
		looks := []look{{"light", "light", "en"}, {"dark", "dark", "fr"}}
		switch path {
		case "/news", "/docs", "/?site=fr-" + at.support:
			looks = append(looks, look{"German", "light", "de-CH"})
		case "/stats", "/site/fr-" + at.support, "/moderation":
			looks = append(looks, look{"Dutch", "dark", "nl-BE,nl;q=0.9,fr;q=0.8"})
		}
		for _, look := range looks {
			t.Run(path+" "+look.name, func(t *testing.T) {
				m.must("Emulation.setEmulatedMedia",
					object{"features": []object{{"name": "prefers-color-scheme", "value": look.scheme}}}, nil)
				m.must("Network.setExtraHTTPHeaders", object{"headers": object{"Accept-Language": look.lang}}, nil)
				m.open(address)
				if strings.HasPrefix(path, "/?") {
					m.idle()
				}
				m.until("the page is there", "document.readyState === 'complete'")
				if look.lang != "en" && look.lang != "fr" {
					m.evaluate("document.querySelector('.languages').open = true; null", nil)
				}
				m.evaluate(string(axe)+";null", nil)
				var found []struct {
					ID, Impact, Help string
					Nodes            []struct{ HTML string }
				}
				m.evaluate(`axe.run(document, { resultTypes: ['violations'] }).then((r) => r.violations.map(
					({ id, impact, help, nodes }) => ({ id, impact, help, nodes: nodes.slice(0, 3).map(({ html }) => ({ html })) })))`,
					&found)
				for _, v := range found {
					if v.Impact == "serious" || v.Impact == "critical" {
						text, _ := json.Marshal(v.Nodes)
						t.Errorf("%s, %s: %s: %.600s", v.ID, v.Impact, v.Help, text)
					}
				}
			})
		}
	}
}

// tsc finds no fault in the types of the map's scripts.
func TestConformanceOfScripts(t *testing.T) {
	cmd := node(t, tsc, "--project", ".")
	cmd.Dir = filepath.Join("..", "..", "httpapi", "web", "static")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("tsc: %v\n%s", err, out)
	}
}

// What the program carries of other projects is what their packages have.
func TestConformanceOfVendored(t *testing.T) {
	dir := os.Getenv("RELAIS_NPM")
	if dir == "" {
		t.Skip("make conformance installs the packages and runs this")
	}
	for _, tt := range []struct{ vendored, published string }{
		{"maplibre-gl.mjs.gz", "maplibre-gl/dist/maplibre-gl.mjs"},
		{"maplibre-gl-worker.mjs.gz", "maplibre-gl/dist/maplibre-gl-worker.mjs"},
		{"maplibre-gl.css.gz", "maplibre-gl/dist/maplibre-gl.css"},
		{"lean-qr.mjs.gz", "lean-qr/index.mjs"},
		{"pmtiles.js.gz", "pmtiles/dist/pmtiles.js"},
		{"protomaps-basemaps.mjs.gz", "@protomaps/basemaps/dist/esm/index.js"},
	} {
		t.Run(tt.vendored, func(t *testing.T) {
			want := filetest.Read(t, filepath.Join(dir, tt.published))
			packed := filetest.Read(t, filepath.Join("..", "..", "httpapi", "web", "vendor", tt.vendored))
			r, err := gzip.NewReader(bytes.NewReader(packed))
			must(t, err)
			got, err := io.ReadAll(r)
			if err != nil || !bytes.Equal(withoutMap(got), withoutMap(want)) {
				t.Errorf("%d bytes, %v; want the %d bytes of the package", len(got), err, len(want))
			}
		})
	}
}

// withoutMap returns a script without the address of its source map, which the program does not have.
func withoutMap(script []byte) []byte {
	script, _, _ = bytes.Cut(script, []byte("//# sourceMappingURL="))
	return bytes.TrimSpace(script)
}
