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
	"path/filepath"
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
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(profile)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var log bytes.Buffer
	browser := headless(ctx, chromium, profile, "--remote-debugging-port=0", address)
	browser.Stdout, browser.Stderr = &log, &log
	if err := browser.Start(); err != nil {
		t.Fatal(err)
	}
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
	s := serve(t, nil, "serve", "--data", c.dir)
	if !waitFor(func() bool { return s.version("FR") != "" }) {
		t.Fatalf("not ready: %s", s.log)
	}
	allowed, foreign := newPageServer(t), newPageServer(t)
	client := func(name string) url.Values {
		i := createClient(t, c.dir, "--name", name, "--mode", "browser", "--origin", allowed.URL, "--scopes",
			"antennas:read", "--minute", "12", "--day", "500")
		return url.Values{"api": {s.base}, "key": {i.APIKey}, "backend": {s.key}, "minute": {"12"}}
	}

	t.Run("allowed origin", func(t *testing.T) {
		got := allowed.open(t, chromium, allowed.URL+"/#"+client("map").Encode())
		if got.Origin != allowed.URL {
			t.Errorf("the page is of %s", got.Origin)
		}
		var list struct {
			Data      []object
			RequestID string
		}
		h := got.List.Headers
		if err := json.Unmarshal([]byte(got.List.Body), &list); err != nil || got.List.Status != 200 ||
			len(list.Data) != 3 || list.RequestID != "from-the-page" {
			t.Errorf("the list: %+v, %v", got.List, err)
		}
		if h["X-RateLimit-Limit"] != "12" || h["X-RateLimit-Remaining"] != "11" ||
			h["X-RateLimit-Remaining-Day"] != "499" || h["X-Request-Id"] != "from-the-page" ||
			!strings.HasPrefix(h["RateLimit"], `"minute";r=11;t=`) ||
			h["RateLimit-Policy"] != `"minute";q=12;w=60, "day";q=500;w=86400` || !strings.HasPrefix(h["ETag"], `W/"`) {
			t.Errorf("the list's headers: %v", h)
		}
		if got.Bearer.Status != 200 || got.Bearer.Headers["ETag"] != h["ETag"] ||
			got.Bearer.Headers["X-RateLimit-Remaining-Day"] != "498" {
			t.Errorf("with Authorization: %+v", got.Bearer)
		}
		if got.Unchanged.Status != 304 || got.Unchanged.Headers["ETag"] != h["ETag"] ||
			got.Unchanged.Headers["X-RateLimit-Remaining-Day"] != "497" {
			t.Errorf("with If-None-Match: %+v", got.Unchanged)
		}
		for _, e := range []struct {
			what, want string
			status     int
			seen
		}{
			{"an unknown path", "NOT_FOUND", 404, got.Unknown},
			{"a scope that the key lacks", "INSUFFICIENT_SCOPE", 403, got.Scope},
			{"a wrong key", "INVALID_API_KEY", 401, got.Wrong},
			{"no key", "API_KEY_REQUIRED", 401, got.None},
			{"more than the limit", "RATE_LIMITED", 429, got.Spent},
		} {
			if e.Status != e.status || e.code() != e.want || e.Headers["X-RateLimit-Remaining"] == "" ||
				(e.Headers["Retry-After"] != "") != (e.status == 429) {
				t.Errorf("%s: %+v", e.what, e.seen)
			}
		}
		if got.Backend.Thrown != "TypeError" {
			t.Errorf("a page read with a backend's key: %+v", got.Backend)
		}
	})

	// The same server under another name is another origin, too.
	otherName := strings.Replace(allowed.URL, "127.0.0.1", "localhost", 1)
	for _, tt := range []struct {
		what, origin, address string
		server                *pageServer
	}{
		{"other port", foreign.URL, foreign.URL + "/", foreign},
		{"other host", otherName, otherName + "/", allowed},
		{"sandboxed frame", "null", allowed.URL + "/?frame", allowed},
	} {
		t.Run(tt.what, func(t *testing.T) {
			got := tt.server.open(t, chromium, tt.address+"#"+client(tt.what).Encode())
			if got.Origin != tt.origin {
				t.Errorf("the page is of %s", got.Origin)
			}
			for _, tt := range []struct {
				what string
				seen seen
			}{
				{"list", got.List},
				{"bearer", got.Bearer},
				{"unchanged", got.Unchanged},
				{"unknown", got.Unknown},
				{"scope", got.Scope},
				{"wrong", got.Wrong},
				{"none", got.None},
				{"backend", got.Backend},
				{"spent", got.Spent},
			} {
				t.Run(tt.what, func(t *testing.T) {
					if tt.seen.Thrown != "TypeError" || tt.seen.Body != "" || tt.seen.Headers != nil {
						t.Errorf("%s: the page read %+v", tt.what, tt.seen)
					}
				})
			}
			if got.Opaque.Type != "opaque" { // it can reach the server, and is kept from reading only
				t.Errorf("the page cannot reach the server: %+v", got.Opaque)
			}
		})
	}
	s.stop()
	if log := s.log.String(); !strings.Contains(log, "method=OPTIONS") {
		t.Error("no browser asked first whether it may")
	}
}

// A proxy may serve other pages on relais' origin, and a browser
// sends no Origin with what they read.
func TestPageOfAProxy(t *testing.T) {
	chromium := needChromium(t)
	c, p := makeCountry(t, 40), newPageServer(t)
	s := serve(t, nil, "serve", "--data", c.dir, "--base-url", p.URL)
	if !waitFor(func() bool { return s.version("FR") != "" }) {
		t.Fatalf("not ready: %s", s.log)
	}
	to, err := url.Parse(s.base)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(to)
	p.paths.HandleFunc("/external/v1/", func(w http.ResponseWriter, r *http.Request) {
		if r.Header["Origin"] != nil || r.Header.Get("Sec-Fetch-Site") != "same-origin" {
			t.Errorf("the browser says Origin %q, Sec-Fetch-Site %q", r.Header["Origin"], r.Header["Sec-Fetch-Site"])
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
				t.Errorf("a client of %s: %+v", tt.origin, got.List)
			}
		})
	}
}

// Without Origin, Sec-Fetch-Site counts for the base URL's origin, and for no other.
func TestPageOnTheSameOrigin(t *testing.T) {
	c := makeCountry(t, 40)
	for _, public := range []string{"", "https://map.example/antennas"} {
		args, own := []string{"serve", "--data", c.dir}, "https://map.example"
		if public != "" {
			args = append(args, "--base-url", public)
		}
		s := serve(t, nil, args...)
		if !waitFor(func() bool { return s.version("FR") != "" }) {
			t.Fatalf("not ready: %s", s.log)
		}
		if public == "" {
			own = s.base
		}
		name := filepath.Base(own)
		ours := createClient(t, c.dir, "--name", "ours "+name, "--mode", "browser", "--origin", "https://else.example",
			"--origin", own, "--scopes", "all-read")
		theirs := createClient(t, c.dir, "--name", "theirs "+name, "--mode", "browser", "--origin",
			"https://else.example", "--scopes", "all-read")
		a := newAsker(t, s)
		for _, tt := range []struct {
			by      issued
			headers []string
			status  int
		}{
			{ours, []string{"Sec-Fetch-Site: same-origin"}, 200},
			{ours, []string{"Origin: " + own}, 200},
			{ours, []string{"Origin: https://else.example", "Sec-Fetch-Site: cross-site"}, 200},
			{theirs, []string{"Origin: https://else.example"}, 200},
			{theirs, []string{"Sec-Fetch-Site: same-origin"}, 403},
			{theirs, []string{"Origin: " + own, "Sec-Fetch-Site: same-origin"}, 403},
			{ours, nil, 403},
			{ours, []string{"Sec-Fetch-Site: same-site"}, 403},
			{ours, []string{"Sec-Fetch-Site: cross-site"}, 403},
			{ours, []string{"Sec-Fetch-Site: none"}, 403},
			{ours, []string{"Origin: null", "Sec-Fetch-Site: same-origin"}, 403},
			{ours, []string{"Origin: " + own + ".evil.example"}, 403},
			{ours, []string{"Origin: " + own + "/"}, 403},
			{ours, []string{"Origin: " + strings.ToUpper(own)}, 403},
			{ours, []string{"Origin: ftp" + own[strings.Index(own, ":"):]}, 403},
			{ours, []string{"Origin: https://else.example:444"}, 403},
			{ours, []string{"Origin: http://else.example"}, 403},
			{ours, []string{"Origin: https://else.example", "Origin: https://else.example"}, 403},
		} {
			got := a.send("127.0.0.1", "GET", "/external/v1/antennas?limit=1",
				append(tt.headers, "X-API-Key: "+tt.by.APIKey)...)
			if got.status != tt.status || got.status == 403 && got.code != "ORIGIN_NOT_ALLOWED" {
				t.Errorf("at %s: %v: %d %s, want %d", own, tt.headers, got.status, got.body, tt.status)
			}
		}
		if code := s.stop(); code != 0 {
			t.Errorf("exit = %d, want 0", code)
		}
	}
}
