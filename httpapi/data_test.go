package httpapi

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"relais/api"
	"relais/auth/access"
	"relais/community/communitytest"
	"relais/index"
	"relais/index/indextest"
	"relais/internal/errtest"
	"relais/internal/store/storetest"
	"relais/outage/history"
)

// must ends the test on an error of what it needs.
var must = errtest.Must

const mount = "/external/v1"

// country is one synthetic country for all tests of the package.
var country = sync.OnceValues(func() (*index.Set, error) { return indextest.Country(1500) })

// newServer serves the country.
func newServer(t testing.TB) *Server {
	t.Helper()
	set, err := country()
	must(t, err)
	s := empty(t)
	s.Measures = newMeasures(t)
	s.SetData(set)
	return s
}

// empty is a server that has loaded nothing yet.
func empty(t testing.TB) *Server {
	t.Helper()
	quiet := slog.New(slog.DiscardHandler)
	s, err := New(Options{BaseURL: "http://relais.test", Version: "test", Log: quiet, Requests: quiet, Gate: newGate(t),
		Photos: newPhotos(t), Uploads: api.Uploads{Render: fakeRender}, Community: communitytest.Open(t, time.Now),
		Archives: newArchives(t), History: history.Open(nil)})
	must(t, err)
	return s
}

// newGate has no clients but one, whose key do sends.
func newGate(t testing.TB) *access.Gate {
	t.Helper()
	dir := t.TempDir()
	db := storetest.Open(t, filepath.Join(dir, "clients.db"), access.Bucket)
	clients, err := access.OpenClients(db, access.OpenSealer(filepath.Join(dir, "secret.key")), time.Now)
	must(t, err)
	counts, _, err := access.OpenCounts("")
	must(t, err)
	t.Cleanup(func() { counts.Close() })
	g := &access.Gate{Clients: clients, Failures: access.NewFailures(), Answers: counts.Answers(),
		Origin: "http://relais.test"}
	issued, err := clients.Create(access.Client{Name: "every test", Mode: access.Server,
		CIDRs:  []netip.Prefix{netip.MustParsePrefix("192.0.2.1/32"), netip.MustParsePrefix("127.0.0.1/32")},
		Scopes: append(slices.Clone(access.ReadScopes), access.PhotosWrite), Partner: true,
		Limits: access.Limits{Minute: 1e9, Day: 1e9}})
	must(t, err)
	testKeys.Store(g, issued.APIKey)
	return g
}

// testKeys are the keys of that client, by gate.
var testKeys sync.Map

// do sends a request; headers are pairs.
func do(t testing.TB, s http.Handler, method, target string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	return send(t, s, method, target, nil, headers...)
}

// send sends a request with a body.
func send(t testing.TB, s http.Handler, method, target string, body []byte, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(method, "http://relais.test/", bytes.NewReader(body))
	u, err := url.Parse("http://relais.test" + target)
	must(t, err)
	r.URL = u
	if s, ok := s.(*Server); ok {
		if key, ok := testKeys.Load(s.Gate); ok {
			r.Header.Set("X-API-Key", key.(string))
		}
	}
	for i := 0; i < len(headers); i += 2 {
		switch name, value := headers[i], headers[i+1]; name {
		case "X-Test-Peer":
			r.RemoteAddr = value
		case "X-Test-Host":
			r.Host = value
		case "X-API-Key", "Content-Type":
			r.Header.Del(name)
			fallthrough
		default:
			r.Header.Add(name, value)
		}
	}
	return record(s, r)
}

func get(t testing.TB, s http.Handler, target string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	return do(t, s, http.MethodGet, mount+target, headers...)
}

// object is any JSON object.
type object = map[string]any

// wantMembers compares the members of o that want has.
func wantMembers(t testing.TB, o, want object, what string, args ...any) {
	t.Helper()
	got := object{}
	for name := range want {
		got[name] = o[name]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf(what+" (-want +got):\n%s", append(args, diff)...)
	}
}

// parse reads an answer that must have the status.
func parse(t testing.TB, w *httptest.ResponseRecorder, status int) object {
	t.Helper()
	if w.Code != status {
		t.Fatalf("status %d, want %d: %.300s", w.Code, status, w.Body)
	}
	var o object
	d := json.NewDecoder(strings.NewReader(w.Body.String()))
	d.UseNumber()
	if err := d.Decode(&o); err != nil {
		t.Fatalf("decoding: %v: %.300s", err, w.Body)
	}
	return o
}

// wantError checks the shape of an error answer.
func wantError(t testing.TB, w *httptest.ResponseRecorder, status int, code string, mentions ...string) {
	t.Helper()
	o := parse(t, w, status)
	message, _ := o["error"].(string)
	wantMembers(t, o, object{"code": code, "requestId": w.Header().Get("X-Request-Id")}, "the error")
	for name := range o {
		if !slices.Contains([]string{"error", "code", "requestId", "parameter", "allowed", "docs"}, name) {
			t.Errorf("an error has the undeclared member %q: %v", name, o)
		}
	}
	for _, m := range mentions {
		if !strings.Contains(message, m) {
			t.Errorf("%q does not mention %q", message, m)
		}
	}
	if w.Header().Get("Etag") != "" || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("an error can be cached: %v, want Etag empty and Cache-Control = no-store", w.Header())
	}
}

// withinMinute waits if the test would cross the end of a minute, when limits are reset.
func withinMinute() {
	if left := 60 - time.Now().Unix()%60; left <= 3 {
		time.Sleep(time.Duration(left) * time.Second)
	}
}
