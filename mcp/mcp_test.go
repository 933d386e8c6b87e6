package mcp

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"relais/auth/access"
	"relais/auth/account"
	"relais/internal/errtest"
	"relais/mcp/tools"
)

// must ends the test on an error of what it needs.
var must = errtest.Must

// Every tool is listed with what an assistant needs to choose and call it.
func TestList(t *testing.T) {
	list, err := connect(t, serve(t, nil)).ListTools(t.Context(), nil)
	must(t, err)
	if len(list.Tools) != len(tools.All()) || len(list.Tools) < 20 {
		t.Fatalf("%d tools, want %d, which are 20 or more", len(list.Tools), len(tools.All()))
	}
	for _, tool := range list.Tools {
		if tool.Title == "" || len(tool.Description) < 40 || tool.Annotations == nil {
			t.Errorf("%s has the title %q, the description %q and the annotations %v; want all three",
				tool.Name, tool.Title, tool.Description, tool.Annotations)
		}
		for _, schema := range []any{tool.InputSchema, tool.OutputSchema} {
			if m, _ := schema.(map[string]any); m["type"] != "object" {
				t.Errorf("%s: type of a schema = %v, want object", tool.Name, m["type"])
			}
		}
		checkPlain(t, tool.Name, tool.InputSchema.(map[string]any))
		readOnly := !strings.HasSuffix(tool.Name, "_submit") && !strings.Contains(tool.Name, "_submit_")
		if tool.Annotations.ReadOnlyHint != readOnly {
			t.Errorf("%s: readOnlyHint = %t, want %t", tool.Name, tool.Annotations.ReadOnlyHint, readOnly)
		}
	}
}

// The text of an answer is its structured content.
func TestCall(t *testing.T) {
	s := connect(t, serve(t, nil))
	r, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "capabilities_guide"})
	if err != nil || r.IsError {
		t.Fatalf("got %v, %+v, want a result without an error", err, r)
	}
	structured, err := json.Marshal(r.StructuredContent)
	must(t, err)
	text := r.Content[0].(*sdk.TextContent).Text
	var want, got any
	must(t, errors.Join(json.Unmarshal(structured, &want), json.Unmarshal([]byte(text), &got)))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("text (-structured +text)\n%s", diff)
	}
	if !strings.Contains(text, "SYNTHETIC") {
		t.Errorf("the answer does not say that its data is synthetic: %.300s", text)
	}
}

// Several calls in one body, which one version of the protocol allows, have an answer each.
func TestBatch(t *testing.T) {
	w := serve(t, nil)
	one := callBody("sites_search", `{"limit":1}`)
	two := strings.Replace(callBody("sites_search", `{"limit":2}`), `"id":7`, `"id":8`, 1)
	_, body := post(t, w, "["+one+","+two+"]", "Mcp-Protocol-Version", "2025-03-26")
	for _, want := range []string{`"returned":1,`, `"returned":2,`} {
		if n := strings.Count(body, want); n != 1 {
			t.Errorf("%s is %d times in the answer, want 1: %.500s", want, n, body)
		}
	}
}

// Errors in arguments are results for the assistant, not errors of the protocol.
func TestBadArguments(t *testing.T) {
	w := serve(t, nil)
	begin(t, w)
	for _, c := range []struct{ tool, arguments, mentions string }{
		{"sites_nearby", `{}`, "lat"},
		{"sites_nearby", `{"lat":"north","lon":2}`, "lat"},
		{"sites_nearby", `{"lat":1e999,"lon":2}`, "lat"},
		{"sites_nearby", `{"lat":91,"lon":2}`, "90"},
		{"sites_nearby", `{"lat":48,"lon":2,"limit":-1}`, "limit"},
		{"sites_nearby", `{"lat":48,"lon":2,"limit":2.5}`, "whole number"},
		{"sites_nearby", `{"lat":48,"lon":2,"lat":49}`, "once"},
		{"sites_nearby", `{"lat":48,"lon":2,"x":1}`, "unknown argument"},
		{"sites_nearby", `{"lat":[48,49],"lon":{}}`, "lat"},
		{"sites_search", `{"market":"ATLANTIS"}`, "market"},
		{"sites_search", `{"operator":"NOBODY"}`, "operator"},
		{"sites_search", `[]`, "JSON object"},
		{"sites_search", `{"query":"` + strings.Repeat("x", 1000) + `"}`, "200 characters"},
		{"location_geocode", `{"place":"Xanadu"}`, "Xanadu"},
		{"sites_get", `{"siteId":"fr-0"}`, "no site"},
		{"sites_search", `{"market":"CA"}`, "not loaded"},
	} {
		resp, text := post(t, w, callBody(c.tool, c.arguments))
		if resp.StatusCode != 200 || !strings.Contains(text, `"isError":true`) || strings.Contains(text, "internal") {
			t.Errorf("%s %.60s: status = %d, want 200 with isError: %s", c.tool, c.arguments, resp.StatusCode, text)
		}
		if !strings.Contains(text, c.mentions) {
			t.Errorf("%s %.60s: the error does not mention %q: %s", c.tool, c.arguments, c.mentions, text)
		}
	}
	_, text := post(t, w, callBody("nothing", `{}`))
	if !strings.Contains(text, `"error"`) || !strings.Contains(text, "nothing") {
		t.Errorf("an unknown tool: got %s, want an error that names it", text)
	}
}

func TestBodies(t *testing.T) {
	w := serve(t, nil)
	resp, text := post(t, w, callBody("sites_search", `{"query":"`+strings.Repeat("x", 1<<20)+`"}`))
	if resp.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(text, "262144") {
		t.Errorf("1 MiB: status = %d, want 413 with the limit: %s", resp.StatusCode, text)
	}
	for _, body := range []string{"", "{", "null", "[]", `"x"`, "\x00", `[{"jsonrpc":"2.0"}]`} {
		if resp, _ := post(t, w, body); resp.StatusCode < 400 || resp.StatusCode >= 500 {
			t.Errorf("%q: status = %d, want 4xx", body, resp.StatusCode)
		}
	}
}

// Hosts and origins of others are refused.
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
		if _, err := newGuard(c.base, hosts).allows(r); (err == nil) != c.ok {
			t.Errorf("%+v: allowed: %v, want %t", c, err, c.ok)
		}
	}
}

// The calls and messages of a minute are limited by address.
func TestLimit(t *testing.T) {
	withinMinute()
	w := serve(t, func(o *Options) { o.Minute = 3 })
	begin(t, w) // counts as a call
	call := callBody("capabilities_guide", "{}")
	for i, want := range []int{200, 200, 429, 429} {
		resp, text := post(t, w, call)
		if resp.StatusCode != want {
			t.Errorf("call %d: status = %d, want %d: %s", i, resp.StatusCode, want, text)
		}
		if want == 429 && (resp.Header.Get("Retry-After") == "" || !strings.Contains(text, `"id":7,"error"`)) {
			t.Errorf("call %d: got %v %s, want Retry-After and an error with the id", i, resp.Header, text)
		}
	}
	resp, text := post(t, w, call, "X-Test-Address", "192.0.2.9")
	if resp.StatusCode != 200 {
		t.Errorf("another address: status = %d, want 200: %s", resp.StatusCode, text)
	}
	for range 3 * messagesPerCall {
		post(t, w, pingBody)
	}
	if resp, _ := post(t, w, pingBody); resp.StatusCode != 429 {
		t.Errorf("message over the limit: status = %d, want 429", resp.StatusCode)
	}
}

// A tool acts for a person only with a token that has the scope of the tool.
func TestScopes(t *testing.T) {
	w := serve(t, nil)
	read, write := w.token(t, "alice", account.Read), w.token(t, "alice", account.Write)
	begin(t, w)
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
		{write, "bug_submit", 200}, // the tool's error without arguments
		{write, "capabilities_guide", 200},
	} {
		var headers []string
		if c.token != "" {
			headers = append(headers, "Authorization", c.token)
		}
		resp, text := post(t, w, callBody(c.tool, "{}"), headers...)
		challenge := resp.Header.Get("WWW-Authenticate")
		if resp.StatusCode != c.status ||
			c.status == 403 && !strings.Contains(challenge, `error="insufficient_scope"`) {
			t.Errorf("%.5s %s: status = %d, want %d: %s %.200s", c.token, c.tool, resp.StatusCode, c.status, challenge,
				text)
		}
		// The name of the tool may be hidden from the look at the body: the handler checks too.
		hidden := strings.Replace(callBody(c.tool, "{}"), `"name"`, `"NAME":"x","name"`, 1)
		hidden = strings.Replace(hidden, `}}}`, `},"Name":"x"}}`, 1)
		resp, text = post(t, w, hidden, headers...)
		if c.status != 200 && resp.StatusCode == 200 && !strings.Contains(text, `"isError":true`) {
			t.Errorf("%.5s %s with a hidden name: got %.200s, want a refusal", c.token, c.tool, text)
		}
	}
}

// Calls count however they are written: in batches, with members that differ only in case, and
// before other text.
func TestLimitOfBodies(t *testing.T) {
	withinMinute()
	call := callBody("capabilities_guide", "{}")
	many := func(n int, message string) string { return "[" + strings.Repeat(message+",", n-1) + message + "]" }
	cancelled := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`
	for _, c := range []struct {
		name, body string
		status     int
	}{
		{"a batch", many(4, call), 429},
		{"a call that names its method twice", strings.Replace(call, `"method"`, `"METHOD":"ping","method"`, 1), 200},
		{"a batch of those", many(4, strings.Replace(call, `}}}`, `}},"Method":"ping"}`, 1)), 429},
		{"a batch with text after it", many(4, call) + "x", 400},
		{"a batch with invalid names", many(4, strings.Replace(call, `"name"`, `"NAME":5,"name"`, 1)), 429},
		{"a batch of many notifications", many(100*messagesPerCall, cancelled), 429},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := serve(t, func(o *Options) { o.Minute = 3 })
			headers := []string{"Mcp-Protocol-Version", "2025-03-26", "X-Test-Address", "192.0.2.9"}
			resp, text := post(t, w, c.body, headers...)
			if resp.StatusCode != c.status || c.status == 200 && !strings.Contains(text, `"structuredContent"`) {
				t.Errorf("status = %d, want %d: %.200s", resp.StatusCode, c.status, text)
			}
		})
	}
}

// The refusal of a key whose quota of the day is used up says when the next day begins in UTC.
func TestQuotaOfKey(t *testing.T) {
	w := serve(t, nil)
	issued := w.issue(t, func(c *access.Client) { c.Limits = access.Limits{Minute: 100, Day: 1} })
	if left := 86400 - time.Now().Unix()%86400; left < 10 {
		time.Sleep(time.Duration(left) * time.Second)
	}
	post(t, w, pingBody, "X-API-Key", issued.APIKey)
	before := 86400 - time.Now().Unix()%86400
	resp, text := post(t, w, pingBody, "X-API-Key", issued.APIKey)
	after := 86400 - time.Now().Unix()%86400
	wait, err := strconv.ParseInt(resp.Header.Get("Retry-After"), 10, 64)
	if resp.StatusCode != 429 || err != nil || wait < after || wait > before+1 {
		t.Errorf("status = %d, Retry-After = %d; want 429 and %d to %d", resp.StatusCode, wait, after, before+1)
	}
	if strings.Contains(text, "1000 calls") {
		t.Errorf("the refusal names the limit of addresses: %s", text)
	}
}

// Nothing is kept between two requests: a session id of another server changes
// nothing, and no stream is kept open.
func TestNoSessions(t *testing.T) {
	w := serve(t, nil)
	begin(t, w)
	for _, id := range []string{"", "of-another-server"} {
		resp, text := post(t, w, callBody("capabilities_guide", "{}"), "Mcp-Session-Id", id)
		if resp.StatusCode != 200 || resp.Header.Get("Mcp-Session-Id") != "" {
			t.Errorf("session %q: status = %d, header %v, want 200 without a session: %.200s", id, resp.StatusCode, resp.Header, text)
		}
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		r, err := http.NewRequestWithContext(t.Context(), method, w.URL+Path, nil)
		must(t, err)
		r.Header.Set("Accept", "text/event-stream")
		resp, err := http.DefaultClient.Do(r)
		must(t, err)
		resp.Body.Close()
		if resp.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("%s: status = %d, want 405", method, resp.StatusCode)
		}
	}
}

// With RequireAuth, a request without a valid credential is refused, and the refusal says where
// to get one.
func TestCredentials(t *testing.T) {
	w := serve(t, func(o *Options) { o.RequireAuth = true })
	good := w.issue(t, nil).APIKey
	other := w.issue(t, func(c *access.Client) { c.Scopes = []access.Scope{access.AntennasRead} }).APIKey
	for _, c := range []struct {
		name, header, value string
		status              int
		challenge           string
	}{
		{"no credential", "X-Nothing", "", 401, `scope="mcp:read"`},
		{"an invalid token", "Authorization", "Bearer abc", 401, `error="invalid_token"`},
		{"an invalid key", "Authorization", "Bearer rk_abc", 401, `error="invalid_token"`},
		{"another scheme", "Authorization", "Basic eDp5", 401, `error="invalid_token"`},
		{"a key without the scope", "Authorization", "Bearer " + other, 403, ""},
		{"a key", "Authorization", "Bearer " + good, 0, ""},
		{"a key in its own header", "X-API-Key", good, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			resp, text := post(t, w, pingBody, c.header, c.value)
			if c.status == 0 { // the SDK may refuse a ping without a session
				if resp.StatusCode == 401 || resp.StatusCode == 403 || resp.StatusCode >= 500 {
					t.Errorf("status = %d, want none that refuses the credential: %s", resp.StatusCode, text)
				}
				return
			}
			challenge := resp.Header.Get("WWW-Authenticate")
			if resp.StatusCode != c.status || !strings.Contains(challenge, c.challenge) {
				t.Errorf("status = %d, challenge %q; want %d, %q: %s", resp.StatusCode, challenge, c.status,
					c.challenge, text)
			}
			if c.status == 401 && !strings.Contains(challenge, `resource_metadata="`+w.URL+`/metadata"`) {
				t.Errorf("the challenge does not say where to get a credential: %q", challenge)
			}
			if strings.Contains(text, "rk_") || strings.Contains(text, "abc") {
				t.Errorf("the answer repeats the credential: %s, want no rk_ in it and no abc in it", text)
			}
		})
	}
	if list := w.people.List(); len(list) != 1 || !strings.HasPrefix(list[0].Name, "Helper ") {
		t.Errorf("accounts of keys = %v, want one of Helper", list)
	}
}
