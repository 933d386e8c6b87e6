//go:build linux

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// page asks the API from a browser and tells its own server what it could read.
// Its fragment has the API's address and the keys. With ?frame it asks from a
// sandboxed frame, whose Origin is null.
const page = `<!DOCTYPE html><meta charset=utf-8><title>page</title><script>
const wanted = new URLSearchParams(location.hash.slice(1));
const api = wanted.get("api"), read = {"X-API-Key": wanted.get("key")};
const names = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Remaining-Day", "RateLimit", "RateLimit-Policy", "ETag", "X-Request-Id", "Retry-After"];
async function ask(path, headers, more) {
  try {
    const a = await fetch(api + path, {headers, cache: "no-store", ...more});
    const got = {status: a.status, type: a.type, headers: {}, body: await a.text()};
    for (const n of names) got.headers[n] = a.headers.get(n);
    return got;
  } catch (e) {
    return {thrown: e.name};
  }
}
async function all() {
  const list = "/external/v1/antennas?limit=3", r = {origin: self.origin};
  r.list = await ask(list, {...read, "X-Request-Id": "from-the-page"});
  r.bearer = await ask(list, {Authorization: "Bearer " + wanted.get("key")});
  r.unchanged = await ask(list, {...read, "If-None-Match": r.list.headers ? r.list.headers.ETag : "none"});
  r.unknown = await ask("/external/v1/nowhere", read);
  r.scope = await ask("/external/v1/stats/departments", read);
  r.wrong = await ask(list, {"X-API-Key": "rk_000000000000_wrong"});
  r.none = await ask(list, {});
  r.backend = await ask(list, {"X-API-Key": wanted.get("backend")});
  r.opaque = await ask("/healthz", {}, {mode: "no-cors"});
  for (let i = 0; i < 2 * wanted.get("minute") + 1; i++) {
    r.spent = await ask(list, read);
    if (r.spent.status != 200) break;
  }
  return r;
}
function report(r) { fetch("/report", {method: "POST", body: JSON.stringify(r)}); }
if (self !== top) all().then(r => parent.postMessage(r, "*"));
else if (location.search != "?frame") all().then(report);
else {
  addEventListener("message", e => report(e.data));
  const frame = document.createElement("iframe");
  frame.sandbox = "allow-scripts";
  frame.src = "/" + location.hash;
  document.documentElement.append(frame);
}
</script>`

// A seen is the part of an answer that a page could read.
type seen struct {
	Thrown, Type, Body string
	Status             int
	Headers            map[string]string
}

// code is the code of an error that the page could read.
func (s seen) code() string {
	var e struct{ Code, RequestID string }
	if json.Unmarshal([]byte(s.Body), &e) != nil || e.RequestID == "" || e.RequestID != s.Headers["X-Request-Id"] {
		return "unreadable"
	}
	return e.Code
}

// A told is the page's report.
type told struct {
	Origin                                                                       string
	List, Bearer, Unchanged, Unknown, Scope, Wrong, None, Backend, Opaque, Spent seen
}

// A pageServer serves the page and takes what it tells.
type pageServer struct {
	*httptest.Server
	paths *http.ServeMux
	told  chan told
}

func newPageServer(t *testing.T) *pageServer {
	p := &pageServer{paths: http.NewServeMux(), told: make(chan told, 1)}
	p.paths.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, page)
	})
	p.paths.HandleFunc("POST /report", func(_ http.ResponseWriter, r *http.Request) {
		var got told
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Errorf("the page's report: %v", err)
		}
		p.told <- got
	})
	p.Server = httptest.NewServer(p.paths)
	t.Cleanup(p.Close)
	return p
}

// open shows an address of the page server in Chromium, and returns what its page
// told.
func (p *pageServer) open(t *testing.T, chromium, address string) told {
	t.Helper()
	profile, err := os.MkdirTemp("", "relais-page-")
	must(t, err)
	defer os.RemoveAll(profile)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var log bytes.Buffer
	browser := headless(ctx, chromium, profile, "--remote-debugging-port=0", address)
	browser.Stdout, browser.Stderr = &log, &log
	must(t, browser.Start())
	ended := make(chan struct{})
	go func() { browser.Wait(); close(ended) }()
	var got told
	select {
	case got = <-p.told:
	case <-ended:
		t.Fatalf("Chromium ended before the page told anything: %s", &log)
	}
	cancel()
	<-ended
	return got
}

func needChromium(t *testing.T) string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("Chromium is not installed (Debian: chromium)")
	return ""
}

// A page of an allowed origin reads answers, their headers and errors; a page of
// another origin reads nothing at all.
func TestPagesInChromium(t *testing.T) {
	chromium := needChromium(t)
	c := makeCountry(t, 200)
	s := serve(t, c.dir)
	allowed, foreign := newPageServer(t), newPageServer(t)
	// otherName is the same server under another name: another origin.
	otherName := strings.Replace(allowed.URL, "127.0.0.1", "localhost", 1)
	for _, tt := range []struct {
		name, origin, address string
		server                *pageServer
		check                 func(t *testing.T, got told)
	}{
		{"allowed origin", allowed.URL, allowed.URL + "/", allowed, readsAll},
		{"other port", foreign.URL, foreign.URL + "/", foreign, readsNothing},
		{"other host", otherName, otherName + "/", allowed, readsNothing},
		{"sandboxed frame", "null", allowed.URL + "/?frame", allowed, readsNothing},
	} {
		t.Run(tt.name, func(t *testing.T) {
			i := createClient(t, c.dir, "--name", tt.name, "--mode", "browser", "--origin", allowed.URL, "--scopes",
				"antennas:read", "--minute", "12", "--day", "500")
			asks := url.Values{"api": {s.base}, "key": {i.APIKey}, "backend": {s.key}, "minute": {"12"}}
			got := tt.server.open(t, chromium, tt.address+"#"+asks.Encode())
			if got.Origin != tt.origin {
				t.Errorf("the page is of %s, want %s", got.Origin, tt.origin)
			}
			tt.check(t, got)
		})
	}
	s.stop()
	if log := s.log.String(); !strings.Contains(log, "method=OPTIONS") {
		t.Error("no browser asked first whether it may")
	}
}

// readsAll makes sure that a page could read what it may.
func readsAll(t *testing.T, got told) {
	t.Helper()
	var list struct {
		Data      []object
		RequestID string
	}
	if err := json.Unmarshal([]byte(got.List.Body), &list); err != nil || len(list.Data) != 3 ||
		list.RequestID != "from-the-page" {
		t.Errorf("the list: got %+v, %v; want three", got.List, err)
	}
	h := got.List.Headers
	for name, want := range map[string]string{"X-RateLimit-Limit": "12", "X-RateLimit-Remaining": "11",
		"X-RateLimit-Remaining-Day": "499", "X-Request-Id": "from-the-page", "RateLimit": `"minute";r=11;t=`,
		"RateLimit-Policy": `"minute";q=12;w=60, "day";q=500;w=86400`, "ETag": `W/"`} {
		if !strings.HasPrefix(h[name], want) {
			t.Errorf("%s of the list: got %q, want %s", name, h[name], want)
		}
	}
	for _, tt := range []struct {
		name, left string
		status     int
		seen
	}{
		{"Authorization", "498", 200, got.Bearer},
		{"If-None-Match", "497", 304, got.Unchanged},
	} {
		if tt.Status != tt.status || tt.Headers["ETag"] != h["ETag"] || tt.Headers["X-RateLimit-Remaining-Day"] != tt.left {
			t.Errorf("with %s: got %+v, want %d, the same ETag and %s left", tt.name, tt.seen, tt.status, tt.left)
		}
	}
	for _, tt := range []struct {
		name, want string
		status     int
		seen
	}{
		{"an unknown path", "NOT_FOUND", 404, got.Unknown},
		{"a scope that the key lacks", "INSUFFICIENT_SCOPE", 403, got.Scope},
		{"a wrong key", "INVALID_API_KEY", 401, got.Wrong},
		{"no key", "API_KEY_REQUIRED", 401, got.None},
		{"more than the limit", "RATE_LIMITED", 429, got.Spent},
	} {
		if tt.Status != tt.status || tt.code() != tt.want || tt.Headers["X-RateLimit-Remaining"] == "" ||
			(tt.Headers["Retry-After"] != "") != (tt.status == 429) {
			t.Errorf("%s: got %+v, want %d %s", tt.name, tt.seen, tt.status, tt.want)
		}
	}
	if got.Backend.Thrown != "TypeError" {
		t.Errorf("a page read with a backend's key: %+v", got.Backend)
	}
}

// readsNothing makes sure that a page could reach the server and read no answer.
func readsNothing(t *testing.T, got told) {
	t.Helper()
	for name, seen := range map[string]seen{"list": got.List, "bearer": got.Bearer, "unchanged": got.Unchanged,
		"unknown": got.Unknown, "scope": got.Scope, "wrong": got.Wrong, "none": got.None, "backend": got.Backend,
		"spent": got.Spent} {
		if seen.Thrown != "TypeError" || seen.Body != "" || seen.Headers != nil {
			t.Errorf("%s: the page read %+v, want nothing", name, seen)
		}
	}
	if got.Opaque.Type != "opaque" { // it is kept from reading only
		t.Errorf("the page cannot reach the server: %+v", got.Opaque)
	}
}

// A proxy may serve other pages on relais' origin, and a browser
// sends no Origin with what they read.
func TestPageOfAProxy(t *testing.T) {
	chromium := needChromium(t)
	c, p := makeCountry(t, 40), newPageServer(t)
	s := serve(t, c.dir, "--base-url", p.URL)
	to, err := url.Parse(s.base)
	must(t, err)
	proxy := httputil.NewSingleHostReverseProxy(to)
	p.paths.HandleFunc("/external/v1/", func(w http.ResponseWriter, r *http.Request) {
		if r.Header["Origin"] != nil || r.Header.Get("Sec-Fetch-Site") != "same-origin" {
			t.Errorf("got Origin %q, Sec-Fetch-Site %q; want none and same-origin", r.Header["Origin"],
				r.Header["Sec-Fetch-Site"])
		}
		proxy.ServeHTTP(w, r)
	})
	for _, tt := range []struct {
		origin string
		want   int
	}{
		{p.URL, 200},
		{"https://else.example", 403},
	} {
		t.Run(tt.origin, func(t *testing.T) {
			i := createClient(t, c.dir, "--name", tt.origin, "--mode", "browser", "--origin", tt.origin, "--scopes",
				"antennas:read")
			got := p.open(t, chromium, p.URL+"/#"+url.Values{"api": {p.URL}, "key": {i.APIKey}}.Encode())
			if got.List.Status != tt.want || got.Bearer.Status != tt.want ||
				tt.want == 403 && got.List.code() != "ORIGIN_NOT_ALLOWED" {
				t.Errorf("a client of %s: got %+v, want %d", tt.origin, got.List, tt.want)
			}
		})
	}
}

// Without Origin, Sec-Fetch-Site counts for the server's own origin: the base URL's, and
// without one that of the address where it listens.
func TestPageOnTheSameOrigin(t *testing.T) {
	c := makeCountry(t, 40)
	for _, flags := range [][]string{nil, {"--base-url", "https://map.example/antennas"}} {
		s, own := serve(t, c.dir, flags...), "https://map.example"
		if flags == nil {
			own = s.base
		}
		for _, tt := range []struct {
			origin string
			want   int
		}{
			{own, 200},
			{"https://else.example", 403},
		} {
			i := createClient(t, c.dir, "--name", tt.origin+" "+own, "--mode", "browser", "--origin", tt.origin, "--scopes",
				"all-read")
			a := s.getAs(i.APIKey, "/external/v1/antennas?limit=1", "Sec-Fetch-Site", "same-origin")
			if a.status != tt.want {
				t.Errorf("at %s, a client of %s: got %s, want %d", own, tt.origin, a, tt.want)
			}
		}
		s.stop()
	}
}
