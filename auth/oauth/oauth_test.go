package oauth

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"relais/auth/account"
	"relais/internal/errtest"
	"relais/internal/filetest"
	"relais/internal/store"
	"relais/internal/store/storetest"
)

// must ends the test on an error of what it needs.
var must = errtest.Must

const (
	base     = "https://www.example/antennes"
	good     = "correct horse battery"
	callback = "https://app.example/cb"
	local    = "http://127.0.0.1:49152/cb"
	app      = "cursor://anysphere.cursor-mcp/oauth/callback"
)

// A world is a handler behind a proxy that takes /antennes off, with a clock that tests
// move.
type world struct {
	*testing.T
	*Handler
	accounts *account.Store
	db       *store.DB
	path     string
	alice    account.Person
	mu       sync.Mutex
	at       time.Time
	address  netip.Addr
	logged   strings.Builder
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, path: filepath.Join(t.TempDir(), "users.db"), at: time.Now().Truncate(time.Hour),
		address: netip.MustParseAddr("203.0.113.9")}
	w.open()
	a, err := w.accounts.Create(t.Context(), "Alice", good)
	must(t, err)
	w.alice = a.Person
	return w
}

// open opens the accounts, and makes a handler for them.
func (w *world) open(log ...store.Log) {
	w.Helper()
	w.db = storetest.Open(w.T, w.path, account.Buckets...)
	for _, l := range log {
		must(w.T, w.db.Share(w.Context(), l))
	}
	var err error
	w.accounts, err = account.Open(w.db, w.clock)
	must(w.T, err)
	w.Handler = w.handler(w.accounts)
}

func (w *world) handler(accounts *account.Store) *Handler {
	w.Helper()
	h, err := New(Options{Accounts: accounts, BaseURL: base, Now: w.clock,
		Address: func(*http.Request) netip.Addr { return w.address },
		Log:     slog.New(slog.NewTextHandler(&w.logged, nil))})
	must(w.T, err)
	return h
}

// during returns the same world for a part of a test.
func (w *world) during(t *testing.T) *world {
	return &world{T: t, Handler: w.Handler, accounts: w.accounts, db: w.db, path: w.path, alice: w.alice, at: w.at,
		address: w.address}
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.at
}

func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at = w.at.Add(d)
}

// RoundTrip is the way of a client's requests: the proxy takes the prefix off. What a
// browser would follow elsewhere stays.
func (w *world) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host != "www.example" {
		w.Errorf("a request to %s", r.URL)
	}
	asked := httptest.NewRequest(r.Method, strings.TrimPrefix(r.URL.RequestURI(), "/antennes"), r.Body)
	asked.Header = r.Header
	answer := httptest.NewRecorder()
	w.ServeHTTP(answer, asked)
	res := answer.Result()
	res.Request = r
	return res, nil
}

// An answer is what came of a request.
type answer struct {
	*http.Response
	text string
}

func (w *world) do(method, path, body string, header ...string) answer {
	w.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	rec := httptest.NewRecorder()
	w.ServeHTTP(rec, r)
	return answer{rec.Result(), rec.Body.String()}
}

func (w *world) post(path string, fields url.Values, header ...string) answer {
	w.Helper()
	return w.do("POST", path, fields.Encode(), append([]string{"Content-Type", formType}, header...)...)
}

// member is a member of an answer in JSON.
func (a answer) member(name string) string {
	var m map[string]any
	if json.Unmarshal([]byte(a.text), &m) != nil {
		return ""
	}
	s, _ := m[name].(string)
	return s
}

var refresh = regexp.MustCompile(`<meta http-equiv="refresh" content="0; url=([^"]*)">`)

// sentTo returns the address to which an answer sends the browser, or "".
func (a answer) sentTo() string {
	if m := refresh.FindStringSubmatch(a.text); m != nil {
		return html.UnescapeString(m[1])
	}
	return a.Header.Get("Location")
}

// location returns the address to which an answer sends the browser without its query, and the query.
func (a answer) location() (string, url.Values) {
	where, query, _ := strings.Cut(a.sentTo(), "?")
	values, _ := url.ParseQuery(query)
	return where, values
}

var linked = regexp.MustCompile(`<a href="([^"]*)" rel="noreferrer">`)

// link returns the address to which the link on a page leads, without its query, and the query.
func (a answer) link() (string, url.Values) {
	m := linked.FindStringSubmatch(a.text)
	if m == nil {
		return "", nil
	}
	where, query, _ := strings.Cut(html.UnescapeString(m[1]), "?")
	values, _ := url.ParseQuery(query)
	return where, values
}

func (w *world) register(redirects ...string) string {
	w.Helper()
	body, _ := json.Marshal(map[string]any{"client_name": "An <app>", "redirect_uris": redirects,
		"contacts": []string{"planted@example.org"}})
	a := w.do("POST", registerPath, string(body), "Content-Type", "application/json")
	if a.StatusCode != http.StatusCreated {
		w.Fatalf("register: %d %s", a.StatusCode, a.text)
	}
	return a.member("client_id")
}

var verifier = strings.Repeat("v", 43)

func challenge(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// request is a good authorization request, with other fields in pairs; "" removes one.
func request(client, redirect string, others ...string) url.Values {
	return with(url.Values{"client_id": {client}, "redirect_uri": {redirect}, "response_type": {"code"},
		"state":          {"a state & more"},
		"code_challenge": {challenge(verifier)}, "code_challenge_method": {"S256"}, "resource": {base + "/mcp"},
		"scope": {"mcp:read"}}, others...)
}

var hidden = regexp.MustCompile(`<input type="hidden" name="(\w+)" value="([^"]*)">`)

// page asks for the page and returns the fields of its form, and its cookie.
func (w *world) page(v url.Values) (fields url.Values, cookie string) {
	w.Helper()
	a := w.do("GET", authorizePath+"?"+v.Encode(), "")
	if a.StatusCode != http.StatusOK {
		w.Fatalf("the page: %d %s %s", a.StatusCode, a.sentTo(), a.text)
	}
	fields = url.Values{"name": {"alice"}, "password": {good}, "decision": {"allow"}}
	for _, m := range hidden.FindAllStringSubmatch(a.text, -1) {
		fields.Set(m[1], html.UnescapeString(m[2]))
	}
	cookie, _, _ = strings.Cut(a.Header.Get("Set-Cookie"), ";")
	return fields, cookie
}

func (w *world) decided(v url.Values, others ...string) answer {
	w.Helper()
	fields, cookie := w.page(v)
	for i := 0; i < len(others); i += 2 {
		fields.Set(others[i], others[i+1])
	}
	return w.post(authorizePath, fields, "Cookie", cookie, "Sec-Fetch-Site", "same-origin", "Origin", "null")
}

func (w *world) code(client, redirect string) string {
	w.Helper()
	_, got := w.decided(request(client, redirect)).location()
	if !got.Has("code") {
		w.Fatalf("no code: %v", got)
	}
	return got.Get("code")
}

func redemption(client, code, redirect string, others ...string) url.Values {
	return with(url.Values{"grant_type": {"authorization_code"}, "client_id": {client}, "code": {code},
		"redirect_uri": {redirect}, "code_verifier": {verifier}, "resource": {base + "/mcp"}}, others...)
}

type protectedResource struct {
	Resource string
	Servers  []string `json:"authorization_servers"`
}

type authorizationServer struct {
	Issuer       string
	Authorize    string   `json:"authorization_endpoint"`
	Token        string   `json:"token_endpoint"`
	Register     string   `json:"registration_endpoint"`
	Revoke       string   `json:"revocation_endpoint"`
	Challenges   []string `json:"code_challenge_methods_supported"`
	AuthMethods  []string `json:"token_endpoint_auth_methods_supported"`
	IssParameter bool     `json:"authorization_response_iss_parameter_supported"`
}

// discovered reads the metadata of the resource, and of its server.
func discovered(t *testing.T, w *world, hc *http.Client) (resource protectedResource, server authorizationServer) {
	t.Helper()
	get := func(address string, into any) {
		t.Helper()
		res, err := hc.Get(address)
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("%s: %v, %v, want no error and StatusCode = %v", address, res, err, http.StatusOK)
		}
		must(t, json.NewDecoder(res.Body).Decode(into))
	}
	get(w.ResourceMetadataURL(), &resource)
	if resource.Resource != base+"/mcp" || len(resource.Servers) != 1 {
		t.Fatalf("got %+v, want Resource = %v and len(resource.Servers) = 1", resource, base+"/mcp")
	}
	get(resource.Servers[0]+"/.well-known/oauth-authorization-server", &server)
	if server.Issuer != base || !server.IssParameter || strings.Join(server.Challenges, "") != "S256" ||
		strings.Join(server.AuthMethods, " ") != "none client_secret_post client_secret_basic" {
		t.Fatalf("got %+v, want issuer %s with iss, S256 and the three ways to authenticate", server, base)
	}
	return resource, server
}

// The whole way with golang.org/x/oauth2 as the client: metadata, registration, consent,
// code, tokens, refresh, revocation.
func TestIndependentClient(t *testing.T) {
	w := newWorld(t)
	hc := &http.Client{Transport: w,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	ctx := context.WithValue(context.Background(), oauth2.HTTPClient, hc)
	resource, server := discovered(t, w, hc)
	res, err := hc.Post(server.Register, "application/json",
		strings.NewReader(`{"redirect_uris":["http://127.0.0.1/cb"],"token_endpoint_auth_method":"none"}`))
	if err != nil || res.StatusCode != http.StatusCreated {
		t.Fatalf("got %v, %v, want no error and StatusCode = %v", res, err, http.StatusCreated)
	}
	var client struct {
		ID string `json:"client_id"`
	}
	must(t, json.NewDecoder(res.Body).Decode(&client))
	conf := &oauth2.Config{ClientID: client.ID, RedirectURL: local,
		Endpoint: oauth2.Endpoint{AuthURL: server.Authorize, TokenURL: server.Token},
		Scopes:   []string{"mcp:read", "mcp:write"}}
	pkce := oauth2.GenerateVerifier()
	auth, err := url.Parse(conf.AuthCodeURL("some state", oauth2.S256ChallengeOption(pkce),
		oauth2.SetAuthURLParam("resource", resource.Resource)))
	must(t, err)
	where, back := w.decided(auth.Query()).location()
	if where != local || back.Get("state") != "some state" || back.Get("iss") != base || len(back) != 3 {
		t.Fatalf("got %s %v, want %s, state = some state, iss = %v and len(back) = 3", where, back, local, base)
	}
	// Which asks with a header first, as it does not know the server.
	token, err := conf.Exchange(ctx, back.Get("code"), oauth2.VerifierOption(pkce),
		oauth2.SetAuthURLParam("resource", resource.Resource))
	if err != nil || token.TokenType != "Bearer" || token.Extra("scope") != "mcp:read mcp:write" ||
		time.Until(token.Expiry).Round(time.Minute) != time.Hour {
		t.Fatalf("got %+v, %v, want a Bearer token of mcp:read mcp:write for an hour", token, err)
	}
	if p, scopes, err := w.accounts.Verify(token.AccessToken, w.Resource(), w.clock()); err != nil || p != w.alice ||
		len(scopes) != 2 {
		t.Errorf("got %+v %v %v, want %+v, no error and len(scopes) = 2", p, scopes, err, w.alice)
	}
	old := token.RefreshToken
	token.Expiry = time.Now().Add(-time.Second)
	next, err := conf.TokenSource(ctx, token).Token()
	if err != nil || next.RefreshToken == old || next.AccessToken == token.AccessToken {
		t.Fatalf("got %+v, %v, want no error, RefreshToken other than %v and AccessToken other than %v", next, err,
			old, token.AccessToken)
	}
	res, err = hc.PostForm(server.Revoke,
		url.Values{"token": {next.RefreshToken}, "client_id": {client.ID}, "token_type_hint": {"refresh_token"}})
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("got %v, %v, want no error and StatusCode = %v", res, err, http.StatusOK)
	}
	for _, access := range []string{token.AccessToken, next.AccessToken} {
		if _, _, err := w.accounts.Verify(access, w.Resource(), w.clock()); err == nil {
			t.Error("a token is good after revocation")
		}
	}
	next.Expiry = time.Now().Add(-time.Second)
	if _, err := conf.TokenSource(ctx, next).Token(); err == nil || !strings.Contains(err.Error(), "invalid_grant") {
		t.Errorf("refresh after revocation: %v, want an error with invalid_grant", err)
	}
	w.secrets(good, back.Get("code"), token.AccessToken, old, next.RefreshToken, pkce, "planted@example.org",
		"203.0.113")
}

// secrets fails when the file or the log has one of them.
func (w *world) secrets(list ...string) {
	w.Helper()
	text := filetest.Read(w.T, w.path)
	for _, secret := range list {
		for _, part := range []string{secret, secret[max(0, len(secret)-43):]} {
			if strings.Contains(string(text), part) || strings.Contains(w.logged.String(), part) {
				w.Errorf("%q is kept", secret)
			}
		}
	}
}

// ServeHTTP serves the route of the path.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for _, route := range h.routes {
		if route.Path == r.URL.Path {
			route.Handler.ServeHTTP(w, r)
			return
		}
	}
	http.NotFound(w, r)
}
