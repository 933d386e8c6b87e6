package mcp

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"relais/api"
	"relais/auth/access"
	"relais/auth/account"
	"relais/catalog"
	"relais/index"
	"relais/index/indextest"
	"relais/internal/store"
	"relais/internal/store/storetest"
	"relais/mcp/tools"
)

// country is one synthetic country for all tests of the package.
var country = sync.OnceValues(func() (*index.Set, error) { return indextest.Country(600) })

// A world is a running tool server with its people and clients.
type world struct {
	*httptest.Server
	tools   *Server
	people  *account.Store
	clients *access.Clients
}

// serve starts a tool server; change may change its options.
func serve(t *testing.T, change func(*Options)) *world {
	t.Helper()
	set, err := country()
	must(t, err)
	w := &world{}
	dir := t.TempDir()
	open := func(name string, buckets ...string) *store.DB {
		db := storetest.Open(t, filepath.Join(dir, name), buckets...)
		return db
	}
	w.people, err = account.Open(open("users.db", account.Buckets...), time.Now)
	must(t, err)
	sealer := access.OpenSealer(filepath.Join(dir, "secret.key"))
	w.clients, err = access.OpenClients(open("clients.db", access.Bucket), sealer, time.Now)
	must(t, err)
	mux := http.NewServeMux()
	w.Server = httptest.NewServer(mux)
	t.Cleanup(w.Close)
	o := Options{
		Reading: func() *tools.Reading {
			return &tools.Reading{Env: &api.Env{Catalog: catalog.Catalog{Set: set, Now: time.Now()}, BaseURL: w.URL}, People: w.people}
		},
		Address: func(r *http.Request) netip.Addr {
			addr, err := netip.ParseAddr(r.Header.Get("X-Test-Address"))
			if err != nil {
				return netip.MustParseAddr("192.0.2.1")
			}
			return addr
		},
		BaseURL: w.URL, Minute: 1000, Version: "test", Log: slog.New(slog.DiscardHandler), Accounts: w.people,
		Gate:     &access.Gate{Clients: w.clients, Failures: access.NewFailures(), Origin: w.URL},
		Resource: w.URL + Path, Metadata: w.URL + "/metadata",
	}
	if change != nil {
		change(&o)
	}
	w.tools = New(o)
	mux.Handle(Path, w.tools)
	return w
}

// connect begins a session with the SDK's client.
func connect(t *testing.T, w *world) *sdk.ClientSession {
	t.Helper()
	c := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	transport := &sdk.StreamableClientTransport{Endpoint: w.URL + Path, DisableStandaloneSSE: true}
	s, err := c.Connect(t.Context(), transport, nil)
	must(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// post sends a body. The headers are names, each followed by its value.
func post(t *testing.T, w *world, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.URL+Path, strings.NewReader(body))
	must(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
			continue
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	must(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	must(t, err)
	return resp, string(text)
}

func callBody(tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":%q,"arguments":%s}}`,
		tool, arguments)
}

// token signs in a person, whose account it creates if needed, and returns the value of the
// Authorization header.
func (w *world) token(t *testing.T, name string, scopes ...account.Scope) string {
	t.Helper()
	must := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	const password = "correct horse battery"
	if _, err := w.people.Create(t.Context(), name, password); !errors.Is(err, account.ErrNameTaken) {
		must(err)
	}
	signedIn, err := w.people.Login(t.Context(), name, password, netip.MustParseAddr("192.0.2.1"))
	must(err)
	client, err := w.people.Register("test", []string{"http://127.0.0.1/cb"})
	must(err)
	verifier := strings.Repeat("v", 43)
	sum := sha256.Sum256([]byte(verifier))
	code, err := w.people.Authorize(signedIn,
		account.Authorization{Client: client.ID, Redirect: "http://127.0.0.1/cb", Resource: w.URL + Path,
			Challenge: base64.RawURLEncoding.EncodeToString(sum[:]), Scopes: scopes})
	must(err)
	tokens, err := w.people.Redeem(account.Redemption{
		Code: code, Client: client.ID, Redirect: "http://127.0.0.1/cb", Verifier: verifier,
	})
	must(err)
	return "Bearer " + tokens.Access
}

const initializeBody = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":` +
	`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// begin is what clients of older versions of the protocol send first.
func begin(t *testing.T, w *world, headers ...string) {
	t.Helper()
	resp, text := post(t, w, initializeBody, headers...)
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" || resp.StatusCode != http.StatusOK {
		t.Fatalf("initialize: status %d, session %q, want 200 without a session: %s", resp.StatusCode, id, text)
	}
	post(t, w, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, headers...)
}

// withinMinute waits for the next minute if the current one, for which limits count, ends soon.
func withinMinute() {
	if left := 60 - time.Now().Unix()%60; left <= 5 {
		time.Sleep(time.Duration(left) * time.Second)
	}
}
