package e2e

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/oauth2"
)

// home is the address that people come from, behind the proxy.
const home = "2001:db8:85a3:8d3:1319:8a2e:370:7348"

// behindProxy serves a folder behind a proxy that says that everybody is at home, and
// returns the server and the address that people know.
func behindProxy(t *testing.T, dir string) (s *server, public string) {
	t.Helper()
	paths := http.NewServeMux()
	front := httptest.NewServer(paths)
	t.Cleanup(front.Close)
	public = strings.Replace(front.URL, "127.0.0.1", "localhost", 1)
	s = serve(t, nil, "serve", "--data", dir, "--base-url", public, "--trusted-proxy", "127.0.0.1/32")
	to, err := url.Parse(s.base)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.ErrorLog = log.New(io.Discard, "", 0) // a session that ends cuts its stream off
	paths.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("X-Forwarded-For", home)
		proxy.ServeHTTP(w, r)
	})
	isReady(t, s)
	return s, public
}

// A person has an account.
type person struct{ ID, Name, password string }

func newPerson(t *testing.T, dir, name, password string) *person {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "user", "create", "--data", dir, "--password-stdin", "--json", name)
	cmd.Stdin = strings.NewReader(password + "\n")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	p := &person{password: password}
	if err := json.Unmarshal(out, p); err != nil || p.ID == "" || p.Name != name {
		t.Fatalf("%v: %s", err, out)
	}
	return p
}

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
	status, challenge := p.call(public+"/mcp", "")
	metadata := namesMetadata(t, status, challenge, public)
	var resource struct {
		Resource             string
		AuthorizationServers []string `json:"authorization_servers"`
	}
	p.read(metadata, &resource)
	if resource.Resource != public+"/mcp" || len(resource.AuthorizationServers) != 1 {
		t.Fatalf("%+v", resource)
	}
	var server struct {
		Issuer                      string
		AuthorizationEndpoint       string   `json:"authorization_endpoint"`
		TokenEndpoint               string   `json:"token_endpoint"`
		RevocationEndpoint          string   `json:"revocation_endpoint"`
		ScopesSupported             []string `json:"scopes_supported"`
		CodeChallengeMethodsSupport []string `json:"code_challenge_methods_supported"`
	}
	p.read(resource.AuthorizationServers[0]+"/.well-known/oauth-authorization-server", &server)
	p.resource, p.issuer, p.revoke = resource.Resource, server.Issuer, server.RevocationEndpoint
	p.Config = oauth2.Config{
		ClientID:    registers(t, server.Issuer, "http://localhost/callback"), // the port is free
		Endpoint:    oauth2.Endpoint{AuthURL: server.AuthorizationEndpoint, TokenURL: server.TokenEndpoint, AuthStyle: oauth2.AuthStyleInParams},
		RedirectURL: strings.Replace(catch.URL, "127.0.0.1", "localhost", 1) + "/callback", Scopes: server.ScopesSupported,
	}
	return p
}

var resourceMetadata = regexp.MustCompile(`^Bearer .*resource_metadata="([^"]+)"`)

// namesMetadata makes sure that an answer refuses and says where to sign in.
func namesMetadata(t *testing.T, status int, challenge, public string) string {
	t.Helper()
	m := resourceMetadata.FindStringSubmatch(challenge)
	if status != http.StatusUnauthorized || m == nil || m[1] != public+"/.well-known/oauth-protected-resource/mcp" {
		t.Fatalf("%d, WWW-Authenticate: %s", status, challenge)
	}
	return m[1]
}

func (p *program) read(address string, v any) {
	p.t.Helper()
	a, err := http.Get(address)
	if err != nil {
		p.t.Fatal(err)
	}
	defer a.Body.Close()
	if err := json.NewDecoder(a.Body).Decode(v); err != nil || a.StatusCode != 200 {
		p.t.Fatalf("%s: %d %v", address, a.StatusCode, err)
	}
}

// call calls a tool outside of any session, and returns what refuses.
func (p *program) call(address, access string) (status int, challenge string) {
	p.t.Helper()
	r, err := http.NewRequest(http.MethodPost, address, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"me_whoami","arguments":{}}}`))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header = header("Content-Type", "application/json", "Accept", "application/json, text/event-stream")
	if access != "" {
		r.Header.Set("Authorization", "Bearer "+access)
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	a.Body.Close()
	return a.StatusCode, a.Header.Get("WWW-Authenticate")
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
		p.t.Fatalf("back with %v", back)
	}
	token, err := p.Exchange(p.t.Context(), back.Get("code"), oauth2.VerifierOption(verifier), resource)
	if err != nil {
		p.t.Fatal(err)
	}
	if token.Type() != "Bearer" || token.ExpiresIn != 3600 || token.RefreshToken == "" {
		p.t.Errorf("%s, %d s", token.Type(), token.ExpiresIn)
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
	transport := &sdk.StreamableClientTransport{Endpoint: p.resource, HTTPClient: signedIn, DisableStandaloneSSE: true, MaxRetries: -1}
	client := sdk.NewClient(&sdk.Implementation{Name: "program", Version: "1"}, nil)
	session, err := client.Connect(p.t.Context(), transport, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { session.Close() })
	if session.ID() == "" {
		p.t.Error("the session has no id")
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
		s.t.Fatalf("%s: %+v", name, a)
	}
	return answer
}

// inChromium signs in on the page, at the second attempt.
func (w *person) inChromium(t *testing.T, wrong string) func(page string) {
	return func(page string) {
		b := openTab(t)
		b.open(page)
		b.fill("#name", w.Name)
		b.fill("#password", wrong)
		b.press("button[value=allow]")
		if said := b.html("#problem"); !strings.Contains(said, `role="alert"`) || strings.Contains(said, w.Name) {
			t.Errorf("a wrong password: %s", said)
		}
		if typed := b.html("#name") + b.html("#password"); !strings.Contains(typed, `value="`+w.Name+`"`) || strings.Contains(typed, wrong) {
			t.Errorf("the form has %s", typed)
		}
		b.fill("#password", w.password)
		b.press("button[value=allow]")
		b.html("#back")
	}
}

// The way of people: a program registers, somebody lets it in, a report is submitted and
// confirmed by somebody else, the API shows it; what was let in is shut out again. None of
// what only they know is written down anywhere.
func TestPersonInChromium(t *testing.T) {
	needChromium(t)
	c := makeCountry(t, 100)
	s, public := behindProxy(t, c.dir)
	const wrong = "seize réverbères, port"
	augusta := newPerson(t, c.dir, "Augusta Quillfeather", "dix-sept réverbères près du port")
	grace := newPerson(t, c.dir, "Grace Thistlewood", "eighteen weathercocks & a half")
	p := newProgram(t, public)

	token := p.signIn(augusta.inChromium(t, wrong))
	if len(p.back) > 0 {
		t.Error("the program was called back for the wrong password")
	}
	hers := p.begin(token)
	if me := hers.tool("me_whoami", nil); me["name"] != augusta.Name || me["kind"] != "person" || me["programs"] != 1.0 {
		t.Errorf("%v", me)
	}
	report := object{"clientToken": rand.Text(), "operator": "ORANGE", "lat": 48.8534, "lon": 2.3488, "services": "data", "reason": canary + ": no data since noon"}
	made := hers.tool("community_submit_report", report)
	if again := hers.tool("community_submit_report", report); made["new"] != true || again["repeated"] != true || again["id"] != made["id"] {
		t.Errorf("%v, and again %v", made, again)
	}
	shows := func(confirmations int) {
		t.Helper()
		shown := s.ask("/outages?source=community&operator=ORANGE")["data"].([]any)
		if len(shown) != 1 {
			t.Fatalf("%v", shown)
		}
		o := shown[0].(object)
		if o["id"] != made["id"] || o["source"] != "community" || o["state"] != "reported" || o["confirmCount"] != float64(confirmations) || o["latitude"] != 48.8534 || o["reason"] != report["reason"] {
			t.Errorf("%v", o)
		}
		for _, x := range []string{augusta.ID, augusta.Name, grace.ID, grace.Name} {
			if strings.Contains(fmt.Sprint(o), x) {
				t.Errorf("%v names %s", o, x)
			}
		}
	}
	shows(1) // who reports is the first to confirm
	theirs := p.begin(p.signIn(func(page string) { consents(t, page, grace.Name, grace.password) }))
	report["clientToken"] = rand.Text()
	if confirmed := theirs.tool("community_submit_report", report); confirmed["new"] != false || confirmed["id"] != made["id"] {
		t.Errorf("%v", confirmed)
	}
	shows(2)

	p.ends(token, hers)
	shows(2)
	if me := theirs.tool("me_whoami", nil); me["name"] != grace.Name {
		t.Errorf("%v", me)
	}
	theirs.Close()
	if s.stop() != 0 {
		t.Error("the server did not end well")
	}
	leftBehind(t, c.dir, s.log.String(), append(p.secrets, wrong, augusta.password, grace.password), augusta, grace)
}

// ends revokes what was let in: first the access token, then what new ones come from.
func (p *program) ends(token *oauth2.Token, in *toolSession) {
	t, public := p.t, strings.TrimSuffix(p.resource, "/mcp")
	t.Helper()
	revoke := func(token string) {
		a, err := http.PostForm(p.revoke, url.Values{"client_id": {p.ClientID}, "token": {token}})
		if err != nil {
			t.Fatal(err)
		}
		if a.Body.Close(); a.StatusCode != 200 {
			t.Errorf("revocation: %s", a.Status)
		}
	}
	refused := func(access string) {
		t.Helper()
		status, challenge := p.call(p.resource, access)
		namesMetadata(t, status, challenge, public)
		if !strings.Contains(challenge, `error="invalid_token"`) {
			t.Errorf("WWW-Authenticate: %s", challenge)
		}
	}
	refresh := func(text string) (*oauth2.Token, error) {
		return p.TokenSource(t.Context(), &oauth2.Token{RefreshToken: text}).Token()
	}
	revoke(token.AccessToken)
	refused(token.AccessToken)
	if a, err := in.CallTool(t.Context(), &sdk.CallToolParams{Name: "me_whoami"}); err == nil {
		t.Errorf("the session goes on: %+v", a)
	}
	next, err := refresh(token.RefreshToken)
	if err != nil {
		t.Fatal(err)
	}
	p.secrets = append(p.secrets, next.AccessToken, next.RefreshToken)
	p.begin(next).Close()
	revoke(next.RefreshToken)
	refused(next.AccessToken)
	_, err = refresh(next.RefreshToken)
	if e, ok := errors.AsType[*oauth2.RetrieveError](err); !ok || e.ErrorCode != "invalid_grant" {
		t.Errorf("after the end: %v", err)
	}
}

// leftBehind looks through the folder and the log of a server that has ended: for secrets
// everywhere, and for people everywhere but in the file that has their accounts.
func leftBehind(t *testing.T, dir, logged string, secrets []string, people ...*person) {
	t.Helper()
	x := newSearch(t)
	look := func(texts ...string) {
		t.Helper()
		x.traces = nil
		for _, text := range texts {
			x.traces = append(append(x.traces, written([]byte(text))...), []byte(strings.ToLower(url.QueryEscape(text))))
		}
		x.in("the log", []byte(logged))
		x.folder(dir)
	}
	look(secrets...)
	address := netip.MustParseAddr(home)
	look(home)
	x.traces = [][]byte{address.AsSlice()}
	x.folder(dir)
	text, err := os.ReadFile(filepath.Join(dir, "users.db"))
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range people {
		if !bytes.Contains(text, []byte(w.Name)) || !bytes.Contains(text, []byte(w.ID)) {
			t.Errorf("users.db does not have %s: is it what is looked through?", w.Name)
		}
	}
	remove := func(name string) {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	remove("users.db")
	for _, w := range people {
		look(w.ID, w.Name)
	}
	remove("clients.db") // has the network of the test's API client
	remove("serve.lock") // has where the server listened
	x.traces = [][]byte{[]byte("127.0.0.1")}
	x.folder(dir)
	if !x.public["community.db"] || !strings.Contains(logged, "/oauth/authorize") {
		t.Errorf("what is public is not there: %v", x.public)
	}
}
