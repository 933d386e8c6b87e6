package mcp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"relais/access"
	"relais/account"
	"relais/tools"
)

// Every tool is listed with what an assistant needs to choose it.
func TestList(t *testing.T) {
	list, err := connect(t, serve(t, nil)).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Tools) != len(tools.All()) || len(list.Tools) < 20 {
		t.Fatalf("%d tools", len(list.Tools))
	}
	for _, tool := range list.Tools {
		if tool.Title == "" || len(tool.Description) < 40 || tool.InputSchema == nil || tool.OutputSchema == nil || tool.Annotations == nil {
			t.Errorf("%s: %+v", tool.Name, tool)
		}
		for _, schema := range []any{tool.InputSchema, tool.OutputSchema} {
			if m, _ := schema.(map[string]any); m["type"] != "object" {
				t.Errorf("%s: a schema of %v", tool.Name, m["type"])
			}
		}
		if writes := strings.HasSuffix(tool.Name, "_submit") || strings.Contains(tool.Name, "_submit_"); tool.Annotations.ReadOnlyHint == writes {
			t.Errorf("%s: read only %v", tool.Name, tool.Annotations.ReadOnlyHint)
		}
	}
}

// The text of an answer is its structured content.
func TestCall(t *testing.T) {
	s := connect(t, serve(t, nil))
	r, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "capabilities_guide"})
	if err != nil || r.IsError {
		t.Fatal(err, r)
	}
	structured, err := json.Marshal(r.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	var a, b any
	text := r.Content[0].(*sdk.TextContent).Text
	if json.Unmarshal(structured, &a) != nil || json.Unmarshal([]byte(text), &b) != nil || fmt.Sprint(a) != fmt.Sprint(b) {
		t.Errorf("%s\n%s", structured, text)
	}
	if !strings.Contains(text, "SYNTHETIC") {
		t.Error("made-up data does not say so")
	}
}

// Several calls in one body, which one version of the protocol allows, have an answer each.
func TestBatch(t *testing.T) {
	w := serve(t, nil)
	one := callBody("sites_search", `{"limit":1}`)
	two := strings.Replace(callBody("sites_search", `{"limit":2}`), `"id":7`, `"id":8`, 1)
	_, body := post(t, w, "["+one+","+two+"]", sessionHeader, session(t, w), "Mcp-Protocol-Version", "2025-03-26")
	for _, want := range []string{`"returned":1,`, `"returned":2,`} {
		if n := strings.Count(body, want); n != 1 {
			t.Errorf("%s is %d times in the answer, want 1: %.500s", want, n, body)
		}
	}
}

// What is wrong with arguments is told to the assistant, not an error of the protocol.
func TestBadArguments(t *testing.T) {
	w := serve(t, nil)
	for _, c := range []struct{ tool, arguments, mentions string }{
		{"sites_nearby", `{}`, "lat"},
		{"sites_nearby", `{"lat":"north","lon":2}`, "lat"},
		{"sites_nearby", `{"lat":1e999,"lon":2}`, "lat"},
		{"sites_nearby", `{"lat":91,"lon":2}`, "90"},
		{"sites_nearby", `{"lat":48,"lon":2,"limit":-1}`, "limit"},
		{"sites_nearby", `{"lat":48,"lon":2,"limit":2.5}`, "whole number"},
		{"sites_nearby", `{"lat":48,"lon":2,"lat":49}`, "once"},
		{"sites_nearby", `{"lat":48,"lon":2,"x":1}`, "no such argument"},
		{"sites_nearby", `{"lat":[48,49],"lon":{}}`, "lat"},
		{"sites_search", `{"market":"ATLANTIS"}`, "market"},
		{"sites_search", `{"operator":"NOBODY"}`, "operator"},
		{"sites_search", `[]`, "JSON object"},
		{"sites_search", `{"query":"` + strings.Repeat("x", 1000) + `"}`, "200 characters"},
		{"location_geocode", `{"place":"Xanadu"}`, "Xanadu"},
		{"sites_get", `{"siteId":"fr-0"}`, "no site"},
		{"sites_search", `{"market":"CA"}`, "not loaded"},
	} {
		resp, text := post(t, w, callBody(c.tool, c.arguments), "Mcp-Session-Id", session(t, w))
		if resp.StatusCode != 200 || !strings.Contains(text, `"isError":true`) || !strings.Contains(text, c.mentions) || strings.Contains(text, "internal") {
			t.Errorf("%s %.60s: %d %s", c.tool, c.arguments, resp.StatusCode, text)
		}
	}
	if _, text := post(t, w, callBody("nothing", `{}`), "Mcp-Session-Id", session(t, w)); !strings.Contains(text, `"error"`) || !strings.Contains(text, "nothing") {
		t.Errorf("an unknown tool: %s", text)
	}
}

func TestBodies(t *testing.T) {
	w := serve(t, nil)
	resp, text := post(t, w, callBody("sites_search", `{"query":"`+strings.Repeat("x", 1<<20)+`"}`))
	if resp.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(text, "262144") {
		t.Errorf("1 MiB: %d %s", resp.StatusCode, text)
	}
	for _, body := range []string{"", "{", "null", "[]", `"x"`, "\x00", `[{"jsonrpc":"2.0"}]`} {
		if resp, _ := post(t, w, body); resp.StatusCode < 400 || resp.StatusCode >= 500 {
			t.Errorf("%q: %d", body, resp.StatusCode)
		}
	}
}

// Hosts and origins that are not the service's are refused.
func TestGuard(t *testing.T) {
	for _, c := range []struct {
		base, hosts, host, origin string
		ok                        bool
	}{
		{"http://127.0.0.1:80", "", "127.0.0.1:80", "", true},
		{"http://127.0.0.1:80", "", "localhost:80", "http://localhost:6274", true},
		{"http://127.0.0.1:80", "", "evil.example", "", false},
		{"http://127.0.0.1:80", "", "127.0.0.1.evil.example", "", false},
		{"http://127.0.0.1:80", "", "[::1]:80", "null", false},
		{"https://relais.example/p", "", "relais.example", "https://relais.example", true},
		{"https://relais.example/p", "", "RELAIS.example", "https://evil.example", false},
		{"https://relais.example/p", "", "relais.example:8443", "", true},
		{"https://relais.example:443/p", "", "relais.example", "https://relais.example", true},
		{"https://relais.example:443", "", "relais.example:443", "", true},
		{"http://relais.example:8080", "", "relais.example", "", false},
		{"https://relais.example/p", "relais.lan", "relais.lan:8080", "http://relais.lan:8080", true},
		{"https://relais.example/p", "relais.lan:8080", "relais.lan:8081", "", false},
		{"https://relais.example/p", "", "relais.example", "https://relais.example@evil.example", false},
		{"https://relais.example/p", "", "relais.example", "https://relais.example.evil.example", false},
		{"https://relais.example/p", "", "relais.example", "file://relais.example", false},
	} {
		var hosts []string
		if c.hosts != "" {
			hosts = []string{c.hosts}
		}
		r := httptest.NewRequest(http.MethodPost, "http://x/mcp", nil)
		r.Host = c.host
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		if _, ok := newGuard(c.base, hosts).allows(r); ok != c.ok {
			t.Errorf("%+v: %v", c, ok)
		}
	}
}

// An address has its calls of a minute, and others have theirs.
func TestLimit(t *testing.T) {
	withinMinute()
	w := serve(t, func(o *Options) { o.Minute = 3 })
	id := session(t, w) // counts
	for i, want := range []int{200, 200, 429, 429} {
		resp, text := post(t, w, callBody("capabilities_guide", "{}"), "Mcp-Session-Id", id)
		if resp.StatusCode != want || want == 429 && (resp.Header.Get("Retry-After") == "" || !strings.Contains(text, `"id":7,"error"`)) {
			t.Errorf("call %d: %d %v %s", i, resp.StatusCode, resp.Header, text)
		}
	}
	if resp, text := post(t, w, callBody("capabilities_guide", "{}"), "Mcp-Session-Id", id, "X-Test-Address", "192.0.2.9"); resp.StatusCode != 200 {
		t.Errorf("another address: %d %s", resp.StatusCode, text)
	}
	for range 3 * messages {
		post(t, w, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "Mcp-Session-Id", id)
	}
	if resp, _ := post(t, w, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "Mcp-Session-Id", id); resp.StatusCode != 429 {
		t.Errorf("many messages: %d", resp.StatusCode)
	}
}

// A token lets a tool act for its person only with the tool's own scope.
func TestScopes(t *testing.T) {
	w := serve(t, nil)
	read, write := w.token(t, "alice", account.Read), w.token(t, "alice", account.Write)
	id := session(t, w)
	for _, c := range []struct {
		token, tool string
		status      int
	}{
		{"", "capabilities_guide", 200},
		{"", "me_whoami", 401},
		{"", "bug_submit", 401},
		{read, "me_whoami", 200},
		{read, "bug_submit", 403},
		{write, "me_whoami", 403},
		{write, "bug_submit", 200}, // an error of the tool's, without arguments
		{write, "capabilities_guide", 200},
	} {
		headers := []string{"Mcp-Session-Id", id}
		if c.token != "" {
			headers = append(headers, "Authorization", c.token)
		}
		resp, text := post(t, w, callBody(c.tool, "{}"), headers...)
		if challenge := resp.Header.Get("WWW-Authenticate"); resp.StatusCode != c.status || c.status == 403 && !strings.Contains(challenge, `error="insufficient_scope"`) {
			t.Errorf("%.5s %s: %d %s %.200s", c.token, c.tool, resp.StatusCode, challenge, text)
		}
		// A name that the server's look at the body misses: the tool looks itself.
		hidden := strings.Replace(callBody(c.tool, "{}"), `"name"`, `"NAME":"x","name"`, 1)
		hidden = strings.Replace(hidden, `}}}`, `},"Name":"x"}}`, 1)
		if resp, text := post(t, w, hidden, headers...); c.status != 200 && resp.StatusCode == 200 && !strings.Contains(text, `"isError":true`) {
			t.Errorf("%.5s %s, hidden: %.200s", c.token, c.tool, text)
		}
	}
}

// Calls count however they are written: in batches, beside members that differ in case
// alone, before what follows a message.
func TestLimitOfBodies(t *testing.T) {
	withinMinute()
	call := callBody("capabilities_guide", "{}")
	many := func(n int, message string) string { return "[" + strings.Repeat(message+",", n-1) + message + "]" }
	ping := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`
	for _, c := range []struct {
		name, body string
		status     int
	}{
		{"a batch", many(4, call), 429},
		{"one that names its method twice", strings.Replace(call, `"method"`, `"METHOD":"ping","method"`, 1), 200},
		{"a batch of those", many(4, strings.Replace(call, `}}}`, `}},"Method":"ping"}`, 1)), 429},
		{"a batch with something behind it", many(4, call) + "x", 400},
		{"a batch with a name that is none", many(4, strings.Replace(call, `"name"`, `"NAME":5,"name"`, 1)), 429},
		{"a batch of many messages that are no calls", many(100*messages, ping), 429},
	} {
		w := serve(t, func(o *Options) { o.Minute = 3 })
		id := session(t, w)
		resp, text := post(t, w, c.body, "Mcp-Session-Id", id, "Mcp-Protocol-Version", "2025-03-26", "X-Test-Address", "192.0.2.9")
		if resp.StatusCode != c.status || c.status == 200 && !strings.Contains(text, `"structuredContent"`) {
			t.Errorf("%s: %d %.200s", c.name, resp.StatusCode, text)
		}
	}
}

// A key whose day is used up is told to come back when the next one begins, in UTC.
func TestQuotaOfKey(t *testing.T) {
	w := serve(t, nil)
	issued, err := w.clients.Create(access.Client{Name: "Helper", Mode: access.Server, Scopes: []access.Scope{access.InternalAI}, Limits: access.Limits{Minute: 100, Day: 1},
		CIDRs: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}})
	if err != nil {
		t.Fatal(err)
	}
	if left := 86400 - time.Now().Unix()%86400; left < 10 {
		time.Sleep(time.Duration(left) * time.Second)
	}
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	post(t, w, ping, "X-API-Key", issued.APIKey)
	resp, text := post(t, w, ping, "X-API-Key", issued.APIKey)
	wait, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
	if left := int(86400 - time.Now().Unix()%86400); resp.StatusCode != 429 || wait < left || wait > left+5 || strings.Contains(text, "1000 calls") {
		t.Errorf("%d, %d of %d seconds: %s", resp.StatusCode, wait, left, text)
	}
}

// One address cannot have all sessions; one that ended makes room.
func TestSessions(t *testing.T) {
	w := serve(t, func(o *Options) { o.Minute = 10 * ownSessions })
	first := session(t, w)
	for range ownSessions - 1 {
		session(t, w)
	}
	begin := func(headers ...string) int {
		resp, _ := post(t, w, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, headers...)
		return resp.StatusCode
	}
	if got := begin(); got != 429 {
		t.Errorf("one more: %d", got)
	}
	if got := begin("X-Test-Address", "192.0.2.9"); got != 200 {
		t.Errorf("of another address: %d", got)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, w.URL+Path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Mcp-Session-Id", first)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if got := begin(); resp.StatusCode != 204 || got != 200 {
		t.Errorf("after one ended (%d): %d", resp.StatusCode, got)
	}
}

// With RequireAuth everything needs a credential; the answer says where to get one.
func TestCredentials(t *testing.T) {
	w := serve(t, func(o *Options) { o.RequireAuth = true })
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	key := func(scopes ...access.Scope) string {
		issued, err := w.clients.Create(access.Client{Name: "Helper", Mode: access.Server, Scopes: scopes, Limits: access.Limits{Minute: 100, Day: 100},
			CIDRs: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}})
		if err != nil {
			t.Fatal(err)
		}
		return issued.APIKey
	}
	good, other := key(access.InternalAI), key(access.AntennasRead)
	for _, c := range []struct {
		name, header, value string
		status              int
		challenge           string
	}{
		{"none", "X-Nothing", "", 401, `scope="mcp:read"`},
		{"a token that is none", "Authorization", "Bearer abc", 401, `error="invalid_token"`},
		{"a key that is none", "Authorization", "Bearer rk_abc", 401, `error="invalid_token"`},
		{"another scheme", "Authorization", "Basic eDp5", 401, `error="invalid_token"`},
		{"a key without the scope", "Authorization", "Bearer " + other, 403, ""},
		{"a key", "Authorization", "Bearer " + good, 0, ""},
		{"a key in its own header", "X-API-Key", good, 0, ""},
	} {
		resp, text := post(t, w, ping, c.header, c.value)
		got := resp.Header.Get("WWW-Authenticate")
		if c.status == 0 { // the library refuses a ping without a session in its own way
			if resp.StatusCode == 401 || resp.StatusCode == 403 || resp.StatusCode >= 500 {
				t.Errorf("%s: %d %s", c.name, resp.StatusCode, text)
			}
			continue
		}
		if resp.StatusCode != c.status || !strings.Contains(got, c.challenge) || c.status == 401 && !strings.Contains(got, `resource_metadata="`+w.URL+`/metadata"`) {
			t.Errorf("%s: %d %q %s", c.name, resp.StatusCode, got, text)
		}
		if strings.Contains(text, "rk_") || strings.Contains(text, "abc") {
			t.Errorf("%s: the answer repeats the credential", c.name)
		}
	}
	if list := w.people.List(); len(list) != 1 || list[0].Name != "Helper" {
		t.Errorf("accounts of keys: %v", list)
	}
}
