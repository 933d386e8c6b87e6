package oauth

import (
	"net/http"
	"net/netip"
	"regexp"
	"strings"
	"testing"
	"time"

	"relais/internal/tier"
)

// A refusal needs no password, and sends no browser anywhere: the page has a link that tells the program.
func TestRefusal(t *testing.T) {
	w := newWorld(t)
	client := w.register(callback, "http://127.0.0.1/cb", app)
	for _, redirect := range []string{callback, local, app} {
		a := w.decided(request(client, redirect), "decision", "deny", "password", "")
		where, got := a.link()
		if a.StatusCode != http.StatusOK || where != redirect || got.Get("error") != "access_denied" ||
			got.Get("state") != "a state & more" || got.Get("iss") != base || got.Has("code") {
			t.Errorf("%s: got %d, a link to %s %v, want access_denied with state, iss and no code", redirect,
				a.StatusCode, where, got)
		}
		if a.sentTo() != "" {
			t.Errorf("%s: the browser is sent to %s, want nowhere", redirect, a.sentTo())
		}
	}
}

// Scopes that are unknown are dropped; when no known one is left, all are offered. What the person saw
// is what the token says.
func TestScopes(t *testing.T) {
	w := newWorld(t)
	client := w.register(callback)
	const both = "mcp:read mcp:write"
	for _, tt := range []struct{ asked, want string }{
		{"mcp:read offline_access", "mcp:read"}, // anthropics/claude-code#41610
		{"offline_access", both},
		{"openid email profile", both},
		{"", both},
		{" mcp:write  mcp:write ", "mcp:write"},
		{"MCP:READ", both},
		{"\"\\\u00e9", both},
	} {
		v := request(client, callback)
		v.Set("scope", tt.asked)
		page := w.do("GET", authorizePath+"?"+v.Encode(), "")
		if got := strings.Contains(page.text, "submit outage reports"); got != strings.Contains(tt.want, "write") {
			t.Errorf("%q: the page says that the program may submit: %t, want that of %s", tt.asked, got, tt.want)
		}
		_, back := w.decided(v).location()
		a := w.post(tokenPath, redemption(client, back.Get("code"), callback))
		if got := a.member("scope"); got != tt.want {
			t.Errorf("%q: the token is for %q, want %q", tt.asked, got, tt.want)
		}
	}
}

// A wrong password and too many of them.
func TestDecisions(t *testing.T) {
	tier.Slow(t)
	w := newWorld(t)
	client := w.register(callback)
	text := ""
	for _, fields := range [][]string{{"password", "wrong"}, {"name", "nobody"}, {"name", "", "password", ""},
		{"password", good + "\x00"}} {
		a := w.decided(request(client, callback), fields...)
		said := regexp.MustCompile(`(?s)id="problem">.*?</p>`).FindString(a.text)
		if a.StatusCode != http.StatusForbidden || a.sentTo() != "" || said == "" ||
			text != "" && said != text || strings.Contains(a.text, good) {
			t.Errorf("%v: got %d %s, want %d with %q and without the password", fields, a.StatusCode, a.text,
				http.StatusForbidden, text)
		}
		text = said
	}
	if a := w.decided(request(client, callback), "decision", "x"); a.StatusCode != http.StatusBadRequest ||
		a.sentTo() != "" {
		t.Errorf("no decision: %d, Location %v, want %d and Location empty", a.StatusCode, a.sentTo(),
			http.StatusBadRequest)
	}
	var a answer
	for i := range 40 {
		if a = w.decided(request(client, callback), "password", "wrong"); a.StatusCode == http.StatusTooManyRequests {
			break
		}
		if i == 39 {
			t.Fatal("guessing is not limited")
		}
	}
	if a = w.decided(request(client, callback)); a.StatusCode != http.StatusTooManyRequests ||
		a.Header.Get("Retry-After") == "" || a.sentTo() != "" {
		t.Errorf("the right password after too many: %d %s, Location %v, want %d, a value and Location empty",
			a.StatusCode, a.Header.Get("Retry-After"), a.sentTo(), http.StatusTooManyRequests)
	}
	w.address = netip.MustParseAddr("2001:db8::1")
	if a = w.decided(request(client, callback)); a.StatusCode != http.StatusOK { // the guesses were a stranger's
		t.Errorf("from another address: %d, want %d", a.StatusCode, http.StatusOK)
	}
	w.address = netip.MustParseAddr("203.0.113.9")
	w.pass(15 * time.Minute)
	if _, got := w.decided(request(client, callback, "state", "")).location(); !got.Has("code") || got.Has("state") {
		t.Errorf("later: got %v, want a code and no state", got)
	}
}
