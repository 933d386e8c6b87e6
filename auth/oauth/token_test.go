package oauth

import (
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"
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
		{"an assertion", redemption(client, code, local, "client_assertion", "x"), nil, 401, "invalid_client"},
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
	w.want("an access token", ask(client, access), 400, "invalid_grant")
	next := ask(client, refresh, "resource", base+"/mcp/", "scope", "mcp:read offline_access")
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
	w.pass(30 * time.Second)
	w.want("a used one", ask(client, refresh), 400, "invalid_grant")
	w.secrets(access, refresh, next.member("access_token"), next.member("refresh_token"))
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
