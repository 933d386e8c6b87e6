package httpapi

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relais/internal/filetest"
)

// A mapStyle is what the tests read of a style.
type mapStyle struct {
	Version int
	Sources map[string]struct {
		Tiles            []string
		Data             string
		MinZoom, MaxZoom int
	}
	Layers []struct {
		ID, Source string
		Metadata   struct{ Operators []string }
	}
	RequestID *string
}

// styleOf asks for a style as a page of another origin does, without a key.
func styleOf(t *testing.T, s *Server, query string) (v mapStyle, text []byte) {
	t.Helper()
	w := do(t, s, "GET", mount+"/style.json"+query, "Origin", "https://page.example", "Sec-Fetch-Site", "cross-site")
	if h := w.Header(); w.Code != 200 || h.Get("Access-Control-Allow-Origin") != "*" ||
		!strings.HasPrefix(h.Get("Content-Type"), "application/json") {
		t.Fatalf("%s: status %d, headers %v: %.300s", query, w.Code, h, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil || v.Version != 8 || v.RequestID != nil {
		t.Fatalf("%s: %v, version %d, request id %v; want version 8 and nothing else than a style", query, err, v.Version, v.RequestID)
	}
	return v, w.Body.Bytes()
}

// A page of any origin reads the style without a key. Its tiles need one, and have the filters.
func TestStyle(t *testing.T) {
	s := newServer(t)
	s.Land = func() string { return "http://relais.test/land.json" }
	v, _ := styleOf(t, s, "?market=FR&generation=5G,4G&operator=free%20mobile&status=en-service")
	if v.Sources["base"].Data != s.Land() || len(v.Sources) != 3 {
		t.Errorf("sources %+v, want the land and two of FR", v.Sources)
	}
	for id, layers := range map[string]string{"FR": "sites,places", "far-FR": "dots"} {
		address, err := url.Parse(v.Sources[id].Tiles[0])
		must(t, err)
		q := address.Query()
		if !strings.HasPrefix(q.Get("v"), "2026-") {
			t.Errorf("%s: version %q, want that of the data", id, q.Get("v"))
		}
		q.Del("v")
		want := url.Values{"layers": {layers}, "generation": {"4G,5G"}, "operator": {"FREE MOBILE"}, "status": {"en-service"}}
		if diff := cmp.Diff(want, q); diff != "" || address.Host != "relais.test" {
			t.Errorf("%s: address %s, (-want +got):\n%s", id, address, diff)
		}
		z := map[string]string{"FR": "/12/2074/1409", "far-FR": "/5/16/11"}[id]
		tile := strings.Replace(address.RequestURI(), "/%7Bz%7D/%7Bx%7D/%7By%7D", z, 1)
		wantError(t, do(t, s, "GET", tile, "X-API-Key", ""), 401, "API_KEY_REQUIRED")
		if w := do(t, s, "GET", tile); w.Code != 200 && w.Code != 204 {
			t.Errorf("%s with a key: status %d: %.200s", tile, w.Code, w.Body)
		}
	}
}

// Without a market, those are left out that cannot have the filters.
func TestStyleOfMarkets(t *testing.T) {
	s := newServer(t)
	for query, want := range map[string]string{"": "FR DROM", "?operator=FREE": "FR", "?operator=ORANGE": "FR DROM",
		"?market=DROM": "DROM", "?market=PT": ""} {
		v, _ := styleOf(t, s, query)
		var got []string
		for _, l := range v.Layers {
			if code, ok := strings.CutPrefix(l.ID, "dots-"); ok {
				got = append(got, code)
				if len(l.Metadata.Operators) == 0 {
					t.Errorf("%q: layer %s does not name its operators", query, l.ID)
				}
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: markets %q, want %q", query, got, want)
		}
	}
	wantError(t, do(t, s, "GET", mount+"/style.json?operator=NOBODY"), 400, "INVALID_OPERATOR")
	wantError(t, do(t, s, "GET", mount+"/style.json?theme=blue"), 400, "INVALID_PARAMETER")
	wantError(t, do(t, s, "GET", mount+"/style.json?market=CA"), 503, "NOT_READY")
}

// An address has 120 styles a minute, and the refusal can be read too.
func TestStyleLimit(t *testing.T) {
	withinMinute()
	s := newServer(t)
	var w *httptest.ResponseRecorder
	for range mapOther + 1 {
		w = do(t, s, http.MethodGet, mount+"/style.json", "X-API-Key", "")
	}
	wantError(t, w, 429, "RATE_LIMITED")
	if w.Header().Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("headers %v, want a refusal that a page can read", w.Header())
	}
}

// The reference validator of styles finds nothing wrong.
func TestConformanceOfStyle(t *testing.T) {
	dir := os.Getenv("RELAIS_NPM")
	if dir == "" {
		t.Skip("make conformance installs the validator and runs this")
	}
	s := newServer(t)
	s.Land = func() string { return "http://relais.test/land.json" }
	for _, query := range []string{"", "?theme=dark&generation=5G", "?market=PT"} {
		_, text := styleOf(t, s, query)
		file := filepath.Join(t.TempDir(), "style.json")
		filetest.Write(t, file, text)
		out, err := exec.Command("node", filepath.Join(dir, "@maplibre/maplibre-gl-style-spec/dist/gl-style-validate.cjs"), file).CombinedOutput()
		if err != nil || len(out) > 0 {
			t.Errorf("%q: %v\n%s", query, err, out)
		}
	}
}
