package httpapi

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"relais/api"
	"relais/api/endpoint"
	"relais/api/view"
	"relais/community"
	"relais/market"
)

// targets are one good request of each operation.
var targets = []string{
	"/antennas?limit=3", "/antennas?north=49&south=48&east=3&west=2&limit=40",
	"/antennas?lat=48.86&lon=2.35&radiusKm=5&limit=5",
	"/antennas?q=paris&operator=orange&generation=5g&status=en-service", "/antennas?market=DROM&department=974",
	"/antennas/export", "/antennas/export?format=geojson&department=75", "/antennas/export?format=geojson",
	"/antennas/search?q=lyon", "/antennas/lookup-by-radio?enb=100007", "/antennas/90000010", "/sites/fr-90000010",
	"/stats/departments", "/stats/departments?operator=SRR", "/markets", "/antennas?market=PT",
	"/antennas/export?market=ES", "/antennas/search?market=BA",
	"/antennas/lookup-by-radio?market=PT&value=1", "/sites/fr-90000010/photos", "/anfr/archives",
	"/anfr/archive/2026-08-27", "/anfr/archive/2026-08-27?view=full",
	"/speedtests", "/speedtests?days=365&limit=1000", "/speedtests/site?siteId=90000010",
	"/speedtests/site?siteId=90000010&bestOnly=true", "/speedtests?market=PT",
	"/coverage/points", "/coverage/points?technology=lte&days=365",
}

// Each good answer has its members in order, is the same on both mounts, and says its size where that is known
// beforehand: what is encoded while it is sent has none.
func TestEnvelope(t *testing.T) {
	s := newServer(t)
	importOutages(t, s, market.FR, "ORANGE", paris, lyon)
	report(t, s, community.NewReport{})
	get(t, s, "/antennas/export") // its size is known once it was read
	order := regexp.MustCompile(
		`^\{("data":|"type":"FeatureCollection","features":)[\[{].*[\]}],"meta":\{.*\},"requestId":"[^"]+"\}\n$`)
	tag := regexp.MustCompile(`^W/"[0-9a-f]{32}"$`)
	for _, target := range slices.Concat(targets, outageTargets) {
		w := do(t, s, "GET", mounts[0]+target, "X-Request-Id", "same")
		if other := do(t, s, "GET", mounts[1]+target, "X-Request-Id", "same"); other.Body.String() != w.Body.String() {
			t.Errorf("%s: got %d and %d bytes, want the same on both mounts", target, w.Body.Len(), other.Body.Len())
		}
		if !order.MatchString(w.Body.String()) {
			t.Errorf("%s: got %.100s … %s, want the members in their order", target, w.Body,
				w.Body.String()[max(0, w.Body.Len()-100):])
		}
		want, sized := "application/json; charset=utf-8", !strings.Contains(target, "/archive/")
		if strings.Contains(target, "geojson") {
			want, sized = "application/geo+json", false
		}
		h := w.Header()
		if h.Get("Content-Type") != want || h.Get("Vary") != "Accept-Encoding, Origin" ||
			!strings.HasPrefix(h.Get("Cache-Control"), "private, max-age=") || !tag.MatchString(h.Get("Etag")) {
			t.Errorf("%s: got headers %v, want %s, a weak tag and a private answer that varies", target, h, want)
		}
		if n := h.Get("Content-Length"); n != strconv.Itoa(w.Body.Len()) && (n != "" || sized) {
			t.Errorf("%s: got Content-Length %q, want %d", target, n, w.Body.Len())
		}
		parse(t, w, 200)
	}
}

func TestRequestID(t *testing.T) {
	s := newServer(t)
	v7 := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	for _, tt := range []struct {
		given []string
		kept  bool
	}{
		{nil, false}, {[]string{"abc.DEF_1-2"}, true}, {[]string{strings.Repeat("x", 64)}, true},
		{[]string{strings.Repeat("x", 65)}, false},
		{[]string{""}, false}, {[]string{"a b"}, false}, {[]string{"a\"b"}, false}, {[]string{"é"}, false},
		{[]string{"a", "b"}, false},
	} {
		var headers []string
		for _, g := range tt.given {
			headers = append(headers, "X-Request-Id", g)
		}
		for _, target := range []string{"/markets", "/nowhere"} {
			w := get(t, s, target, headers...)
			id := w.Header().Get("X-Request-Id")
			if o := parse(t, w, w.Code); o["requestId"] != id {
				t.Errorf("%q: header %q, body %q", tt.given, id, o["requestId"])
			}
			if tt.kept && id != tt.given[0] || !tt.kept && !v7.MatchString(id) {
				t.Errorf("%q: got id %q, want the given one: %v", tt.given, id, tt.kept)
			}
		}
	}
}

func TestNotModified(t *testing.T) {
	s := newServer(t)
	tags := map[string]string{}
	for _, target := range targets {
		w := get(t, s, target)
		tag := w.Header().Get("Etag")
		if other, ok := tags[tag]; ok {
			t.Errorf("%s and %s have the same ETag", target, other)
		}
		tags[tag] = target
		for _, header := range []string{tag, strings.TrimPrefix(tag, "W/"), `"x", ` + tag, "*"} {
			w := get(t, s, target, "If-None-Match", header)
			if w.Code != 304 || w.Body.Len() != 0 || w.Header().Get("Etag") != tag ||
				w.Header().Get("Cache-Control") == "" || w.Header().Get("Vary") == "" {
				t.Errorf("%s with %s: %d, %d bytes, %v, want 304, 0, Etag = %v, Cache-Control set and Vary set",
					target, header, w.Code, w.Body.Len(), w.Header(), tag)
			}
		}
		if w := get(t, s, target, "If-None-Match", `W/"00000000000000000000000000000000"`); w.Code != 200 {
			t.Errorf("%s with another tag: %d, want 200", target, w.Code)
		}
	}
	for _, tt := range []struct {
		target string
		status int
	}{
		{"/antennas/0", 404},
		{"/sites/0", 404},
		{"/antennas?market=CA", 503},
		{"/antennas?operator=x", 400},
	} {
		t.Run(tt.target, func(t *testing.T) {
			if w := get(t, s, tt.target, "If-None-Match", "*"); w.Code != tt.status {
				t.Errorf("%s with *: %d, want %d", tt.target, w.Code, tt.status)
			}
		})
	}
	for _, tt := range []struct{ a, b string }{
		{"/antennas", "/antennas?market=fr&limit=100&offset=0&operator=all"},
		{"/antennas?generation=5g", "/antennas?generation=5G&_=1"},
	} {
		t.Run(tt.a, func(t *testing.T) {
			if x, y := get(t, s, tt.a).Header().Get("Etag"), get(t, s, tt.b).Header().Get("Etag"); x != y {
				t.Errorf("%s and %s ask the same and have the tags %s and %s", tt.a, tt.b, x, y)
			}
		})
	}
}

func TestMethodsAndPaths(t *testing.T) {
	s := newServer(t)
	for _, target := range targets {
		plain := get(t, s, target)
		head := do(t, s, "HEAD", mount+target)
		if head.Code != 200 || head.Header().Get("Etag") != plain.Header().Get("Etag") ||
			head.Header().Get("Content-Type") != plain.Header().Get("Content-Type") {
			t.Errorf("HEAD %s: %d %v, want 200, Etag = %v and Content-Type = %v", target, head.Code, head.Header(),
				plain.Header().Get("Etag"), plain.Header().Get("Content-Type"))
		}
		for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "TRACE", "PROPFIND"} {
			allow := "GET, HEAD, OPTIONS"
			if strings.HasSuffix(target, "/photos") {
				allow = "GET, HEAD, POST, OPTIONS"
			}
			if method == "POST" && strings.Contains(allow, method) {
				continue
			}
			w := do(t, s, method, mount+target)
			wantError(t, w, 405, "METHOD_NOT_ALLOWED")
			if w.Header().Get("Allow") != allow {
				t.Errorf("%s %s: Allow %q, want %q", method, target, w.Header().Get("Allow"), allow)
			}
		}
	}
	for _, path := range []string{"/", "/external", mount, mount + "/", mount + "/antennas/", mount + "/nowhere",
		mount + "/antennas/1/2", "/api" + mount + "/sites/",
		"//external/v1/antennas", mount + "//antennas", mount + "/./antennas", mount + "/sites/../antennas",
		"/external/v2/antennas", "/api/markets", mount + "/Antennas",
		mount + "/antennas%2f", "/external%2fv1/antennas", mount + "/%61ntennas"} {
		wantError(t, do(t, s, "GET", path), 404, "NOT_FOUND")
	}
}

func TestPanicIsAnError(t *testing.T) {
	s := newServer(t)
	s.public.handle("/boom", "GET", fixedRoute(func(*answer, *request) { panic("boom") }))
	s.public.handle("/late", "GET", fixedRoute(func(w *answer, _ *request) {
		w.WriteHeader(200)
		panic("boom")
	}))
	s.public.handle("/operation", "GET",
		newOperation(endpoint.New(endpoint.Decl{Name: "boom", Path: "/operation", FailureName: "ANTENNAS",
			Scope: "antennas:read"},
			func(*api.Env, context.Context, *struct{}) (*view.MarketsMeta, error) { panic("boom") })))
	wantError(t, do(t, s, "GET", "/boom"), 500, "EXTERNAL_REQUEST_FAILED")
	wantError(t, do(t, s, "GET", "/operation"), 500, "EXTERNAL_ANTENNAS_FAILED")
	defer func() {
		if err, ok := recover().(error); !ok || !errors.Is(err, http.ErrAbortHandler) {
			t.Error("a half-sent answer was not cut off")
		}
	}()
	do(t, s, "GET", "/late")
}

func TestHealth(t *testing.T) {
	s := empty(t)
	if o := parse(t, do(t, s, "GET", "/healthz"), 200); o["status"] != "ok" {
		t.Errorf("answer = %v, want status ok", o)
	}
	if o := parse(t, do(t, s, "GET", "/readyz", "X-Test-Peer", "127.0.0.1:1"), 503); o["ready"] != false ||
		o["reason"] == "" {
		t.Errorf("got %v, want ready = false and reason set", o)
	}
	for _, target := range targets {
		if strings.HasPrefix(target, "/anfr/") {
			continue // needs no register
		}
		w := get(t, s, target)
		wantError(t, w, 503, "NOT_READY")
		if w.Header().Get("Retry-After") == "" {
			t.Errorf("%s: no Retry-After", target)
		}
	}
	// What is wrong is wrong whatever is loaded.
	for _, target := range []string{"/antennas?operator=x", "/antennas/7?operator=x", "/sites/7?market=PT&operator=SFR",
		"/stats/departments?operator=BELL",
		"/antennas/export?operator=ZEOP", "/antennas/search?market=CA&operator=SFR",
		"/antennas/lookup-by-radio?value=1&operator=x"} {
		wantError(t, get(t, s, target), 400, "INVALID_OPERATOR", "operator: ")
	}
	wantError(t, get(t, s, "/antennas?department=1000"), 400, "INVALID_PARAMETER", "department: ")
	s = newServer(t)
	set, err := country()
	must(t, err)
	o := parse(t, do(t, s, "GET", "/readyz", "X-Test-Peer", "127.0.0.1:1"), 200)
	for m := range set.Loaded() {
		if got := o["markets"].(object)[string(m.Table.Code)].(object)["version"]; got != m.Snap.Version {
			t.Errorf("%s: version %v, want %s", m.Table.Code, got, m.Snap.Version)
		}
	}
}
