//go:build linux

package e2e

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/oauth2"
)

// A program is a client of the tool server, and knows no more of it than its address. It
// catches its code on a port of its own.
type program struct {
	oauth2.Config
	t                        *testing.T
	resource, issuer, revoke string
	back                     chan url.Values
	secrets                  []string // that it was given
}

// ended is the page that people come back to. It has the paragraph where no script runs.
const ended = `<!doctype html><title>back</title><noscript><p id="back">You can close this page.</p></noscript>`

func newProgram(t *testing.T, public string) *program {
	t.Helper()
	p := &program{t: t, back: make(chan url.Values, 9)}
	catch := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/callback" {
			p.back <- r.URL.Query()
			io.WriteString(w, ended)
		}
	}))
	t.Cleanup(catch.Close)
	metadata := namesMetadata(t, p.call(public+"/mcp", ""), public)
	var resource struct {
		Resource             string
		AuthorizationServers []string `json:"authorization_servers"`
	}
	p.read(metadata, &resource)
	if resource.Resource != public+"/mcp" || len(resource.AuthorizationServers) != 1 {
		t.Fatalf("metadata: got %+v, want %s/mcp and one server", resource, public)
	}
	var server struct {
		Issuer                string
		AuthorizationEndpoint string   `json:"authorization_endpoint"`
		TokenEndpoint         string   `json:"token_endpoint"`
		RevocationEndpoint    string   `json:"revocation_endpoint"`
		ScopesSupported       []string `json:"scopes_supported"`
		ChallengeMethods      []string `json:"code_challenge_methods_supported"`
	}
	p.read(resource.AuthorizationServers[0]+"/.well-known/oauth-authorization-server", &server)
	if !slices.Equal(server.ChallengeMethods, []string{"S256"}) {
		t.Errorf("PKCE: got %q, want S256", server.ChallengeMethods)
	}
	p.resource, p.issuer, p.revoke = resource.Resource, server.Issuer, server.RevocationEndpoint
	p.Config = oauth2.Config{
		ClientID: registers(t, server.Issuer, "http://localhost/callback"), // the port is free
		Endpoint: oauth2.Endpoint{AuthURL: server.AuthorizationEndpoint, TokenURL: server.TokenEndpoint,
			AuthStyle: oauth2.AuthStyleInParams},
		RedirectURL: strings.Replace(catch.URL, "127.0.0.1", "localhost", 1) + "/callback",
		Scopes:      server.ScopesSupported,
	}
	return p
}

var resourceMetadata = regexp.MustCompile(`^Bearer .*resource_metadata="([^"]+)"`)

// namesMetadata makes sure that an answer refuses and says where to sign in.
func namesMetadata(t *testing.T, a answer, public string) string {
	t.Helper()
	challenge, want := a.header.Get("WWW-Authenticate"), public+"/.well-known/oauth-protected-resource/mcp"
	m := resourceMetadata.FindStringSubmatch(challenge)
	if a.status != http.StatusUnauthorized || m == nil || m[1] != want {
		t.Fatalf("got %d, WWW-Authenticate %s; want 401 and %s", a.status, challenge, want)
	}
	return m[1]
}

func (p *program) read(address string, v any) {
	p.t.Helper()
	a := call(p.t, http.DefaultClient, http.MethodGet, address, nil)
	if err := json.Unmarshal(a.body, v); err != nil || a.status != http.StatusOK {
		p.t.Fatalf("%s: got %s, %v; want 200", address, a, err)
	}
}

// call calls a tool outside of any session.
func (p *program) call(address, access string) answer {
	p.t.Helper()
	headers := []string{"Content-Type", "application/json", "Accept", "application/json, text/event-stream"}
	if access != "" {
		headers = append(headers, "Authorization", "Bearer "+access)
	}
	return call(p.t, http.DefaultClient, http.MethodPost, address,
		[]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"me_whoami","arguments":{}}}`), headers...)
}

// signIn has somebody let the program in on the page, and returns its tokens.
func (p *program) signIn(consent func(page string)) *oauth2.Token {
	p.t.Helper()
	verifier, state := oauth2.GenerateVerifier(), rand.Text()
	resource := oauth2.SetAuthURLParam("resource", p.resource)
	consent(p.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier), resource))
	var back url.Values
	select {
	case back = <-p.back:
	case <-time.After(patience):
		p.t.Fatal("nobody came back")
	}
	if back.Get("state") != state || back.Get("iss") != p.issuer || back.Get("code") == "" || len(back) != 3 {
		p.t.Fatalf("callback: got %v, want a code, the state and %s", back, p.issuer)
	}
	token, err := p.Exchange(p.t.Context(), back.Get("code"), oauth2.VerifierOption(verifier), resource)
	must(p.t, err)
	if token.Type() != "Bearer" || token.ExpiresIn != 3600 || token.RefreshToken == "" {
		p.t.Errorf("token: got %s for %d s, want Bearer for 3600 s, and another for refreshing", token.Type(),
			token.ExpiresIn)
	}
	p.secrets = append(p.secrets, back.Get("code"), verifier, token.AccessToken, token.RefreshToken)
	return token
}

// A toolSession is a session of the protocol, in which somebody is signed in.
type toolSession struct {
	*sdk.ClientSession
	t *testing.T
}

func (p *program) begin(token *oauth2.Token) *toolSession {
	p.t.Helper()
	signedIn := oauth2.NewClient(p.t.Context(), oauth2.StaticTokenSource(token))
	transport := &sdk.StreamableClientTransport{Endpoint: p.resource, HTTPClient: signedIn, DisableStandaloneSSE: true,
		MaxRetries: -1}
	client := sdk.NewClient(&sdk.Implementation{Name: "program", Version: "1"}, nil)
	session, err := client.Connect(p.t.Context(), transport, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	must(p.t, err)
	p.t.Cleanup(func() { session.Close() })
	if id := session.ID(); id != "" {
		p.t.Errorf("the session has the id %q, want none", id)
	}
	return &toolSession{session, p.t}
}

// tool calls a tool that must answer.
func (s *toolSession) tool(name string, arguments object) object {
	s.t.Helper()
	a, err := s.CallTool(s.t.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		s.t.Fatalf("%s: %v", name, err)
	}
	answer, ok := a.StructuredContent.(object)
	if a.IsError || !ok {
		s.t.Fatalf("%s: got %+v, want an object", name, a)
	}
	return answer
}

// ends revokes what was let in: first the access token, then what new ones come from.
func (p *program) ends(token *oauth2.Token, in *toolSession) {
	t, public := p.t, strings.TrimSuffix(p.resource, "/mcp")
	t.Helper()
	revoke := func(token string) {
		form := url.Values{"client_id": {p.ClientID}, "token": {token}}.Encode()
		if a := call(t, http.DefaultClient, http.MethodPost, p.revoke, []byte(form), "Content-Type",
			"application/x-www-form-urlencoded"); a.status != http.StatusOK {
			t.Errorf("revocation: got %s, want 200", a)
		}
	}
	refused := func(access string) {
		t.Helper()
		a := p.call(p.resource, access)
		namesMetadata(t, a, public)
		if got := a.header.Get("WWW-Authenticate"); !strings.Contains(got, `error="invalid_token"`) {
			t.Errorf("WWW-Authenticate: got %s, want invalid_token", got)
		}
	}
	refresh := func(text string) (*oauth2.Token, error) {
		return p.TokenSource(t.Context(), &oauth2.Token{RefreshToken: text}).Token()
	}
	revoke(token.AccessToken)
	refused(token.AccessToken)
	if a, err := in.CallTool(t.Context(), &sdk.CallToolParams{Name: "me_whoami"}); err == nil {
		t.Errorf("session: got %+v, want its end", a)
	}
	next, err := refresh(token.RefreshToken)
	must(t, err)
	p.secrets = append(p.secrets, next.AccessToken, next.RefreshToken)
	p.begin(next).Close()
	revoke(next.RefreshToken)
	refused(next.AccessToken)
	_, err = refresh(next.RefreshToken)
	if e, ok := errors.AsType[*oauth2.RetrieveError](err); !ok || e.ErrorCode != "invalid_grant" {
		t.Errorf("refresh after the end: got %v, want invalid_grant", err)
	}
}
