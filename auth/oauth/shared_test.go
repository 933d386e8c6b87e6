package oauth

import (
	"bytes"
	"net/http"
	"net/netip"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"relais/internal/admit/tallytest"
	"relais/internal/store/logtest"
)

// withOptions replaces the handler.
func (w *world) withOptions(change func(*Options)) {
	w.Helper()
	o := w.Options
	change(&o)
	h, err := New(o)
	must(w.T, err)
	w.Handler = h
}

// A form of one server is accepted by another that has the same key, and by no other.
func TestFormOfAnotherServer(t *testing.T) {
	w := newWorld(t)
	key := bytes.Repeat([]byte{7}, 32)
	for _, c := range []struct {
		name        string
		here, there []byte
		want        int
	}{
		{"the same key", key, key, http.StatusOK},
		{"another key", key, bytes.Repeat([]byte{8}, 32), http.StatusForbidden},
		{"no key", nil, nil, http.StatusForbidden},
	} {
		t.Run(c.name, func(t *testing.T) {
			w.withOptions(func(o *Options) { o.Key = c.here })
			client := w.register(callback)
			fields, cookie := w.page(request(client, callback))
			w.withOptions(func(o *Options) { o.Key = c.there })
			fields = with(fields, "name", "Alice", "password", good, "decision", "allow")
			if a := w.post(authorizePath, fields, "Cookie", cookie); a.StatusCode != c.want {
				t.Errorf("%s: %d, want %d", c.name, a.StatusCode, c.want)
			}
		})
	}
}

// Registrations are limited over several servers as they are at one.
func TestRegistrationsAtTwoServers(t *testing.T) {
	w := newWorld(t)
	tally := tallytest.New()
	servers := [2]*Handler{}
	for i := range servers {
		w.withOptions(func(o *Options) { o.Registrations = tally })
		servers[i] = w.Handler
	}
	home, made := netip.MustParseAddr("203.0.113.9"), 0
	for i := range 70 {
		w.Handler = servers[i%2]
		if w.tryRegister(home).StatusCode == http.StatusCreated {
			made++
		}
	}
	if made != mostRegistered {
		t.Errorf("%d registered from one address, want %d", made, mostRegistered)
	}
	for i := range 70 {
		w.Handler = servers[i%2]
		if w.tryRegister(netip.AddrFrom4([4]byte{203, 0, 113, byte(10 + i)})).StatusCode == http.StatusCreated {
			made++
		}
	}
	if made != mostNetworkRegistered {
		t.Errorf("%d registered from one network, want %d", made, mostNetworkRegistered)
	}
	w.pass(registerWindow)
	tally.Away = true
	a := w.tryRegister(home)
	w.want("while the tally is away", a, http.StatusServiceUnavailable, "temporarily_unavailable")
	if a.Header.Get("Retry-After") == "" {
		t.Error("the answer has no Retry-After")
	}
}

// shared makes the world one of two servers whose people are the same, and returns the other.
func shared(t *testing.T) (here, there *world, log *logtest.Log) {
	t.Helper()
	log = logtest.New()
	open := func() *world {
		w := &world{T: t, path: filepath.Join(t.TempDir(), "users.db"), at: time.Now().Truncate(time.Hour),
			address: netip.MustParseAddr("203.0.113.9")}
		w.open(log)
		w.withOptions(func(o *Options) { o.Key = bytes.Repeat([]byte{7}, 32) })
		return w
	}
	here, there = open(), open()
	if _, err := here.accounts.Create(t.Context(), "Alice", good); err != nil {
		t.Fatal(err)
	}
	return here, there, log
}

// What one server began the other one ends: page, decision, code, refresh, revocation.
func TestSignInOverTwoServers(t *testing.T) {
	here, there, log := shared(t)
	client := here.register(callback)
	fields, cookie := there.page(request(client, callback))
	a := here.post(authorizePath, with(fields, "name", "Alice", "password", good, "decision", "allow"), "Cookie", cookie)
	_, values := a.location()
	if a.StatusCode != http.StatusOK || values.Get("code") == "" {
		t.Fatalf("the decision: %d %v, want a code", a.StatusCode, values)
	}
	a = there.post(tokenPath, redemption(client, values.Get("code"), callback))
	if a.StatusCode != http.StatusOK {
		t.Fatalf("the code at the other server: %d %s, want %d", a.StatusCode, a.text, http.StatusOK)
	}
	refresh := url.Values{"grant_type": {"refresh_token"}, "client_id": {client},
		"refresh_token": {a.member("refresh_token")}}
	if a = here.post(tokenPath, refresh); a.StatusCode != http.StatusOK {
		t.Errorf("the refresh token at the first: %d %s, want %d", a.StatusCode, a.text, http.StatusOK)
	}
	log.SetAway(true)
	unknown := url.Values{"grant_type": {"refresh_token"}, "client_id": {client}, "refresh_token": {"rr_x"}}
	for _, c := range []struct {
		name string
		answer
	}{
		{"a code", there.post(tokenPath, redemption(client, "rc_x", callback))},
		{"a token", there.post(tokenPath, unknown)},
		{"a program", there.post(tokenPath, redemption("none", "rc_x", callback))},
		{"a registration", there.do("POST", registerPath, `{"redirect_uris":["https://app.example/cb"]}`,
			"Content-Type", "application/json")},
	} {
		there.want(c.name+" while the log is away", c.answer, http.StatusServiceUnavailable, "temporarily_unavailable")
		if c.Header.Get("Retry-After") == "" || strings.Contains(c.text, "commit") {
			t.Errorf("%s: Retry-After %q, %s; want one", c.name, c.Header.Get("Retry-After"), c.text)
		}
	}
	for _, c := range []struct {
		name string
		answer
		want int
	}{
		{"the page", there.do("GET", authorizePath+"?"+request(client, callback).Encode(), ""), http.StatusOK},
		{"the page of an unknown program", there.do("GET", authorizePath+"?"+request("none", callback).Encode(), ""),
			http.StatusServiceUnavailable},
		{"a decision", there.post(authorizePath, with(fields, "name", "Alice", "password", good, "decision", "allow"),
			"Cookie", cookie), http.StatusServiceUnavailable},
	} {
		says := strings.Contains(c.text, allTexts["en"].Away)
		if c.StatusCode != c.want || says != (c.want != http.StatusOK) {
			t.Errorf("%s while the log is away: %d, says why: %t; want %d", c.name, c.StatusCode, says, c.want)
		}
	}
}
