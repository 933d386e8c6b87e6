package web

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The manifest is in the language of the page, below its path, and its icons are there.
func TestManifest(t *testing.T) {
	o, _ := pagesOf(t)
	for _, base := range []string{"", "/antennes"} {
		o.BaseURL = "https://relais.test" + base
		p := New(o.Options)
		if page := ask(p, "GET", "/?lang=fr").Body.String(); !strings.Contains(page,
			`<link rel="manifest" href="`+base+`/manifest.webmanifest?lang=fr">`) {
			t.Errorf("the map at %q does not name its manifest", base)
		}
		w := ask(p, "GET", "/manifest.webmanifest?lang=fr")
		var got manifest
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Header().Get("Content-Type") != "application/manifest+json" {
			t.Fatalf("got %q, %v; want a manifest", w.Header(), err)
		}
		if paper := themes(t)["light"]["paper"]; got.Lang != "fr" || got.Name != "relais · Carte des antennes mobiles" ||
			got.StartURL != base+"/?lang=fr" || got.Scope != base+"/" || got.Theme != paper || got.Background != paper {
			t.Errorf("got %+v", got)
		}
		for _, icon := range got.Icons {
			path, below := strings.CutPrefix(icon.Source, base)
			if w := ask(p, "GET", path); !below || w.Code != 200 || w.Header().Get("Content-Type") != icon.Type {
				t.Errorf("%s: got %d %q, want 200 %s", icon.Source, w.Code, w.Header(), icon.Type)
			}
		}
	}
}

// The service worker keeps whatever the map's page and its scripts name.
func TestServiceWorker(t *testing.T) {
	o, _ := pagesOf(t)
	o.BaseURL = "https://relais.test/antennes"
	p := New(o.Options)
	w := ask(p, "GET", "/offline.js?lang=fr")
	line, script, _ := strings.Cut(w.Body.String(), "\n")
	var got build
	text := strings.TrimSuffix(strings.TrimPrefix(line, "const build = "), ";")
	if err := json.Unmarshal([]byte(text), &got); err != nil || !strings.Contains(script, "addEventListener('fetch'") {
		t.Fatalf("%s: %v", line, err)
	}
	_, hash := readAssets()
	if got.Hash != hash || got.Base != "/antennes/" || got.Page != "/antennes/?lang=fr" ||
		w.Header().Get("Cache-Control") != "no-cache" ||
		!strings.Contains(w.Header().Get("Content-Security-Policy"), "connect-src 'self'") {
		t.Errorf("got %+v, %q", got, w.Header())
	}
	for _, file := range got.Files {
		if w := ask(p, "HEAD", strings.TrimPrefix(file, "/antennes")); w.Code != 200 {
			t.Errorf("%s: got %d, want 200: nothing would be kept", file, w.Code)
		}
	}
	needed := regexp.MustCompile(`"(/antennes/map/a/[^"]+|/antennes/theme.css)"`)
	for _, m := range needed.FindAllStringSubmatch(ask(p, "GET", "/").Body.String(), -1) {
		name := m[1][strings.LastIndex(m[1], "/")+1:]
		if !slices.Contains(got.Files, m[1]) && !slices.Contains([]string{"noscript.css", "icon-whole.png"}, name) {
			t.Errorf("%s is not kept", m[1])
		}
	}
}
