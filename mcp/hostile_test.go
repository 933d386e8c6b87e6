package mcp

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"relais/auth/access"
	"relais/internal/outputtest"
)

// Mistakes of clients are logged as information, not as warnings or errors of the server.
func TestLogOfClients(t *testing.T) {
	var log outputtest.Buffer
	w := serve(t, func(o *Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	begin(t, w)
	meta := `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},` +
		`"io.modelcontextprotocol/clientCapabilities":{}}}`
	for _, c := range []struct {
		body    string
		headers []string
	}{
		{initializeBody, nil},
		{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, nil},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":` + meta + `}`, nil},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","params":` + meta + `}`,
			[]string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "ping"}},
		{`{"jsonrpc":"2.0","id":99,"result":{}}`, nil},
	} {
		post(t, w, c.body, c.headers...)
	}
	text := log.String()
	if strings.Contains(text, "level=WARN") || strings.Contains(text, "level=ERROR") {
		t.Errorf("the log has warnings or errors, want information only:\n%s", text)
	}
}

// NoteClient gets the API client of a request, and the error if it is refused.
func TestNoteClient(t *testing.T) {
	var client string
	var refused error
	w := serve(t, func(o *Options) {
		o.NoteClient = func(_ context.Context, c *access.Client, err error) {
			if refused = err; c != nil {
				client = c.ID
			}
		}
	})
	good := w.issue(t, nil)
	other := w.issue(t, func(c *access.Client) { c.Scopes = []access.Scope{access.AntennasRead} })
	for _, c := range []struct {
		name, key, client string
		refused           error
	}{
		{"a key", good.APIKey, good.ID, nil},
		{"a key without the scope", other.APIKey, other.ID, access.ErrScope},
		{"an unknown key", good.APIKey + "x", "", access.ErrInvalidKey},
	} {
		t.Run(c.name, func(t *testing.T) {
			client, refused = "", nil
			post(t, w, pingBody, "X-API-Key", c.key)
			if client != c.client || !errors.Is(refused, c.refused) {
				t.Errorf("client = %q, refused: %v; want %q, %v", client, refused, c.client, c.refused)
			}
		})
	}
}

// The list of tools counts as a call: it is longer than any answer of a tool.
func TestLimitOfLists(t *testing.T) {
	withinMinute()
	w := serve(t, func(o *Options) { o.Minute = 3 })
	begin(t, w)
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	headers := []string{"Mcp-Protocol-Version", "2025-03-26", "X-Test-Address", "192.0.2.9"}
	for i, c := range []struct {
		body string
		want int
	}{{list, 200}, {list, 200}, {list, 200}, {list, 429}, {"[" + list + "," + list + "]", 429}, {pingBody, 200}} {
		if resp, text := post(t, w, c.body, headers...); resp.StatusCode != c.want {
			t.Errorf("request %d: status = %d, want %d: %.200s", i, resp.StatusCode, c.want, text)
		}
	}
}
