package web

import (
	"bytes"
	"image/png"
	"net/http"
	"strings"
	"testing"

	"relais/market"
)

// The page shows the neighbours of a site, and names a picture, which is made once for the same data.
func TestSitePicture(t *testing.T) {
	p := pagesAbout(true, country(t, market.FR, 5))
	body := ask(p, "GET", "/site/fr-1002").Body.String()
	for _, want := range []string{`content="http://relais.test/site/fr-1002.png?lang=en"`, "<svg", "4 other sites",
		"<title>1001 street, Town 1001, 56\u00a0m</title>", `href="geo:48.801,2.3"`} {
		if !strings.Contains(body, want) {
			t.Errorf("%q is not on the page", want)
		}
	}
	w := ask(p, "GET", "/site/fr-1002.png")
	if _, err := png.Decode(bytes.NewReader(w.Body.Bytes())); w.Code != 200 || err != nil {
		t.Fatalf("status %d, %v; want a PNG", w.Code, err)
	}
	tag := w.Header().Get("Etag")
	if w := ask(p, "GET", "/site/fr-1002.png", "If-None-Match", tag); w.Code != http.StatusNotModified || w.Body.Len() > 0 {
		t.Errorf("status %d with %d bytes, want 304", w.Code, w.Body.Len())
	}
	if other := ask(p, "GET", "/site/fr-1002.png?lang=fr").Header().Get("Etag"); other == tag || other == "" {
		t.Errorf("the French picture has the tag %q, want another one than %q", other, tag)
	}
	if w := ask(p, "GET", "/site/fr-9.png"); w.Code != 404 || w.Header().Get("Etag") != "" {
		t.Errorf("an unknown site: status %d, tag %q; want 404 without one", w.Code, w.Header().Get("Etag"))
	}
	if n, _ := p.pictures.Usage(); n != 2 {
		t.Errorf("%d pictures are kept, want 2", n)
	}
}

// Pictures have the light colours of the pages.
func TestPictureColors(t *testing.T) {
	light, c := themes(t)["light"], pictureColors()
	for name, got := range map[string]string{"paper": c.Paper, "ink": c.Ink, "quiet": c.Quiet, "warn": c.Warn, "land": c.Land,
		"water": c.Water, "border": c.Border} {
		if got != light[name] {
			t.Errorf("%s: got %s, want %s of tokens.css", name, got, light[name])
		}
	}
}
