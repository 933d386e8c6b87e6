package web

import (
	"net/http/httptest"
	"testing"
)

func TestTheme(t *testing.T) {
	for cookie, want := range map[string]string{
		"":                     "",
		"theme=dark":           ":root { color-scheme: dark; }\n",
		"theme=light":          ":root { color-scheme: light; }\n",
		"theme=red;} body{a:b": "",
	} {
		r := httptest.NewRequest("GET", themePath, nil)
		r.Header.Set("Cookie", cookie)
		w := httptest.NewRecorder()
		theme(w, r)
		if got := w.Body.String(); got != want || w.Header().Get("Cache-Control") != "private, no-cache" {
			t.Errorf("%q: got %q with %v, want %q for this reader alone", cookie, got, w.Header(), want)
		}
	}
}
