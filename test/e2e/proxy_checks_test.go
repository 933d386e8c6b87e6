//go:build linux

package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// checkAddresses makes sure that nobody gets another's address by what he sends.
func (x proxied) checkAddresses(t *testing.T) {
	const path = "/external/v1/antennas/90000010"
	if a := call(t, clientAt(t, callerAt), http.MethodGet, x.base+path, nil, "X-API-Key", x.plain); a.status != 200 {
		t.Errorf("from the client's address: got %s, want 200", a)
	}
	for i, forged := range [][]string{
		{}, {"X-Forwarded-For", callerAt}, {"X-Forwarded-For", callerAt, "X-Forwarded-For", callerAt},
		{"X-Forwarded-For", callerAt + ", " + callerAt},
		{"X-Forwarded-For", callerAt, "X-Forwarded-For", "127.0.0.1"}, {"X-Forwarded-For", callerAt + ", 127.0.0.1,"},
		{"Forwarded", "for=" + callerAt},
		{"X-Forwarded-For", "127.0.0.1", "Forwarded", "for=127.0.0.1"},
		{"X-Real-IP", callerAt, "True-Client-IP", callerAt, "X-Client-IP", callerAt},
		// A proxy that takes the caller's word for what is hop by hop would drop its own line.
		{"Connection", "X-Forwarded-For"}, {"Connection", "close, X-Forwarded-For", "X-Forwarded-For", callerAt},
	} {
		// Each from an address of its own: what is refused here counts as a failed authentication.
		other := clientAt(t, fmt.Sprintf("127.0.1.%d", 1+i))
		for _, key := range []string{x.plain, x.s.key} {
			for _, base := range []string{x.base, x.s.base} { // through the proxy, and straight
				a := call(t, other, http.MethodGet, base+path, nil, append(forged, "X-API-Key", key)...)
				if a.status != 403 || a.code() != "IP_NOT_ALLOWED" {
					t.Errorf("%s with the key %.16s and %q: got %s, want 403 IP_NOT_ALLOWED", base, key, forged, a)
				}
			}
		}
	}
}

// checkPaths makes sure that paths arrive as they were sent: a signature tells.
func (x proxied) checkPaths(t *testing.T, prefix string) {
	from := clientAt(t, callerAt)
	for _, tt := range []struct {
		path   string
		status int
		code   string
	}{
		{"/external/v1/antennas/90000010", 200, ""},
		{"/external/v1/antennas?limit=2&q=a%20b%2Bc", 200, ""},
		{"/api/external/v1/antennas/fr%2D90000010?market=FR&_x=/../", 200, ""},
		{"/external/v1/antennas/a%2Fb", 404, "ANTENNA_NOT_FOUND"},
		{"/external/v1/antennas/%2e%2e", 404, "ANTENNA_NOT_FOUND"},
		{"/external/v1/antennas/%2E%2e%2F%2e%2E?_x=%2e", 404, "ANTENNA_NOT_FOUND"},
		{"/external/v1/antennas/a%3Bb%c3%a9~%7E%21", 404, "ANTENNA_NOT_FOUND"},
	} {
		path, _, _ := strings.Cut(tt.path, "?")
		wrong := "/antennes" + path // what is not asked for
		if prefix != "" {
			wrong = path
		}
		sign := func(path string) []string {
			return []string{"X-API-Key", x.signing.APIKey, "X-Sq-Signature", signature(x.signing.SigningSecret, path)}
		}
		for _, by := range []struct {
			name    string
			headers []string
			status  int
			code    string
		}{
			{"not signed", []string{"X-API-Key", x.plain}, tt.status, tt.code},
			{"signed", sign(prefix + path), tt.status, tt.code},
			{"signed as " + wrong, sign(wrong), 401, "SIGNATURE_REQUIRED"},
		} {
			a := call(t, from, http.MethodGet, x.base+tt.path, nil, append(by.headers, "X-Request-Id", "paths-1")...)
			id := a.header.Get("X-Request-Id")
			if a.status != by.status || a.code() != by.code || id != "paths-1" {
				t.Errorf("%s, %s: got %s of the request %s, want %d %s of paths-1", tt.path, by.name, a, id, by.status, by.code)
			}
		}
	}
	x.checkMetadata(t, prefix)
	if link := call(t, from, http.MethodGet, x.base+"/api/public/antennas", nil).header.Get("Link"); !strings.HasPrefix(
		link, "<"+x.base+"/") {
		t.Errorf("Link: got %s, want it below %s", link, x.base)
	}
}

// checkMetadata makes sure that assistants find the metadata of the sign-in, at the origin and below the prefix.
func (x proxied) checkMetadata(t *testing.T, prefix string) {
	const server, resource = "/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource"
	origin := strings.TrimSuffix(x.base, prefix)
	for address, member := range map[string]string{origin + server + prefix: "issuer", x.base + server: "issuer",
		origin + resource + prefix + "/mcp": "resource", x.base + resource + "/mcp": "resource"} {
		want := map[string]string{"issuer": x.base, "resource": x.base + "/mcp"}[member]
		if a := call(t, http.DefaultClient, http.MethodGet, address, nil); a.status != 200 || a.object()[member] != want {
			t.Errorf("%s: got %s, want the %s %s", address, a, member, want)
		}
	}
	from := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if a := call(t, from, http.MethodGet, x.base, nil); prefix != "" && (a.status/100 != 3 ||
		!strings.HasSuffix(a.header.Get("Location"), prefix+"/")) {
		t.Errorf("%s: got %d to %q, want a redirect to the slash", x.base, a.status, a.header.Get("Location"))
	}
}

// checkAnswers compares answers with those that come straight.
func (x proxied) checkAnswers(t *testing.T) {
	const one, export = "/external/v1/antennas/90000010", "/external/v1/antennas/export?format=json"
	from := clientAt(t, callerAt)
	tag := call(t, from, http.MethodGet, x.s.base+one, nil, "X-API-Key", x.plain).header.Get("ETag")
	const page, other = "https://map.example", "https://other.example"
	for _, tt := range []struct {
		method, path, key string
		headers           []string
		status            int
		least             int // bytes of the body
	}{
		{"GET", one, x.plain, nil, 200, 1000},
		{"GET", one, x.plain, []string{"If-None-Match", tag}, 304, 0},
		{"GET", one, x.plain, []string{"Accept-Encoding", "gzip"}, 200, 100},
		{"GET", one, x.plain, []string{"Accept-Encoding", "zstd"}, 200, 100},
		{"GET", one, x.plain, []string{"Accept-Encoding", "br, gzip;q=0"}, 200, 1000},
		{"HEAD", one, x.plain, nil, 200, 0},
		{"OPTIONS", one, x.plain, []string{"Origin", page, "Access-Control-Request-Method", "GET"}, 204, 0},
		{"GET", one, x.page, []string{"Origin", page}, 200, 1000},
		{"GET", one, x.page, []string{"Origin", other}, 403, 10},
		{"GET", export, x.plain, nil, 200, 1 << 20},
		{"GET", export, x.plain, []string{"Accept-Encoding", "gzip"}, 200, 1 << 16},
		{"GET", export, x.plain, []string{"Accept-Encoding", "zstd"}, 200, 1 << 16},
		{"GET", "/external/v1/nothing", x.plain, nil, 404, 10},
	} {
		what := fmt.Sprintf("%s %s %q", tt.method, tt.path, tt.headers)
		ask := func(base string) answer {
			return call(t, from, tt.method, base+tt.path, nil,
				append(tt.headers, "X-Request-Id", "answers-1", "X-API-Key", tt.key)...)
		}
		want, got := ask(x.s.base), ask(x.base)
		for range 20 { // an export may be prepared meanwhile: it then states its length and is compressed better
			again := ask(x.s.base)
			if bytes.Equal(again.body, want.body) && again.length == want.length {
				break
			}
			want, got = again, ask(x.base)
		}
		if got.status != tt.status || want.status != tt.status {
			t.Errorf("%s: got %d, straight %d, want %d", what, got.status, want.status, tt.status)
		}
		if !bytes.Equal(got.body, want.body) || len(got.body) < tt.least || got.length != want.length {
			t.Errorf("%s: got %d bytes, Content-Length %d; straight %d bytes, %d; want %d or more", what, len(got.body),
				got.length, len(want.body), want.length, tt.least)
		}
		sameHeaders(t, what, got.header, want.header)
		for _, name := range []string{"X-RateLimit-Remaining", "ETag", "X-Request-Id"} {
			if tt.status == 200 && got.header.Get(name) == "" {
				t.Errorf("%s: %s is missing", what, name)
			}
		}
	}
}

// sameHeaders compares the headers of an answer with those that come straight.
func sameHeaders(t *testing.T, what string, got, want http.Header) {
	t.Helper()
	values := func(h http.Header, name string) string { // Apache takes blanks out
		return strings.ReplaceAll(strings.Join(h[name], "|"), ", ", ",")
	}
	for name := range want {
		counts := strings.Contains(name, "Ratelimit") && !strings.Contains(name, "Limit-Limit") &&
			!strings.HasSuffix(name, "Policy") // they go on
		if name == "Date" || counts && len(got[name]) == 1 {
			continue
		}
		if values(got, name) != values(want, name) {
			t.Errorf("%s: got %s %q, straight %q", what, name, got[name], want[name])
		}
	}
	for name := range got {
		if want[name] == nil && name != "Server" && name != "Via" && name != "Connection" && name != "Keep-Alive" {
			t.Errorf("%s: the proxy added %s %q", what, name, got[name])
		}
	}
}
