package httpapi

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"relais/demo"
	"relais/folder"
	"relais/index"
	"relais/ingest"
	"relais/market"
	"relais/view"
)

const mount = "/external/v1"

// country is one synthetic country for all tests of the package.
var country = sync.OnceValues(func() (*index.Set, error) {
	dir, err := os.MkdirTemp("", "relais-httpapi-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	return load(dir, 1500)
})

// load makes a synthetic country below dir and loads it.
func load(dir string, supports int) (*index.Set, error) {
	files, err := demo.Write(dir+"/files", supports)
	if err != nil {
		return nil, err
	}
	data := folder.Dir(dir + "/data")
	if _, err := ingest.Run(context.Background(), ingest.Options{Dir: data, Markets: []market.Code{market.FR, market.DROM}, Paths: files, Now: time.Now()}); err != nil {
		return nil, err
	}
	var set *index.Set
	index.NewLive(data, view.Summaries, slog.New(slog.DiscardHandler), func(s *index.Set) { set = s }).Refresh()
	return set, nil
}

// newServer serves the country.
func newServer(t testing.TB) *Server {
	t.Helper()
	set, err := country()
	if err != nil {
		t.Fatal(err)
	}
	s := empty(t)
	s.Show(set)
	return s
}

// empty is a server that has loaded nothing yet.
func empty(t testing.TB) *Server {
	t.Helper()
	s, err := New(Options{BaseURL: "http://relais.test", Version: "test", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// do sends a request; headers are pairs.
func do(t testing.TB, s http.Handler, method, target string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(method, "http://relais.test/", nil)
	u, err := url.Parse("http://relais.test" + target)
	if err != nil {
		t.Fatal(err)
	}
	r.URL = u
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

func get(t testing.TB, s http.Handler, target string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	return do(t, s, http.MethodGet, mount+target, headers...)
}

// object is any JSON object.
type object = map[string]any

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
		t.Fatalf("%v: %.300s", err, w.Body)
	}
	return o
}

// wantError checks the shape of an error answer.
func wantError(t testing.TB, w *httptest.ResponseRecorder, status int, code string, mentions ...string) {
	t.Helper()
	o := parse(t, w, status)
	message, _ := o["error"].(string)
	if o["code"] != code || o["requestId"] != w.Header().Get("X-Request-Id") || len(o) != 3 {
		t.Errorf("%v, want code %s", o, code)
	}
	for _, m := range mentions {
		if !strings.Contains(message, m) {
			t.Errorf("%q does not mention %q", message, m)
		}
	}
	if w.Header().Get("Etag") != "" || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("an error can be cached: %v", w.Header())
	}
}
