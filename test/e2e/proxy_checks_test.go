package e2e

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// checkAddresses makes sure that nobody gets another's address by what he sends.
func checkAddresses(t *testing.T, s *server, base, key string) {
	const path = "/external/v1/antennas/90000010"
	if a := call(t, clientAt(t, callerAt), base+path, header("X-API-Key", key)); a.status != 200 {
		t.Errorf("from the client's address: %d %s", a.status, a.body)
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
		for _, tt := range []struct{ whose, key string }{
			{callerAt, key},
			{"127.0.0.1", s.key},
		} {
			t.Run(tt.whose, func(t *testing.T) {
				for _, c := range []struct{ way, url string }{
					{"through the proxy", base},
					{"straight", s.base},
				} {
					t.Run(c.way, func(t *testing.T) {
						a := call(t, other, c.url+path, header(append([]string{"X-API-Key", tt.key}, forged...)...))
						if a.status != 403 || !bytes.Contains(a.body, []byte(`"IP_NOT_ALLOWED"`)) {
							t.Errorf("%s as %s with %q: %d %.200s", c.way, tt.whose, forged, a.status, a.body)
						}
					})
				}
			})
		}
	}
}

// checkPaths makes sure that paths arrive as they were sent: a signature tells.
func checkPaths(t *testing.T, base, prefix, key string, signing issued) {
	from := clientAt(t, callerAt)
	for _, tt := range []struct {
		path string
		code string // of the answer, "" for 200
	}{
		{"/external/v1/antennas/90000010", ""}, {"/external/v1/antennas?limit=2&q=a%20b%2Bc", ""},
		{"/api/external/v1/antennas/fr%2D90000010?market=FR&_x=/../", ""},
		{"/external/v1/antennas/a%2Fb", "ANTENNA_NOT_FOUND"}, {"/external/v1/antennas/%2e%2e", "ANTENNA_NOT_FOUND"},
		{"/external/v1/antennas/%2E%2e%2F%2e%2E?_x=%2e", "ANTENNA_NOT_FOUND"},
		{"/external/v1/antennas/a%3Bb%c3%a9~%7E%21", "ANTENNA_NOT_FOUND"},
	} {
		path, _, _ := strings.Cut(tt.path, "?")
		for _, h := range []http.Header{
			header("X-API-Key", key),
			header("X-API-Key", signing.APIKey, "X-Sq-Signature", signature(signing.SigningSecret, prefix+path)),
		} {
			h.Set("X-Request-Id", "paths-1")
			a := call(t, from, base+tt.path, h)
			if tt.code == "" && a.status != 200 ||
				tt.code != "" &&
					(a.status != 404 ||
						!bytes.Contains(a.body, []byte(`"code":"`+tt.code+`","requestId":"paths-1"}`))) {
				t.Errorf("%s, signed %q: %d %.200s", tt.path, h["X-Sq-Signature"], a.status, a.body)
			}
		}
		wrong := "/antennes" + path // what is not asked for
		if prefix != "" {
			wrong = path
		}
		a := call(t, from, base+tt.path,
			header("X-API-Key", signing.APIKey, "X-Sq-Signature", signature(signing.SigningSecret, wrong)))
		if a.status != 401 || !bytes.Contains(a.body, []byte(`"SIGNATURE_REQUIRED"`)) {
			t.Errorf("%s, signed as %s: %d %.200s", tt.path, wrong, a.status, a.body)
		}
	}
	if link := call(t, from, base+"/api/public/antennas", nil).header.Get("Link"); !strings.HasPrefix(link,
		"<"+base+"/") {
		t.Errorf("Link %s is not below %s", link, base)
	}
}

// checkAnswers compares answers with those that come straight.
func checkAnswers(t *testing.T, s *server, base, key, pageKey string) {
	from := clientAt(t, callerAt)
	const one, export = "/external/v1/antennas/90000010", "/external/v1/antennas/export?format=json"
	tag := call(t, from, s.base+one, header("X-API-Key", key)).header.Get("ETag")
	for _, tt := range []struct {
		path   string
		header []string
		status int
		least  int
	}{
		{one, nil, 200, 1000},
		{one, []string{"If-None-Match", tag}, 304, 0},
		{one, []string{"Accept-Encoding", "gzip"}, 200, 100},
		{one, []string{"Accept-Encoding", "zstd"}, 200, 100},
		{one, []string{"Accept-Encoding", "br, gzip;q=0"}, 200, 1000},
		{one, []string{"Method", "HEAD"}, 200, 0},
		{one, []string{"Method", "OPTIONS", "Origin", "https://map.example", "Access-Control-Request-Method", "GET"},
			204, 0},
		{one, []string{"Origin", "https://map.example", "X-API-Key", pageKey}, 200, 1000},
		{one, []string{"Origin", "https://other.example", "X-API-Key", pageKey}, 403, 10},
		{export, nil, 200, 1 << 20},
		{export, []string{"Accept-Encoding", "gzip"}, 200, 1 << 16},
		{export, []string{"Accept-Encoding", "zstd"}, 200, 1 << 16},
		{"/external/v1/nothing", nil, 404, 10},
	} {
		h := header(append([]string{"X-Request-Id", "answers-1"}, tt.header...)...)
		if h.Get("X-API-Key") == "" {
			h.Set("X-API-Key", key)
		}
		want, got := call(t, from, s.base+tt.path, h), call(t, from, base+tt.path, h)
		for range 20 { // an export may be prepared meanwhile, and is then compressed better
			again := call(t, from, s.base+tt.path, h)
			if bytes.Equal(again.body, want.body) {
				break
			}
			want, got = again, call(t, from, base+tt.path, h)
		}
		if got.status != tt.status || want.status != tt.status || !bytes.Equal(got.body, want.body) ||
			len(got.body) < tt.least || got.length != want.length {
			t.Errorf("%s %q: %d, %d bytes, Content-Length %d; straight %d, %d bytes, %d", tt.path, tt.header,
				got.status, len(got.body), got.length, want.status, len(want.body), want.length)
		}
		for name := range want.header {
			counts := strings.Contains(name, "Ratelimit") && !strings.Contains(name, "Limit-Limit") &&
				!strings.HasSuffix(name, "Policy") // they go on
			if name == "Date" || counts && len(got.header[name]) == 1 {
				continue
			}
			if strings.ReplaceAll(strings.Join(got.header[name], "|"), ", ",
				",") != strings.ReplaceAll(strings.Join(want.header[name], "|"), ", ", ",") { // Apache takes blanks out
				t.Errorf("%s %q: %s is %q, straight %q", tt.path, tt.header, name, got.header[name], want.header[name])
			}
		}
		for _, name := range slices.Sorted(maps.Keys(got.header)) {
			if want.header[name] == nil && name != "Server" && name != "Via" && name != "Connection" &&
				name != "Keep-Alive" {
				t.Errorf("%s %q: the proxy added %s %q", tt.path, tt.header, name, got.header[name])
			}
		}
		if tt.status == 200 && (got.header.Get("X-RateLimit-Remaining") == "" || got.header.Get("ETag") == "" ||
			got.header.Get("X-Request-Id") != "answers-1") {
			t.Errorf("%s %q: a header is missing: %v", tt.path, tt.header, got.header)
		}
	}
}
