package people

import (
	"compress/gzip"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"relais/auth/account"
	"relais/community/audit"
	"relais/internal/tier"
)

// Nobody is sent to the sign-in and comes back, and who may not see a page does not; a change of role
// counts at once.
func TestPage(t *testing.T) {
	w := newWorld(t)
	alice := w.person("alice")
	want := func(what, token string, form url.Values, status int, text string) {
		t.Helper()
		got := w.ask(ask{path: "/moderation", token: token, form: form})
		if got.Code != status || !strings.Contains(got.Body.String()+got.Header().Get("Location"), text) {
			t.Errorf("%s: %d %s %s, want %d and %q", what, got.Code, got.Header().Get("Location"), got.Body, status, text)
		}
	}
	want("nobody", "", nil, http.StatusSeeOther, "/sign-in?next=%2Fmoderation")
	want("nobody's form", "", url.Values{}, http.StatusForbidden, "not signed in any more")
	want("an unknown session", strings.Repeat("A", 43), nil, http.StatusSeeOther, "/sign-in")
	want("a long cookie", strings.Repeat("A", 1<<20), nil, http.StatusSeeOther, "/sign-in")
	token := w.signIn("alice")
	want("a member", token, nil, http.StatusForbidden, "may not see this page")
	want("a member's form", token, url.Values{"form": {w.formOf(token)}, "act": {"hide"}}, http.StatusForbidden,
		"may not see this page")
	promote := func(role account.Role) {
		t.Helper()
		if _, err := w.Accounts.SetRole(alice.ID, role, audit.Decision{}); err != nil {
			t.Fatal(err)
		}
	}
	promote(account.Admin)
	token = w.signIn("alice")
	form := w.formOf(token)
	want("an admin", token, nil, http.StatusOK, "alice")
	want("an admin's form", token, url.Values{"form": {form}, "act": {"hide"}}, http.StatusOK, "alice hide")
	promote(account.Member)
	want("a form after the demotion", token, url.Values{"form": {form}, "act": {"hide"}}, http.StatusForbidden,
		"Nothing was done")
	token = w.signIn("alice")
	want("a form of the former session", token, url.Values{"form": {form}, "act": {"hide"}}, http.StatusForbidden, "")
}

// Forms of other sites, of other sessions and of no session do nothing.
func TestForgedForms(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.BaseURL = "https://relais.example" })
	alice, bob := w.person("alice"), w.person("bob")
	for _, a := range []*account.Account{alice, bob} {
		if _, err := w.Accounts.SetRole(a.ID, account.Moderator, audit.Decision{}); err != nil {
			t.Fatal(err)
		}
	}
	token, other := w.signIn("alice"), w.signIn("bob")
	form := w.formOf(token)
	header := func(list ...string) http.Header {
		h := http.Header{}
		for i := 0; i < len(list); i += 2 {
			h[list[i]] = append(h[list[i]], list[i+1])
		}
		return h
	}
	for _, tt := range []struct {
		name   string
		form   string
		header http.Header
		want   int
	}{
		{"right", form, nil, 200},
		{"of this site", form, header("Sec-Fetch-Site", "same-origin", "Origin", "https://relais.example"), 200},
		{"of this site, behind a proxy that changes Host", form, header("Origin", "https://relais.example"), 200},
		{"of another site", form, header("Sec-Fetch-Site", "cross-site", "Origin", "https://else.example"), 403},
		{"of a sibling", form, header("Sec-Fetch-Site", "same-site", "Origin", "https://else.relais.example"), 403},
		{"of an old browser at another site", form, header("Origin", "https://else.example"), 403},
		{"of a sandboxed frame", form, header("Origin", "null"), 403},
		{"without TLS", form, header("Origin", "http://relais.example"), 403},
		{"none", "", nil, 403},
		{"of another session", w.formOf(other), nil, 403},
		{"the session's token", token, nil, 403},
		{"JSON", form, header("Content-Type", "application/json"), 415},
		{"with a file", form, header("Content-Type", "multipart/form-data; boundary=x"), 415},
		{"plain text", form, header("Content-Type", "text/plain"), 415},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := w.ask(ask{path: "/moderation", token: token, form: url.Values{"form": {tt.form}, "act": {"hide"}},
				header: tt.header})
			if done := got.Body.String() == "alice hide"; got.Code != tt.want || done != (tt.want == 200) {
				t.Errorf("got %d, done %t; want %d", got.Code, done, tt.want)
			}
		})
	}
	large := w.ask(ask{path: "/moderation", token: token,
		form: url.Values{"form": {form}, "act": {strings.Repeat("x", maxBody)}}})
	if large.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("a large form: %d, want 413", large.Code)
	}
	got := w.ask(ask{path: "/moderation?form=" + form + "&act=hide", token: token, form: url.Values{}})
	if got.Code != http.StatusForbidden {
		t.Errorf("a form in the address: %d, want 403", got.Code)
	}
}

// Nobody else sees, keeps or frames what a session shows; and its length says nothing.
func TestHeaders(t *testing.T) {
	w := newWorld(t)
	w.person("alice")
	token := w.signIn("alice")
	for _, path := range []string{"/sign-in", "/account", "/account/password", "/account/delete", "/account/sent",
		"/moderation", "/sign-out"} {
		got := w.ask(ask{path: path, token: token, header: http.Header{"Accept-Encoding": {"gzip"}}})
		h := got.Header()
		if h.Get("Cache-Control") != "no-store" || h.Get("X-Frame-Options") != "DENY" ||
			!strings.Contains(h.Get("Content-Security-Policy"), "frame-ancestors 'none'") ||
			strings.Contains(h.Get("Content-Security-Policy"), "script-src") || h.Get("Content-Encoding") != "" {
			t.Errorf("%s: got %v, want no-store, no frame, no script, no compression", path, h)
		}
		if _, err := gzip.NewReader(got.Body); err == nil {
			t.Errorf("%s is compressed", path)
		}
	}
	got := httptest.NewRecorder()
	w.mux.ServeHTTP(got, httptest.NewRequest(http.MethodDelete, "http://localhost/account", nil))
	if got.Code != http.StatusMethodNotAllowed || got.Header().Get("Allow") != "GET, HEAD, POST" {
		t.Errorf("DELETE: %d, want 405", got.Code)
	}
}

// The cookie of a sign-in is as the browser needs it, and never one that the browser brought.
func TestCookie(t *testing.T) {
	w := newWorld(t)
	w.person("alice")
	planted := w.signIn("alice") // by somebody else, in the same browser
	got := w.ask(ask{path: "/sign-in?next=/account/sent&lang=fr", token: planted,
		form: url.Values{"name": {"Álice"}, "password": {good}}})
	c := got.Result().Cookies()
	if len(c) != 1 || c[0].Name != "__Host-relais" || len(c[0].Value) != 43 || c[0].Value == planted || !c[0].Secure ||
		!c[0].HttpOnly || c[0].SameSite != http.SameSiteLaxMode || c[0].Path != "/" || c[0].Domain != "" ||
		c[0].MaxAge != 43200 {
		t.Fatalf("got %+v, want a new __Host-relais for 12 hours", c)
	}
	if again := w.ask(ask{path: "/account", token: planted}); again.Code != http.StatusSeeOther {
		t.Errorf("the session of before: %d, want 303 to the sign-in", again.Code)
	}
	to := got.Header().Get("Location")
	if lost := w.ask(ask{path: to}); lost.Code != http.StatusForbidden ||
		!strings.Contains(lost.Body.String(), "n’a pas gardé le cookie") {
		t.Errorf("without the cookie: %d %s, want 403 and why", lost.Code, lost.Body)
	}
	if in := w.ask(ask{path: to, token: c[0].Value}); in.Header().Get("Location") != "/account/sent" {
		t.Errorf("with the cookie: %d to %s, want /account/sent", in.Code, in.Header().Get("Location"))
	}
	both := c[0].Name + "=" + c[0].Value + "; " + c[0].Name + "=x"
	two := w.ask(ask{path: "/account", header: http.Header{"Cookie": {both}}})
	if two.Code != http.StatusSeeOther {
		t.Errorf("two cookies of the name: %d, want 303 to the sign-in", two.Code)
	}
}

// Unknown names, wrong passwords and disabled accounts get the same answer.
func TestWrongLogin(t *testing.T) {
	tier.Slow(t)
	w := newWorld(t)
	w.person("alice")
	if _, err := w.Accounts.Disable(w.person("bob").ID, true, audit.Decision{}); err != nil {
		t.Fatal(err)
	}
	answers := map[string][]string{}
	for _, tt := range []struct{ name, password string }{{"alice", "wrong"}, {"nobody", good}, {"bob", good},
		{"", ""}, {strings.Repeat("é", 100), good}, {"a\xff\x00", "\x00"}} {
		got := w.ask(ask{path: "/sign-in", form: url.Values{"name": {tt.name}, "password": {tt.password}}})
		text := strings.ReplaceAll(got.Body.String(), `value="`+tt.name+`"`, `value=""`)
		if got.Code != http.StatusForbidden || kept(got) != "" || strings.Contains(text, good) {
			t.Errorf("%.20q: %d, cookie %q; want 403, none, and no password", tt.name, got.Code, kept(got))
		}
		answers[text] = append(answers[text], tt.name)
	}
	if len(answers) != 1 {
		t.Errorf("%d different answers, want one: %q", len(answers), slices.Collect(maps.Values(answers)))
	}
	for range 40 {
		w.ask(ask{path: "/sign-in", form: url.Values{"name": {"alice"}, "password": {"wrong"}}})
	}
	got := w.ask(ask{path: "/sign-in", form: url.Values{"name": {"alice"}, "password": {good}}})
	if got.Code != http.StatusTooManyRequests || got.Header().Get("Retry-After") == "" || kept(got) != "" {
		t.Errorf("after 40 guesses: %d, Retry-After %q; want 429 and when", got.Code, got.Header().Get("Retry-After"))
	}
}

func TestOwnPath(t *testing.T) {
	for _, tt := range []struct{ next, want string }{
		{"/moderation?page=2&lang=fr", "/moderation?page=2&lang=fr"},
		{"/", "/"},
		{"", "/account"}, {"//else.example", "/account"}, {`/\else.example`, "/account"}, {`/a\b`, "/account"},
		{"https://else.example/", "/account"}, {"/\t/else.example", "/account"}, {"/\n//else.example", "/account"},
		{"javascript:alert(1)", "/account"}, {"account", "/account"}, {"/ /else.example", "/account"},
		{"/sign-in?next=/sign-in", "/account"}, {"/sign-out", "/account"}, {"/%zz", "/account"},
		{"/" + strings.Repeat("a", maxNext), "/account"}, {"/é", "/account"}, {"///else.example", "/account"},
	} {
		if got := ownPath(tt.next); got != tt.want {
			t.Errorf("%.50q: got %q, want %q", tt.next, got, tt.want)
		}
	}
}

// Without TLS nobody signs in, but on the own machine; a trusted proxy is reached as the base URL says.
func TestSecure(t *testing.T) {
	tier.Slow(t)
	forwarded := http.Header{"X-Forwarded-For": {"203.0.113.9"}}
	for _, tt := range []struct {
		name, base, host, from string
		header                 http.Header
		want                   bool
	}{
		{"localhost", "http://127.0.0.1:80", "localhost:80", "127.0.0.1", nil, true},
		{"127.0.0.1", "http://127.0.0.1:80", "127.0.0.1:80", "127.0.0.1", nil, true},
		{"::1", "http://[::]:80", "[::1]:80", "127.0.0.1", nil, true},
		{"a container's port", "http://0.0.0.0:80", "localhost:80", "172.17.0.1", nil, true},
		{"another machine", "http://0.0.0.0:80", "192.168.1.5", "192.168.1.9", nil, false},
		{"a name of this machine elsewhere", "http://127.0.0.1:80", "localhost.else.example", "127.0.0.1", nil, false},
		{"rebound", "http://127.0.0.1:80", "else.example", "127.0.0.1", nil, false},
		{"proxy that is not trusted", "http://127.0.0.1:80", "127.0.0.1:80", "198.51.100.7", forwarded, false},
		{"proxy on this machine, not trusted", "http://relais.example", "127.0.0.1:80", "127.0.0.1", forwarded, false},
		{"proxy without TLS", "http://relais.example", "localhost", "10.0.0.1", forwarded, false},
		{"proxy with TLS", "https://relais.example", "127.0.0.1:80", "10.0.0.1", forwarded, true},
		{"proxy with TLS on this machine", "https://relais.example", "127.0.0.1:80", "127.0.0.1", forwarded, true},
		{"proxy that keeps Host", "https://relais.example", "Relais.example", "172.17.0.1", forwarded, true},
		{"past the proxy", "https://relais.example", "192.168.1.5:80", "192.168.1.9", nil, false},
		{"trusted proxy for localhost", "http://localhost:81", "127.0.0.1:80", "10.0.0.1", forwarded, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, func(o *Options) {
				o.BaseURL, o.Proxies = tt.base, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
			})
			w.person("alice")
			got := w.ask(ask{path: "/sign-in", host: tt.host, from: tt.from, header: tt.header})
			posted := w.ask(ask{path: "/sign-in", host: tt.host, from: tt.from, header: tt.header,
				form: url.Values{"name": {"alice"}, "password": {good}}})
			form, in := strings.Contains(got.Body.String(), "password\" type"), kept(posted) != ""
			if form != tt.want || in != tt.want {
				t.Errorf("form %t, signed in %t; want %t", form, in, tt.want)
			}
			if !tt.want && (got.Code != http.StatusForbidden || !strings.Contains(got.Body.String(), "not encrypted")) {
				t.Errorf("got %d, want 403 and why", got.Code)
			}
			if link := strings.Contains(got.Body.String(), `href="https://relais.example/sign-in"`); link !=
				(!tt.want && strings.HasPrefix(tt.base, "https:")) {
				t.Errorf("a link to the address with TLS: %t", link)
			}
		})
	}
}

// Signing out twice at once is signing out.
func TestSignOut(t *testing.T) {
	w := newWorld(t)
	w.person("alice")
	token := w.signIn("alice")
	form := w.formOf(token)
	wrong := w.ask(ask{path: "/sign-out", token: token, form: url.Values{"form": {"x"}}})
	if wrong.Code != http.StatusForbidden {
		t.Errorf("a wrong form: %d, want 403", wrong.Code)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			got := w.ask(ask{path: "/sign-out", token: token, form: url.Values{"form": {form}}})
			c := got.Result().Cookies()
			if got.Code != http.StatusSeeOther || got.Header().Get("Location") != "/sign-in?done=out" || len(c) != 1 ||
				c[0].MaxAge >= 0 {
				t.Errorf("got %d %v, want 303 and no cookie any more", got.Code, got.Header())
			}
		})
	}
	all.Wait()
	if got := w.ask(ask{path: "/account", token: token}); got.Code != http.StatusSeeOther {
		t.Errorf("afterwards: %d, want 303 to the sign-in", got.Code)
	}
}

// Who is not signed in has fewer pages than who is, and one address does not have others refused.
func TestLimits(t *testing.T) {
	w := newWorld(t)
	w.person("alice")
	token := w.signIn("alice")
	for i := range strangersPerMinute + 5 {
		want := http.StatusSeeOther
		if i >= strangersPerMinute {
			want = http.StatusTooManyRequests
		}
		if got := w.ask(ask{path: "/account"}); got.Code != want {
			t.Fatalf("request %d of nobody: %d, want %d", i, got.Code, want)
		}
	}
	if got := w.ask(ask{path: "/account", token: token}); got.Code != http.StatusOK {
		t.Errorf("who is signed in, from the same address: %d, want 200", got.Code)
	}
	if got := w.ask(ask{path: "/account", from: "198.51.100.7"}); got.Code != http.StatusSeeOther {
		t.Errorf("somebody else: %d, want 303", got.Code)
	}
}

func TestUnusable(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Unusable = true })
	for _, path := range []string{"/sign-in", "/account", "/moderation"} {
		if got := w.ask(ask{path: path}); got.Code != http.StatusServiceUnavailable || got.Header().Get("Retry-After") == "" {
			t.Errorf("%s: %d, want 503 and when to come back", path, got.Code)
		}
	}
}
