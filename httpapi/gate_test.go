package httpapi

import (
	"crypto/rand"
	"crypto/sha256"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"relais/api"
	"relais/auth/access"
)

const allowedOrigin = "https://allowed.example"

// newClient makes a client of a mode, with what the mode needs.
func newClient(t *testing.T, s *Server, mode access.Mode, scopes []access.Scope, limits access.Limits) *access.Issued {
	t.Helper()
	spec := access.Client{Name: "test " + rand.Text(), Mode: mode, Scopes: scopes, Limits: limits, Partner: true}
	switch mode {
	case access.Browser:
		spec.Origins = []string{allowedOrigin}
	case access.Server:
		spec.CIDRs = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}
	}
	i, err := s.Gate.Clients.Create(spec)
	must(t, err)
	return i
}

// clientHeaders returns the headers with which a client asks for a path.
func clientHeaders(i *access.Issued, path string) []string {
	return credentials(i, "GET", path, time.Now(), nil)
}

// credentials returns the headers with which a client sends a body at a time.
func credentials(i *access.Issued, method, path string, at time.Time, body []byte) []string {
	path, _, _ = strings.Cut(path, "?")
	headers := []string{"X-API-Key", "", "Authorization", "Bearer " + i.APIKey}
	switch i.Mode {
	case access.Browser:
		headers = append(headers, "Origin", allowedOrigin)
	case access.Mobile:
		headers = append(headers, "X-Sq-Signature", access.Sign(i.SigningSecret, at, method, path, sha256.Sum256(body)))
	}
	return headers
}

// Every route with every scope and every mode: only the route's own scope opens
// it.
func TestGateMatrix(t *testing.T) {
	s := newServer(t)
	checked := 0
	for _, mode := range access.Mode("").Values() {
		for _, scope := range access.Scope("").Values() {
			if access.Mode(mode) == access.Browser && access.Scope(scope) == access.InternalAI {
				continue // no client may have both
			}
			i := newClient(t, s, access.Mode(mode), []access.Scope{access.Scope(scope)},
				access.Limits{Minute: 1000, Day: 1000})
			for _, op := range api.Operations() {
				checked++
				w := ask(t, s, op, requiredQuery(op, ""), nil, i)
				scopes := op.Scopes()
				switch {
				case len(scopes) > 0 && scopes[len(scopes)-1] != scope: // without a market, the last
					wantError(t, w, 403, "INSUFFICIENT_SCOPE")
				case op.Name == "photos.report", op.Name == "photos.delete": // of a photo that is not there
					wantError(t, w, 404, "PHOTO_NOT_FOUND")
				case op.Produces != "": // is not JSON
					if w.Code != op.Status {
						t.Errorf("%s: status %d, want %d", op.Name, w.Code, op.Status)
					}
				default:
					parse(t, w, op.Status)
				}
			}
		}
	}
	if want := (3*9 - 1) * len(api.Operations()); checked != want {
		t.Errorf("%d combinations, want %d", checked, want)
	}
	for _, op := range api.Operations() {
		if op.Scope == "" && op.Name != "style.get" {
			t.Errorf("%s has no scope", op.Name)
		}
	}
}

func TestRefusals(t *testing.T) {
	withinMinute()
	s := newServer(t)
	limits := access.Limits{Minute: 100, Day: 100}
	server := newClient(t, s, access.Server, access.ReadScopes, limits)
	browser := newClient(t, s, access.Browser, access.ReadScopes, limits)
	mobile := newClient(t, s, access.Mobile, access.ReadScopes, limits)
	spent := newClient(t, s, access.Server, access.ReadScopes, access.Limits{Minute: 1, Day: 10})
	parse(t, get(t, s, "/markets", clientHeaders(spent, "")...), 200)
	for _, tt := range []struct {
		name    string
		headers []string
		status  int
		code    string
	}{
		{"no key", []string{"X-API-Key", ""}, 401, "API_KEY_REQUIRED"},
		{"wrong key", []string{"X-API-Key", "rk_x"}, 401, "INVALID_API_KEY"},
		{"origin", []string{"X-API-Key", browser.APIKey, "Origin", "https://evil.example"}, 403, "ORIGIN_NOT_ALLOWED"},
		{"address", []string{"X-API-Key", server.APIKey, "X-Test-Peer", "203.0.113.9:1"}, 403, "IP_NOT_ALLOWED"},
		{"signature", []string{"X-API-Key", "", "Authorization", "Bearer " + mobile.APIKey}, 401, "SIGNATURE_REQUIRED"},
		{"quota", clientHeaders(spent, ""), 429, "RATE_LIMITED"},
	} {
		w := get(t, s, "/markets", tt.headers...)
		wantError(t, w, tt.status, tt.code)
		if n, err := strconv.Atoi(w.Header().Get("Retry-After")); (tt.status == 429) != (err == nil && n >= 1 &&
			n <= 60) {
			t.Errorf("%s: got status %d and Retry-After %q, want 1 to 60 with a 429 only", tt.name, w.Code,
				w.Header().Get("Retry-After"))
		}
	}
}

// Of many requests at once for the last one that is left, one passes.
func TestLastOfTheQuota(t *testing.T) {
	withinMinute()
	s := newServer(t)
	for _, limits := range []access.Limits{{Minute: 1, Day: 1000}, {Minute: 1000, Day: 1}} {
		i := newClient(t, s, access.Server, access.ReadScopes, limits)
		var passed, refused atomic.Int64
		var wg sync.WaitGroup
		for range 200 {
			wg.Go(func() {
				switch get(t, s, "/markets", clientHeaders(i, "")...).Code {
				case 200:
					passed.Add(1)
				case 429:
					refused.Add(1)
				}
			})
		}
		wg.Wait()
		if passed.Load() != 1 || refused.Load() != 199 {
			t.Errorf("%+v: %d passed, %d were refused, want 1 and 199", limits, passed.Load(), refused.Load())
		}
	}
}

// Every answer says what is left, also those that are errors.
func TestRateHeaders(t *testing.T) {
	withinMinute()
	s := newServer(t)
	i := newClient(t, s, access.Server, access.ReadScopes, access.Limits{Minute: 5, Day: 3})
	names := []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Limit-Day",
		"X-RateLimit-Remaining-Day", "RateLimit-Policy"}
	for n, want := range [][]string{
		{"5", "4", "3", "2", `"minute";q=5;w=60, "day";q=3;w=86400`},
		{"5", "3", "3", "1", `"minute";q=5;w=60, "day";q=3;w=86400`},
		{"5", "2", "3", "0", `"minute";q=5;w=60, "day";q=3;w=86400`},
		{"5", "2", "3", "0", `"minute";q=5;w=60, "day";q=3;w=86400`},
	} {
		w := get(t, s, []string{"/markets", "/antennas?limit=0", "/antennas/0", "/markets"}[n], clientHeaders(i, "")...)
		if w.Code != []int{200, 400, 404, 429}[n] {
			t.Errorf("request %d: %d, want %d", n, w.Code, []int{200, 400, 404, 429}[n])
		}
		for k, name := range names {
			if got := w.Header().Get(name); got != want[k] {
				t.Errorf("request %d: %s: %q, want %q", n, name, got, want[k])
			}
		}
		reset, err := strconv.ParseInt(w.Header().Get("X-RateLimit-Reset"), 10, 64)
		if err != nil || reset%60 != 0 || reset-time.Now().Unix() > 60 || reset <= time.Now().Unix()-1 {
			t.Errorf("request %d: got reset %q, want the next full minute", n, w.Header().Get("X-RateLimit-Reset"))
		}
	}
	// Before a client is known they speak of the address.
	for _, target := range []string{mount + "/markets", "/nowhere"} {
		w := do(t, s, "GET", target, "X-API-Key", "")
		if w.Header().Get("X-RateLimit-Limit") != "30" || w.Header().Get("X-RateLimit-Limit-Day") != "" {
			t.Errorf("%s: header %v, want the limit of 30 a minute and none a day", target, w.Header())
		}
	}
}

// No answer is without the rate headers, and none of an origin that some client
// has without leave to read it.
func TestEveryAnswer(t *testing.T) {
	s := newServer(t)
	newClient(t, s, access.Browser, access.ReadScopes, access.DefaultLimits)
	tag := get(t, s, "/markets").Header().Get("ETag")
	for _, tt := range []struct {
		method, target string
		status         int
		headers        []string
	}{
		{"GET", mount + "/markets", 200, nil}, {"HEAD", mount + "/markets", 200, nil},
		{"GET", mount + "/markets", 304, []string{"If-None-Match", tag}},
		{"GET", "/healthz", 200, nil}, {"GET", "/readyz", 200, nil},
		{"GET", "/metrics", 200, []string{"X-Test-Peer", "127.0.0.1:1"}}, {"GET", "/metrics", 403, nil},
		{"GET", "/openapi.json", 200, nil},
		{"GET", "/openapi.json", 304, []string{"If-None-Match", "*"}}, {"GET", legacyPath, 410, nil},
		{"GET", "/nowhere", 404, nil},
		{"POST", mount + "/markets", 405, nil}, {"GET", mount + "/markets", 401, []string{"X-API-Key", ""}},
		{"OPTIONS", mount + "/markets", 204, []string{"Access-Control-Request-Method", "GET"}},
	} {
		w := do(t, s, tt.method, tt.target, append([]string{"Origin", allowedOrigin}, tt.headers...)...)
		if w.Code != tt.status {
			t.Errorf("%+v: got status %d %s", tt, w.Code, w.Body)
		}
		for _, name := range []string{"X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset",
			"RateLimit", "RateLimit-Policy"} {
			want := 1
			if tt.target == openAPIPath && name != "X-Request-Id" { // caches share it
				want = 0
			}
			if len(w.Header().Values(name)) != want {
				t.Errorf("%+v: %s = %q, want %d values", tt, name, w.Header().Values(name), want)
			}
		}
		known := tt.target != mount+"/markets" || tt.status >= 400 || tt.method == "OPTIONS"
		allows := allowedOrigin
		if tt.target == openAPIPath {
			allows = "*"
		}
		if known && w.Header().Get("Access-Control-Allow-Origin") != allows {
			t.Errorf("%+v: the page may not read it", tt)
		}
	}
}

func TestCORS(t *testing.T) {
	s := newServer(t)
	i := newClient(t, s, access.Browser, []access.Scope{access.AntennasRead}, access.DefaultLimits)
	preflight := func(origin string) http.Header {
		w := do(t, s, "OPTIONS", mount+"/antennas", "X-API-Key", "", "Origin", origin, "Access-Control-Request-Method",
			"GET", "Access-Control-Request-Headers", "authorization")
		if w.Code != 204 || !strings.Contains(w.Header().Get("Vary"), "Origin") || w.Body.Len() != 0 {
			t.Errorf("preflight of %s: %d %v, Body %v, want 204, Origin in Vary and Body = 0", origin, w.Code,
				w.Header(), w.Body.Len())
		}
		return w.Header()
	}
	if h := preflight(allowedOrigin); h.Get("Access-Control-Allow-Origin") != allowedOrigin ||
		!strings.Contains(h.Get("Access-Control-Allow-Headers"), "Authorization") ||
		h.Get("Access-Control-Max-Age") == "" || h.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("header %v, want the allowed origin, headers and age, and no credentials", h)
	}
	for _, origin := range []string{"https://evil.example", "null", "https://evil-allowed.example",
		"https://allowed.example:8443", "http://allowed.example", "HTTPS://ALLOWED.EXAMPLE"} {
		if h := preflight(origin); h.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: header %v, want no allowed origin", origin, h)
		}
		w := get(t, s, "/markets", "X-API-Key", i.APIKey, "Origin", origin)
		wantError(t, w, 403, "ORIGIN_NOT_ALLOWED")
		if w.Header().Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s may read the error, Access-Control-Allow-Origin %v, want Access-Control-Allow-Origin empty",
				origin, w.Header().Get("Access-Control-Allow-Origin"))
		}
	}
	for _, tt := range []struct {
		target string
		status int
	}{
		{"/markets", 200},
		{"/stats/departments", 403},
		{"/antennas?limit=0", 400},
		{"/antennas/0", 404},
	} {
		t.Run(tt.target, func(t *testing.T) {
			w := get(t, s, tt.target, "X-API-Key", i.APIKey, "Origin", allowedOrigin)
			h := w.Header()
			if w.Code != tt.status || h.Get("Access-Control-Allow-Origin") != allowedOrigin ||
				!strings.Contains(h.Get("Access-Control-Expose-Headers"), "X-RateLimit-Remaining") ||
				!strings.Contains(h.Get("Vary"), "Origin") {
				t.Errorf("%s: status %d, header %v; want status %d, and headers that share the answer", tt.target, w.Code, h, tt.status)
			}
		})
	}
	// OPTIONS without the headers of a preflight is answered with the methods (RFC 9110, 9.3.7).
	for path, want := range map[string]string{"/markets": "GET, HEAD, OPTIONS", "/antennas/lookup": "POST, OPTIONS"} {
		if w := do(t, s, "OPTIONS", mount+path); w.Code != 204 || w.Header().Get("Allow") != want || w.Body.Len() != 0 {
			t.Errorf("OPTIONS %s: status %d, Allow %q, body %q, want 204, %q and none", path, w.Code, w.Header().Get("Allow"), w.Body, want)
		}
	}
}

// A client address comes from the proxy only where the proxy is trusted.
func TestProxies(t *testing.T) {
	s := newServer(t)
	i := newClient(t, s, access.Server, access.ReadScopes, access.DefaultLimits)
	ask := func(peer string, forwarded ...string) int {
		headers := []string{"X-API-Key", i.APIKey, "X-Test-Peer", peer}
		for _, f := range forwarded {
			headers = append(headers, "X-Forwarded-For", f)
		}
		return get(t, s, "/markets", headers...).Code
	}
	for _, trusted := range []bool{false, true} {
		if trusted {
			s.Proxies = access.Proxies{netip.MustParsePrefix("127.0.0.1/32")}
		}
		for _, tt := range []struct {
			peer      string
			forwarded []string
			ok        bool // when the proxy is trusted
		}{
			{"127.0.0.1:5", []string{"192.0.2.9"}, true},
			{"127.0.0.1:5", []string{"10.0.0.1", "192.0.2.9"}, true},
			{"127.0.0.1:5", []string{"192.0.2.9, 203.0.113.1"}, false},
			{"127.0.0.1:5", []string{"::ffff:192.0.2.9"}, true},
			{"127.0.0.1:5", nil, false},
			{"203.0.113.1:5", []string{"192.0.2.9"}, false},
		} {
			want := 403
			if trusted && tt.ok {
				want = 200
			}
			if got := ask(tt.peer, tt.forwarded...); got != want {
				t.Errorf("trusted %v, %+v: %d, want %d", trusted, tt, got, want)
			}
		}
	}
}

// What is signed is the path as it was sent, with the prefix that a proxy takes
// off.
func TestSignedPath(t *testing.T) {
	s := newServer(t)
	i := newClient(t, s, access.Mobile, access.ReadScopes, access.DefaultLimits)
	for _, tt := range []struct {
		prefix, sent, signed string
		status               int
	}{
		{"", "/antennas?limit=1", mount + "/antennas", 200},
		{"", "/antennas?limit=1", mount + "/antennas?limit=1", 401},
		{"", "/antennas/9000001%30", mount + "/antennas/9000001%30", 200},
		{"", "/antennas/9000001%30", mount + "/antennas/90000010", 401},
		{"/relais", "/antennas", "/relais" + mount + "/antennas", 200},
		{"/relais", "/antennas", mount + "/antennas", 401},
	} {
		s.PublicPrefix = tt.prefix
		w := get(t, s, tt.sent, "X-API-Key", "", "Authorization", "Bearer "+i.APIKey, "X-Sq-Signature",
			access.Sign(i.SigningSecret, time.Now(), "GET", tt.signed, access.EmptyBody))
		if w.Code != tt.status {
			t.Errorf("%+v: got status %d %s", tt, w.Code, w.Body)
		}
	}
}
