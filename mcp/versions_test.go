package mcp

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"relais/mcp/tools"
)

// newest is the first version of the protocol without sessions.
const newest = "2026-07-28"

type object = map[string]any

// A client speaks one version of the protocol with its own server.
type client struct {
	t                     *testing.T
	url, version, session string
}

func newClient(t *testing.T, version string) *client {
	t.Helper()
	server := httptest.NewServer(New(Options{
		Address: func(*http.Request) netip.Addr { return netip.IPv6Loopback() },
		Log:     slog.New(slog.NewTextHandler(io.Discard, nil)),
	}))
	t.Cleanup(server.Close)
	c := &client{t: t, url: server.URL}
	if version < newest {
		c.ask("initialize", object{
			"protocolVersion": version, "capabilities": object{}, "clientInfo": object{"name": "test", "version": "1"},
		})
		c.send(object{"jsonrpc": "2.0", "method": "notifications/initialized"}, "", "").Body.Close()
	}
	c.version = version
	return c
}

func (c *client) send(message object, method, name string) *http.Response {
	c.t.Helper()
	text, err := json.Marshal(message)
	if err != nil {
		c.t.Fatal(err)
	}
	r, err := http.NewRequest(http.MethodPost, c.url+Path, strings.NewReader(string(text)))
	if err != nil {
		c.t.Fatal(err)
	}
	for key, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Session-Id": c.session, "Mcp-Protocol-Version": c.version, "Mcp-Method": method, "Mcp-Name": name,
	} {
		if value != "" {
			r.Header.Set(key, value)
		}
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	if id := answer.Header.Get("Mcp-Session-Id"); id != "" {
		c.session = id
	}
	return answer
}

// ask sends a request and returns the message that answers it.
func (c *client) ask(method string, params object) object {
	c.t.Helper()
	if c.version >= newest {
		params["_meta"] = object{
			"io.modelcontextprotocol/protocolVersion":    c.version,
			"io.modelcontextprotocol/clientCapabilities": object{},
		}
	}
	name, _ := params["name"].(string)
	answer := c.send(object{"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, method, name)
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var message object
		if json.Unmarshal([]byte(strings.TrimPrefix(lines.Text(), "data: ")), &message) == nil && message["id"] != nil {
			return message
		}
	}
	c.t.Fatalf("%s: status = %d without a message, want one", method, answer.StatusCode)
	return nil
}

// names returns the names in the list of tools, prompts or resources.
func (c *client) names(list string) (names []string) {
	c.t.Helper()
	result, _ := c.ask(list+"/list", object{})["result"].(object)
	for _, item := range result[list].([]any) {
		names = append(names, fmt.Sprint(item.(object)["name"]))
	}
	slices.Sort(names)
	return names
}

var versions = []string{"2025-03-26", "2025-06-18", "2025-11-25", newest}

// Every version of the protocol lists the same tools.
func TestListsOfVersions(t *testing.T) {
	var want []string
	for _, tool := range tools.All() {
		want = append(want, tool.Name)
	}
	slices.Sort(want)
	for _, version := range versions {
		c := newClient(t, version)
		if got := c.names("tools"); !slices.Equal(got, want) {
			t.Errorf("%s lists %q, want %q", version, got, want)
		}
		if got := append(c.names("prompts"), c.names("resources")...); len(got) > 0 {
			t.Errorf("%s lists the prompts and resources %q, want none", version, got)
		}
		if answer := c.ask("tools/call", object{"name": "unknown", "arguments": object{}}); answer["error"] == nil {
			t.Errorf("%s: an unknown tool answers %v, want an error", version, answer)
		}
	}
}

// The newest version has no sessions. An unknown version is refused with the list of known ones.
func TestVersions(t *testing.T) {
	c := newClient(t, newest)
	result, _ := c.ask("server/discover", object{})["result"].(object)
	const want = "[2026-07-28 2025-11-25 2025-06-18 2025-03-26 2024-11-05]"
	if got := fmt.Sprint(result["supportedVersions"]); got != want || c.session != "" {
		t.Errorf("versions = %s, session %q; want %s and no session", got, c.session, want)
	}
	if list := result["capabilities"].(object)["tools"].(object)["listChanged"]; list == true {
		t.Error("capability tools.listChanged = true, want none")
	}
	c.version = "2099-01-01"
	if code := c.ask("tools/list", object{})["error"].(object)["code"]; fmt.Sprint(code) != "-32022" {
		t.Errorf("unknown version: code = %v, want -32022", code)
	}
}
