package mcp

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"relais/access"
)

// A locked buffer is a log that is written while it is read.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// What clients do wrong is no warning and no error of the server's.
func TestLogOfClients(t *testing.T) {
	var log lockedBuffer
	w := serve(t, func(o *Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	id := session(t, w)
	begin := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	meta := `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}`
	for _, c := range []struct {
		body    string
		headers []string
	}{
		{begin, []string{"Mcp-Session-Id", id}},
		{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, []string{"Mcp-Session-Id", id}},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, nil},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":` + meta + `}`, []string{"Mcp-Session-Id", id}},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","params":` + meta + `}`, []string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "ping"}},
		{`{"jsonrpc":"2.0","id":99,"result":{}}`, []string{"Mcp-Session-Id", id}},
	} {
		post(t, w, c.body, c.headers...)
	}
	if text := log.String(); !strings.Contains(text, "duplicate initialize") || strings.Contains(text, "level=WARN") || strings.Contains(text, "level=ERROR") {
		t.Errorf("the log:\n%s", text)
	}
}

// Which API client asks, and why it is refused, is said for the server's log.
func TestKnown(t *testing.T) {
	var client string
	var why error
	w := serve(t, func(o *Options) {
		o.NoteClient = func(_ context.Context, c *access.Client, refused error) {
			if why = refused; c != nil {
				client = c.ID
			}
		}
	})
	create := func(scope access.Scope) *access.Issued {
		issued, err := w.clients.Create(access.Client{Name: "Helper", Mode: access.Server, Scopes: []access.Scope{scope}, Limits: access.DefaultLimits,
			CIDRs: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}})
		if err != nil {
			t.Fatal(err)
		}
		return issued
	}
	good, other := create(access.InternalAI), create(access.AntennasRead)
	for _, c := range []struct {
		key, client string
		why         error
	}{
		{good.APIKey, good.ID, nil},
		{other.APIKey, other.ID, access.ErrScope},
		{good.APIKey + "x", "", access.ErrInvalidKey},
	} {
		client, why = "", nil
		post(t, w, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "X-API-Key", c.key)
		if client != c.client || !errors.Is(why, c.why) {
			t.Errorf("%.6s: client %q, want %q; %v, want %v", c.key, client, c.client, why, c.why)
		}
	}
}

// The list of the tools is longer than any answer of a tool, and counts as much as a call.
func TestLimitOfLists(t *testing.T) {
	withinMinute()
	w := serve(t, func(o *Options) { o.Minute = 3 })
	id := session(t, w)
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for i, c := range []struct {
		body   string
		status int
	}{{list, 200}, {list, 200}, {list, 200}, {list, 429}, {"[" + list + "," + list + "]", 429}, {ping, 200}} {
		resp, text := post(t, w, c.body, "Mcp-Session-Id", id, "Mcp-Protocol-Version", "2025-03-26", "X-Test-Address", "192.0.2.9")
		if resp.StatusCode != c.status {
			t.Errorf("%d: %d, want %d: %.200s", i, resp.StatusCode, c.status, text)
		}
	}
}

// A stream that a client keeps open ends with the server, and does not hold it up.
func TestStreamEnds(t *testing.T) {
	ending := make(chan struct{})
	w := serve(t, func(o *Options) { o.Ending = ending })
	id := session(t, w)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.URL+Path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/event-stream")
	r.Header.Set("Mcp-Session-Id", id)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	ended := make(chan error, 1)
	go func() {
		var text bytes.Buffer
		_, err := text.ReadFrom(resp.Body)
		ended <- err
	}()
	select {
	case err := <-ended:
		t.Fatalf("%d: the stream ended by itself, %v", resp.StatusCode, err)
	case <-time.After(100 * time.Millisecond):
	}
	close(ending)
	select {
	case err := <-ended:
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Errorf("%d, %v", resp.StatusCode, err)
		}
	case <-time.After(time.Minute):
		t.Error("the stream is still open")
	}
}
