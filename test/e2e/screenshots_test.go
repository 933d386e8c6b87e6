//go:build screenshots

package e2e

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A view is what a screenshot shows.
type view struct {
	name, path    string
	width, height int
	dark, still   bool // still: there is no map to wait for
}

// The views of the demonstration, as a person opens them.
var views = []view{
	{name: "country", path: "/?lang=en#map=5.3/46.8/2.6", width: 1280, height: 800},
	{name: "town", path: "/?lang=en#map=12.3/48.8566/2.3522", width: 1280, height: 800},
	{name: "street", path: "/?lang=fr#map=15.2/48.8566/2.3522", width: 1280, height: 800},
	{name: "dark", path: "/?lang=fr#map=10.5/45.76/4.84", width: 1280, height: 800, dark: true},
	{name: "filtered", path: "/?lang=en&operator=FREE&generation=5G#map=8.2/43.5/5", width: 1280, height: 800},
	{name: "outages", path: "/?lang=en&layers=outages#map=6/46.8/2.6", width: 1280, height: 800},
	{name: "coverage", path: "/?lang=en&layers=coverage#map=11/46.2/5.22", width: 1280, height: 800},
	{name: "border", path: "/?lang=fr#map=11/46.2/6.15", width: 1280, height: 800},
	{name: "phone", path: "/?lang=fr#map=12/48.8566/2.3522", width: 390, height: 844},
	{name: "card", path: "/?lang=en&site=fr-90000001#map=14/46.2050/5.2258", width: 1280, height: 800},
	{name: "card-phone", path: "/?lang=fr&site=fr-90000001#map=14/46.2050/5.2258", width: 390, height: 844},
	{name: "site", path: "/site/fr-90000001?lang=fr", width: 1280, height: 1400, still: true},
	{name: "search", path: "/search?q=lyon&lang=en", width: 1280, height: 800, still: true},
	{name: "stats", path: "/stats?lang=fr", width: 1280, height: 2200, still: true},
	{name: "stats-dark", path: "/stats?lang=en", width: 390, height: 2200, still: true, dark: true},
	{name: "news", path: "/news/2026-01-15?lang=en", width: 1280, height: 1600, still: true},
	{name: "documentation", path: "/docs?lang=en", width: 1280, height: 800, still: true},
	{name: "tools", path: "/docs/tools?lang=fr", width: 1280, height: 800, still: true},
}

// TestScreenshots writes pictures of the demonstration into the folder RELAIS_SCREENSHOTS, to be
// looked at: make screenshots.
func TestScreenshots(t *testing.T) {
	dir := os.Getenv("RELAIS_SCREENSHOTS")
	must(t, os.MkdirAll(dir, 0o755))
	data := filepath.Join(t.TempDir(), "demo")
	s := start(t, nil, "demo", "--data", data)
	s.isLoaded(data)
	m := openMap(t, strings.TrimPrefix(s.base, "http://"), webGL...)
	for _, v := range views {
		m.size(v.width, v.height)
		scheme := "light"
		if v.dark {
			scheme = "dark"
		}
		m.must("Emulation.setEmulatedMedia",
			object{"features": []object{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
		m.open(s.base + strings.Replace(v.path, "?", "?view="+v.name+"&", 1)) // a change after the # loads no page
		if v.still {
			m.until("the page is there", "document.readyState === 'complete'")
		} else {
			m.idle()
		}
		m.screenshot(dir, v.name)
		m.clean(t)
	}
}

// screenshot writes what is to be seen.
func (m *mapTab) screenshot(dir, name string) {
	m.t.Helper()
	var shot struct{ Data string }
	m.must("Page.captureScreenshot", object{"format": "png"}, &shot)
	image, err := base64.StdEncoding.DecodeString(shot.Data)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), image, 0o644)
	}
	must(m.t, err)
}
