package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"relais/auth/access"
)

// wantNoSecrets searches the log for what a client alone may know.
func wantNoSecrets(t *testing.T, text string, i *access.Issued) {
	t.Helper()
	for _, tt := range []struct{ what, secret string }{
		{"key", i.APIKey},
		{"secret of the key", i.APIKey[20:]},
		{"signing secret", i.SigningSecret},
		{"query", "limit=1"},
		{"address", "100.77"},
		{"network", "beef"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			if strings.Contains(text, tt.secret) {
				t.Errorf("the log has the %s: %s", tt.what, text)
			}
		})
	}
}

// The log has one line a request, and nothing in it that is not to be known.
func TestRequestLog(t *testing.T) {
	s := newServer(t)
	var text bytes.Buffer
	s.Requests = slog.New(slog.NewJSONHandler(&text, nil))
	i := newClient(t, s, access.Mobile, []access.Scope{access.AntennasRead}, access.DefaultLimits)
	line := func() object {
		t.Helper()
		var o object
		if strings.Count(text.String(), "\n") != 1 || json.Unmarshal(text.Bytes(), &o) != nil {
			t.Fatalf("got %.300s, want one line of JSON", &text)
		}
		wantNoSecrets(t, text.String(), i)
		text.Reset()
		return o
	}
	headers := append(clientHeaders(i, mount+"/antennas"), "X-Request-Id", "mine", "X-Test-Peer", "198.51.100.77:5")
	w := get(t, s, "/antennas?limit=1", headers...)
	o := line()
	wantMembers(t, o, object{"msg": "request", "id": "mine", "client": i.ID, "method": "GET",
		"route": mount + "/antennas", "status": 200.0, "bytes": float64(w.Body.Len()), "address": "198.51.100.0/24"}, "the line")
	if took, ok := o["took"].(float64); !ok || took <= 0 || o["refused"] != nil {
		t.Errorf("line = %v, want a time above 0 and no refusal", o)
	}
	// Whatever somebody sends where the signature belongs, it may be a secret.
	get(t, s, "/antennas?limit=1", "X-API-Key", "", "Authorization", "Bearer "+i.APIKey, "X-Sq-Signature",
		i.SigningSecret, "X-Test-Peer", "[2001:db8:1:2::beef]:5")
	if o := line(); o["status"] != 401.0 || o["client"] != i.ID || o["address"] != "2001:db8:1::/48" ||
		!strings.Contains(o["refused"].(string), "part 1") {
		t.Errorf("line = %v, want 401, the client, its /48 and part 1 of the signature refused", o)
	}
	get(t, s, "/antennas?limit=1", "X-API-Key", i.APIKey[:30], "X-Test-Peer", "198.51.100.77:5")
	wantMembers(t, line(), object{"status": 401.0, "client": ""}, "the line")
	s.Mount("/other", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		NoteClient(r.Context(), &i.Client, access.ErrScope)
		w.WriteHeader(http.StatusForbidden)
	}))
	do(t, s, http.MethodPost, "/other", "X-Test-Peer", "198.51.100.77:5")
	wantMembers(t, line(), object{"status": 403.0, "client": i.ID, "route": "/other",
		"refused": access.ErrScope.Error()}, "the line")
	do(t, s, strings.Repeat("A", 900_000), "/"+strings.Repeat("b", 900_000))
	wantMembers(t, line(), object{"method": "other", "route": "", "status": 404.0}, "the line")
	s.FullAddress = true
	get(t, s, "/markets", "X-Test-Peer", "198.51.100.78:5")
	if o := line(); o["address"] != "198.51.100.78" {
		t.Errorf("line = %v, want the whole address", o)
	}
}

// countLines returns the number of requests that were logged since the last call, and what was warned of.
func countLines(s *Server) (lines func() int, warned *bytes.Buffer) {
	text, warned := &bytes.Buffer{}, &bytes.Buffer{}
	s.Requests, s.Log = slog.New(slog.NewTextHandler(text, nil)), slog.New(slog.NewTextHandler(warned, nil))
	return func() int {
		defer text.Reset()
		return strings.Count(text.String(), "\n")
	}, warned
}

// Very many answers without a key fill no log either, and take no lines from clients or errors.
func TestAnonymousFloodInTheLog(t *testing.T) {
	s := mapServer(t, MapOpen)
	lines, warned := countLines(s)
	i := newClient(t, s, access.Server, access.ReadScopes, access.Limits{Minute: 10000, Day: 100000})
	synctest.Test(t, func(t *testing.T) {
		ask := func(path, address string, times int) {
			for range times {
				if w := do(t, s, http.MethodHead, path, "X-Test-Peer", address+":1"); w.Code != http.StatusOK {
					t.Fatalf("%s: got %d %s, want 200", path, w.Code, w.Body)
				}
			}
		}
		ask("/openapi.json", "198.51.100.1", anonymousLines-10)
		ask("/map/markets", "198.51.100.2", 30) // of the same network
		if n := lines(); n != anonymousLines {
			t.Errorf("%d lines of a network, want %d", n, anonymousLines)
		}
		for range anonymousLines + 10 {
			get(t, s, "/markets", clientHeaders(i, "")...)
		}
		get(t, s, "/markets", "X-API-Key", "", "X-Test-Peer", "198.51.100.1:1")
		if n := lines(); n != anonymousLines+11 {
			t.Errorf("%d lines of a client, and of a refusal, want %d", n, anonymousLines+11)
		}
		for n := range 9 {
			ask("/openapi.json", fmt.Sprintf("10.0.%d.1", n), anonymousLines)
		}
		ask("/openapi.json", "203.0.113.1", 1)
		if n := lines(); n != allAnonymousLines-anonymousLines {
			t.Errorf("%d lines of ten networks, want %d", n, allAnonymousLines-anonymousLines)
		}
		time.Sleep(time.Minute)
		ask("/openapi.json", "198.51.100.1", 1)
		if left := "answers without a key were left out"; lines() != 1 || !strings.Contains(warned.String(), left) ||
			!strings.Contains(warned.String(), "lines=21\n") {
			t.Errorf("in the next minute: %s, want %q and 21", warned, left)
		}
	})
}

// Who is refused again and again fills no log, and takes no lines from others.
func TestFloodInTheLog(t *testing.T) {
	s := newServer(t)
	lines, warned := countLines(s)
	i := newClient(t, s, access.Server, access.ReadScopes, access.Limits{Minute: 1, Day: 10000})
	synctest.Test(t, func(t *testing.T) {
		for n := range 500 {
			get(t, s, "/markets", "X-API-Key", "", "X-Test-Peer", fmt.Sprintf("198.51.100.%d:1", n%200))
		}
		if n := lines(); n != callerLines {
			t.Errorf("%d lines of a network without a key, want %d", n, callerLines)
		}
		for range 200 {
			get(t, s, "/markets", clientHeaders(i, "")...)
		}
		if n := lines(); n != callerLines+1 {
			t.Errorf("%d lines of a client whose quota is spent, want %d", n, callerLines+1)
		}
		for range 200 {
			get(t, s, "/antennas/0")
		}
		get(t, s, "/markets", "X-API-Key", "", "X-Test-Peer", "203.0.113.9:1")
		if n := lines(); n != 201 {
			t.Errorf("%d lines of a client that asks for what is not there, and of another network, want 201", n)
		}
		for n := range 3000 {
			get(t, s, "/markets", "X-API-Key", "", "X-Test-Peer", fmt.Sprintf("10.%d.%d.1:1", n/250, n%250))
		}
		if n := lines(); n != allLines-2*callerLines-1 {
			t.Errorf("%d lines of 3,000 networks, want %d", n, allLines-2*callerLines-1)
		}
		time.Sleep(time.Minute)
		get(t, s, "/markets", "X-API-Key", "", "X-Test-Peer", "198.51.100.7:1")
		left := fmt.Sprint("lines=", 500-callerLines+199-callerLines+3000-(allLines-2*callerLines-1))
		if n := lines(); n != 1 || !strings.Contains(warned.String(), left) {
			t.Errorf("in the next minute: %d lines, %s, want %s", n, warned, left)
		}
	})
}
