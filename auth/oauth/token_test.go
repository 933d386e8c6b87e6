package oauth

import (
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"relais/auth/account"
)

// tokens are those of a whole flow.
func (w *world) tokens(client, redirect string) (access, refresh string) {
	w.Helper()
	a := w.post(tokenPath, redemption(client, w.code(client, redirect), redirect))
	if a.StatusCode != http.StatusOK {
		w.Fatalf("%d %s", a.StatusCode, a.text)
	}
	return a.member("access_token"), a.member("refresh_token")
}

func (w *world) want(what string, a answer, status int, code string) {
	w.Helper()
	if a.StatusCode != status || a.member("error") != code || a.member("access_token") != "" ||
		a.Header.Get("Cache-Control") != "no-store" || a.Header.Get("Content-Type") != "application/json" {
		w.Errorf("%s: %d %s, want %d %s", what, a.StatusCode, a.text, status, code)
	}
}

func TestTokenErrors(t *testing.T) {
	w := newWorld(t)
	client, other := w.register(callback, "http://127.0.0.1/cb"), w.register(callback)
	code := w.code(client, local)
	for _, tt := range []struct {
		name   string
		v      url.Values
		header []string
		status int
		want   string
	}{
		{"no type", redemption(client, code, local, "grant_type", ""), nil, 400, "invalid_request"},
		{"password", redemption(client, code, local, "grant_type", "password"), nil, 400, "unsupported_grant_type"},
		{"credentials", redemption(client, code, local, "grant_type", "client_credentials"), nil,
			400, "unsupported_grant_type"},
		{"no client", redemption("", code, local), nil, 401, "invalid_client"},
		{"unknown client", redemption("x", code, local), nil, 401, "invalid_client"},
		{"a secret", redemption(client, code, local, "client_secret", "x"), nil, 401, "invalid_client"},
		{"basic", redemption(client, code, local), []string{"Authorization", "Basic eDo="}, 401, "invalid_client"},
		{"no code", redemption(client, "", local), nil, 400, "invalid_request"},
		{"no redirect", redemption(client, code, ""), nil, 400, "invalid_request"},
		{"no verifier", redemption(client, code, local, "code_verifier", ""), nil, 400, "invalid_request"},
		{"another client", redemption(other, code, local), nil, 400, "invalid_grant"},
		{"another code", redemption(client, code+"x", local), nil, 400, "invalid_grant"},
		{"another redirect", redemption(client, code, callback), nil, 400, "invalid_grant"},
		{"another port", redemption(client, code, "http://127.0.0.1:49153/cb"), nil, 400, "invalid_grant"},
		{"the registered", redemption(client, code, "http://127.0.0.1/cb"), nil, 400, "invalid_grant"},
		{"another verifier", redemption(client, code, local, "code_verifier", strings.Repeat("w", 43)), nil, 400,
			"invalid_grant"},
		{"plain", redemption(client, code, local, "code_verifier", challenge(verifier)), nil, 400, "invalid_grant"},
		{"another resource", redemption(client, code, local, "resource", "https://other.example/mcp"), nil, 400,
			"invalid_target"},
		{"code as a refresh", url.Values{"grant_type": {"refresh_token"}, "client_id": {client},
			"refresh_token": {code}}, nil, 400, "invalid_grant"},
		{"no refresh token", url.Values{"grant_type": {"refresh_token"}, "client_id": {client}}, nil, 400,
			"invalid_request"},
		{"JSON", redemption(client, code, local), []string{"Content-Type", "application/json"}, 400, "invalid_request"},
		{"compressed", redemption(client, code, local), []string{"Content-Encoding", "gzip"}, 400, "invalid_request"},
		{"large", redemption(client, strings.Repeat("a", maxBody), local), nil, 413, "invalid_request"},
		{"twice", url.Values{"grant_type": {"authorization_code", "authorization_code"}}, nil, 400, "invalid_request"},
		{"two verifiers", url.Values{"grant_type": {"authorization_code"}, "client_id": {client},
			"code_verifier": {"a", "b"}}, nil, 400, "invalid_request"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w.want(tt.name, w.post(tokenPath, tt.v, tt.header...), tt.status, tt.want)
		})
	}
	w.want("in the query", w.do("POST", tokenPath+"?"+redemption(client, code, local).Encode(), "", "Content-Type",
		formType), 401, "invalid_client")
	w.want("not well formed", w.do("POST", tokenPath, "%zz", "Content-Type", formType), 400, "invalid_request")
	w.want("no type", w.do("POST", tokenPath, redemption(client, code, local).Encode()), 400, "invalid_request")
	a := w.post(tokenPath, redemption(client, code, local, "resource", ""))
	if a.StatusCode != http.StatusOK || !strings.Contains(a.text, `"expires_in":3600`) ||
		a.member("scope") != "mcp:read" || a.member("token_type") != "Bearer" || a.Header.Get("Pragma") != "no-cache" {
		t.Fatalf("after all that: got %d %s, want a Bearer token of mcp:read for 3600", a.StatusCode, a.text)
	}
	w.want("twice", w.post(tokenPath, redemption(client, code, local)), 400, "invalid_grant")
	if _, _, err := w.accounts.Verify(a.member("access_token"), w.Resource(), w.clock()); err == nil {
		t.Error("the token of a code that came twice is good")
	}
	late := w.code(client, callback)
	w.pass(time.Minute)
	w.want("late", w.post(tokenPath, redemption(client, late, callback)), 400, "invalid_grant")
}

func TestRefreshAndRevoke(t *testing.T) {
	w := newWorld(t)
	client, other := w.register(callback), w.register(callback)
	access, refresh := w.tokens(client, callback)
	valid := func(access string) bool {
		_, _, err := w.accounts.Verify(access, w.Resource(), w.clock())
		return err == nil
	}
	ask := func(client, token string, others ...string) answer {
		v := url.Values{"grant_type": {"refresh_token"}, "client_id": {client}, "refresh_token": {token}}
		for i := 0; i < len(others); i += 2 {
			v.Set(others[i], others[i+1])
		}
		return w.post(tokenPath, v)
	}
	w.want("another client", ask(other, refresh), 400, "invalid_grant")
	w.want("another resource", ask(client, refresh, "resource", "https://other.example"), 400, "invalid_target")
	w.want("more scopes", ask(client, refresh, "scope", "mcp:read mcp:write"), 400, "invalid_scope")
	w.want("an unknown scope", ask(client, refresh, "scope", "x"), 400, "invalid_scope")
	w.want("an access token", ask(client, access), 400, "invalid_grant")
	next := ask(client, refresh, "resource", base+"/mcp", "scope", "mcp:read")
	if next.StatusCode != http.StatusOK || next.member("refresh_token") == refresh || !valid(access) ||
		!valid(next.member("access_token")) {
		t.Fatalf("refresh: got %d %s, want new tokens, the old access token good", next.StatusCode, next.text)
	}
	revoke := func(v url.Values) answer { return w.post(revokePath, v) }
	w.want("no token", revoke(url.Values{"client_id": {client}}), 400, "invalid_request")
	w.want("no client", revoke(url.Values{"token": {access}}), 401, "invalid_client")
	w.want("another's", revoke(url.Values{"token": {access}, "client_id": {other}}), 400, "invalid_grant")
	for _, token := range []string{access, access, "nonsense"} {
		if a := revoke(url.Values{"token": {token}, "client_id": {client}}); a.StatusCode != http.StatusOK ||
			a.text != "" {
			t.Errorf("got %d %s, want %d and empty", a.StatusCode, a.text, http.StatusOK)
		}
	}
	if valid(access) || !valid(next.member("access_token")) {
		t.Error("not that access token alone")
	}
	w.want("a used one", ask(client, refresh), 400, "invalid_grant")
	if valid(next.member("access_token")) {
		t.Error("reuse leaves an access token")
	}
	w.want("the one after it", ask(client, next.member("refresh_token")), 400, "invalid_grant")
	access, _ = w.tokens(client, callback)
	if _, err := w.accounts.Disable(w.alice.ID, true); err != nil || valid(access) {
		t.Errorf("disabled: got %v, valid %v, want neither", err, valid(access))
	}
	w.secrets(access, refresh, next.member("access_token"), next.member("refresh_token"))
}

// Many at once get one answer that is good, or none.
func TestAtOnce(t *testing.T) {
	w := newWorld(t)
	client := w.register(callback)
	code := w.code(client, callback)
	var good atomic.Int32
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			if a := w.post(tokenPath, redemption(client, code, callback)); a.StatusCode == http.StatusOK {
				good.Add(1)
			}
			w.do("GET", authorizePath+"?"+request(client, callback).Encode(), "")
		})
	}
	wg.Wait()
	if a, err := w.accounts.Find("alice"); good.Load() != 1 || err != nil || a.Programs != 0 {
		t.Errorf("%d were good, %+v, %v, want 1, no error and Programs = 0", good.Load(), a, err)
	}
}

// Invalid codes and tokens are limited per address and minute, for all requests
// together; other addresses go on, and so does this one in the next minute.
func TestTokenLimit(t *testing.T) {
	w := newWorld(t)
	client := w.register(callback)
	wrong, unknown := redemption(client, "rc_x", callback), url.Values{"client_id": {client}, "token": {"x"}}
	for i := range 30 {
		w.want("a guess", w.post(tokenPath, wrong), 400, "invalid_grant")
		if a := w.post(revokePath, unknown); a.StatusCode != http.StatusOK {
			t.Fatalf("%d: %d %s, want %d", i, a.StatusCode, a.text, http.StatusOK)
		}
	}
	for _, tt := range []struct {
		path string
		v    url.Values
	}{
		{tokenPath, wrong},
		{revokePath, unknown},
	} {
		t.Run(tt.path, func(t *testing.T) {
			w.mustWait(tt.path, w.post(tt.path, tt.v), time.Minute)
		})
	}
	w.mustWait("no form", w.do("POST", tokenPath, "{}", "Content-Type", "application/json"), time.Minute)
	address := w.address
	w.address = netip.MustParseAddr("203.0.113.10")
	w.want("another address", w.post(tokenPath, wrong), 400, "invalid_grant")
	w.address = address
	w.pass(time.Minute)
	w.want("in the next minute", w.post(tokenPath, wrong), 400, "invalid_grant")
}

// A code and tokens that are good count for the person alone, from whatever address they
// come and whatever others sent from there.
func TestTokenLimitOfAPerson(t *testing.T) {
	w := newWorld(t)
	client := w.register(callback)
	code := w.code(client, callback)
	for range mostTokens + 1 {
		w.post(tokenPath, redemption(client, "rc_x", callback))
	}
	w.mustWait("a guess", w.post(tokenPath, redemption(client, "rc_x", callback)), time.Minute)
	first := w.post(tokenPath, redemption(client, code, callback))
	w.mustWait("the code again", w.post(tokenPath, redemption(client, code, callback)), time.Minute)
	refresh := func(token string) answer {
		return w.post(tokenPath,
			url.Values{"grant_type": {"refresh_token"}, "client_id": {client}, "refresh_token": {token}})
	}
	last := first
	for n := 1; n < 59; n++ {
		w.address = netip.AddrFrom4([4]byte{203, 0, 113, byte(n)})
		if last = refresh(last.member("refresh_token")); last.StatusCode != http.StatusOK {
			t.Fatalf("refresh %d: %d %s, want %d", n, last.StatusCode, last.text, http.StatusOK)
		}
	}
	if a := w.post(revokePath,
		url.Values{"client_id": {client}, "token": {last.member("access_token")}}); a.StatusCode != http.StatusOK {
		t.Errorf("revoke: %d %s, want %d", a.StatusCode, a.text, http.StatusOK)
	}
	w.mustWait("the 61st of the person", refresh(last.member("refresh_token")), time.Minute)
	w.want("a used token", refresh(first.member("refresh_token")), 400, "invalid_grant") // counts for the address
	w.pass(time.Minute)
	w.want("after that", refresh(last.member("refresh_token")), 400, "invalid_grant") // all of the code is over
}

// A flood from more addresses than are counted refuses nobody who comes from elsewhere.
func TestFloodOfTokens(t *testing.T) {
	w := newWorld(t)
	client := w.register(callback)
	code := w.code(client, callback)
	wrong := redemption(client, "rc_x", callback)
	home := w.address
	for i := range 66_000 {
		w.address = netip.AddrFrom16([16]byte{0x20, 1, 0xd, 0xb8, 0, byte(i >> 16), byte(i >> 8), byte(i)})
		if a := w.post(tokenPath, url.Values{}); a.StatusCode != http.StatusUnauthorized {
			t.Fatalf("request %d: %d %s, want %d", i, a.StatusCode, a.text, http.StatusUnauthorized)
		}
	}
	for _, addr := range []string{"198.51.100.7", "2001:db8:0:ffff::1", "2a00:1::1"} {
		w.address = netip.MustParseAddr(addr)
		w.want(addr, w.post(tokenPath, wrong), 400, "invalid_grant")
	}
	w.address = home
	if a := w.post(tokenPath, redemption(client, code, callback)); a.StatusCode != http.StatusOK {
		t.Errorf("a good code: %d %s, want %d", a.StatusCode, a.text, http.StatusOK)
	}
}

const badMetadata, badRedirect = "invalid_client_metadata", "invalid_redirect_uri"

var registrations = []struct{ body, want string }{
	{`{"redirect_uris":["https://app.example/cb"]}`, ""},
	{`{"redirect_uris":["com.example.app:/cb","http://localhost:7/cb"],"client_name":"Élodie’s app"}`, ""},
	{`{"redirect_uris":["https://app.example/cb"],"grant_types":["authorization_code"],"response_types":["code"]}`, ""},
	{`{"redirect_uris":["https://app.example/cb"],"token_endpoint_auth_method":"none","scope":"x","logo_uri":"y"}`, ""},
	{``, badMetadata},
	{`[]`, badMetadata},
	{`{`, badMetadata},
	{`{"redirect_uris":"x"}`, badMetadata},
	{`{"redirect_uris":[1]}`, badMetadata},
	{`{"redirect_uris":["x"]} {}`, badMetadata},
	{strings.Repeat("[", 10000), badMetadata},
	{`{}`, badMetadata},
	{`{"client_name":"x"}`, badRedirect},
	{`{"client_name":"x","redirect_uris":[]}`, badRedirect},
	{`{"redirect_uris":["http://evil.example/cb"]}`, badRedirect},
	{`{"redirect_uris":["https://app.example/cb","javascript:alert(1)"]}`, badRedirect},
	{`{"redirect_uris":["https://*.example/cb"]}`, badRedirect},
	{`{"redirect_uris":["https://app.example/cb"],"client_name":"a\u202eb"}`, badMetadata},
	{`{"redirect_uris":["https://app.example/cb"],"client_name":"` + strings.Repeat("a", 101) + `"}`, badMetadata},
	{`{"redirect_uris":["https://app.example/cb"],"token_endpoint_auth_method":"client_secret_basic"}`, badMetadata},
	{`{"redirect_uris":["https://app.example/cb"],"token_endpoint_auth_method":""}`, badMetadata},
	{`{"redirect_uris":["https://app.example/cb"],"grant_types":["implicit"]}`, badMetadata},
	{`{"redirect_uris":["https://app.example/cb"],"grant_types":["authorization_code","client_credentials"]}`, badMetadata},
	{`{"redirect_uris":["https://app.example/cb"],"grant_types":["refresh_token"]}`, badMetadata},
	{`{"redirect_uris":["https://app.example/cb"],"response_types":["token"]}`, badMetadata},
}

func TestRegister(t *testing.T) {
	w := newWorld(t)
	for _, tt := range registrations {
		a := w.do("POST", registerPath, tt.body, "Content-Type", "application/json; charset=utf-8")
		if tt.want != "" {
			w.want(tt.body[:min(len(tt.body), 120)], a, 400, tt.want)
			continue
		}
		if a.StatusCode != http.StatusCreated || a.member("token_endpoint_auth_method") != "none" ||
			a.member("client_secret") != "" || a.member("client_name") == "" {
			t.Errorf("%s: got %d %s, want a named client without a secret", tt.body, a.StatusCode, a.text)
		}
		if c, err := w.accounts.Client(a.member("client_id")); err != nil || c.Used != nil {
			t.Errorf("%s: %+v, %v, want no error and no Used", tt.body, c, err)
		}
	}
	w.want("a form", w.do("POST", registerPath, "redirect_uris=x", "Content-Type", formType), 400, "invalid_request")
	w.want("large", w.do("POST", registerPath, `{"redirect_uris":["`+strings.Repeat("a", maxBody), "Content-Type",
		"application/json"), 413, "invalid_request")
	for range mostRegistered {
		w.do("POST", registerPath, "", "Content-Type", "application/json")
	}
	a := w.do("POST", registerPath, `{"redirect_uris":["https://app.example/cb"]}`, "Content-Type", "application/json")
	w.want("too many", a, 429, "temporarily_unavailable")
	if a.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	w.pass(time.Hour)
	client := w.register(callback)
	w.pass(24*time.Hour + time.Second)
	if err := w.accounts.Sweep(); err != nil {
		t.Fatal(err)
	}
	if a := w.do("GET", authorizePath+"?"+request(client, callback).Encode(),
		""); a.StatusCode != http.StatusBadRequest {
		t.Errorf("a client that nobody let in for a day: %d, want %d", a.StatusCode, http.StatusBadRequest)
	}
}

// Whatever is sent, nothing is registered that package account would refuse, and no
// secret or other way to sign in is promised.
func FuzzRegister(f *testing.F) {
	for _, seed := range []string{
		`{"redirect_uris":["https://app.example/cb"],"client_name":"x","grant_types":["authorization_code"]}`,
		`{"redirect_uris":["http://127.0.0.1:1/"],"token_endpoint_auth_method":"none"}`,
		`[`, `{"redirect_uris":null}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := parseRegistration(text)
		if err != nil {
			if e, ok := err.(*oauthError); !ok || e.status != http.StatusBadRequest ||
				strings.ContainsAny(e.text, "\"\\\n") {
				t.Fatalf("got %v, want an oauthError with 400 and plain text", err)
			}
			return
		}
		if r.AuthMethod != nil && *r.AuthMethod != "none" {
			t.Fatalf("got %+v, want no AuthMethod but none", r)
		}
		for _, g := range r.GrantTypes {
			if g != "authorization_code" && g != "refresh_token" {
				t.Fatalf("got %+v, want no grants but code and refresh", r)
			}
		}
		for _, uri := range r.RedirectURIs {
			if account.CheckRedirect(uri) != nil {
				continue
			}
			u, err := url.Parse(uri)
			if err != nil || formTarget(u) == ":" || strings.ContainsAny(formTarget(u), "; ,'*") || hostOf(uri) == "" {
				t.Fatalf("%q: got %q, %q, want a form's target and a host", uri, formTarget(u), hostOf(uri))
			}
			a := authorization{state: "s"}
			a.Redirect = uri
			back, err := url.Parse(a.answerURL("https://issuer.example", url.Values{"code": {"c"}}))
			if err != nil || back.Scheme != u.Scheme || back.Host != u.Host || back.Path != u.Path ||
				back.Query()["code"][0] != "c" || len(back.Query()["state"]) != 1 {
				t.Fatalf("%q leads to %v, %v, want the same address with code and state", uri, back, err)
			}
		}
	})
}
