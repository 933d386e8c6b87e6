package httpapi

import (
	"net/http"
	"testing"
	"time"
)

func TestLegacy(t *testing.T) {
	s := empty(t)
	for _, target := range []string{"/api/public/antennas", "/api/public/antennas/", "/api/public/antennas/7?x=1",
		"/api/public/antennas-by-bbox"} {
		for _, method := range []string{"GET", "POST", "DELETE"} {
			w := do(t, s, method, target, "X-API-Key", "")
			o := parse(t, w, 410)
			if _, has := o["code"]; has || len(o) != 2 || o["requestId"] != w.Header().Get("X-Request-Id") {
				t.Errorf("%s %s: answer = %v, want error and requestId alone", method, target, o)
			}
			h := w.Header()
			sunset, err := http.ParseTime(h.Get("Sunset"))
			if err != nil || !sunset.Equal(time.Date(2026, 8, 1, 0, 0, 0, 0, time.UTC)) ||
				h.Get("Deprecation") != "@1778371200" ||
				h.Get("Link") != `<http://relais.test/api/external/v1/antennas>; rel="successor-version"` {
				t.Errorf("%s %s: header = %v, want Deprecation, Sunset and Link", method, target, h)
			}
		}
	}
	wantError(t, do(t, s, "GET", "/api/public/other"), 404, "NOT_FOUND")
}
