package mcp

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"relais/auth/account"
)

func TestSummarize(t *testing.T) {
	s := &Server{byName: toolsByName()}
	call := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"me_whoami"}}`
	read, whoami := []account.Scope{account.Read}, []string{"me_whoami"}
	for _, c := range []struct {
		name, body string
		want       bodySummary
	}{
		{"call", call, bodySummary{messages: 1, calls: 1, scopes: read, id: json.RawMessage("7"), tools: whoami}},
		{"batch", " [" + call + `, {"jsonrpc":"2.0","id":"a","method":"ping"}]`,
			bodySummary{messages: 2, calls: 1, scopes: read, id: json.RawMessage(`"a"`), tools: whoami}},
		{"null leaves the name as it was",
			`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"me_whoami","name":null}}`,
			bodySummary{messages: 1, calls: 1, scopes: read, id: json.RawMessage("8"), tools: whoami}},
		{"last of two members, in this spelling",
			`{"jsonrpc":"2.0","method":"ping","method":"tools/list","Method":"ping"}`,
			bodySummary{messages: 1, calls: 1, id: json.RawMessage("null")}},
		{"name in another spelling",
			`{"jsonrpc":"2.0","method":"tools/call","params":{"Name":"me_whoami","name":"sites_get"},"id":-1}`,
			bodySummary{messages: 1, calls: 1, id: json.RawMessage("-1"), tools: []string{"sites_get"}}},
		{"name of another type", `{"jsonrpc":"2.0","method":"tools/call","params":{"name":["me_whoami"]}}`,
			bodySummary{messages: 1, calls: 1, id: json.RawMessage("null")}},
		{"response", `{"jsonrpc":"2.0","id":7,"result":{"method":"tools/call"}}`, bodySummary{messages: 1}},
		{"empty batch", `[]`, bodySummary{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := s.summarize([]byte(c.body))
			must(t, err)
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(bodySummary{})); diff != "" {
				t.Errorf("summary of %s (-want +got)\n%s", c.body, diff)
			}
		})
	}
	for _, body := range []string{
		"", "7", `"tools/call"`, "[null]", "[7]", "{", call + call,
		`{"method":"tools/call"}`,
		`{"jsonrpc":"1.0","method":"ping"}`,
		`{"jsonrpc":"2.0","method":7}`,
		`{"jsonrpc":"2.0","method":"ping","id":true}`,
		`{"jsonrpc":"2.0","method":"ping","id":[1]}`,
	} {
		if got, err := s.summarize([]byte(body)); err == nil {
			t.Errorf("summary of %s = %+v, want an error", body, got)
		}
	}
}

// The SDK's decoder takes names in their exact spelling, the last of two members, and exactly
// one value. The limits depend on this.
func TestDecoder(t *testing.T) {
	m, err := jsonrpc.DecodeMessage([]byte(`{"jsonrpc":"2.0","id":7,"method":"ping","Method":"x","METHOD":"y",` +
		`"params":{"a":1},"params":{"b":"` + "\xff" + `", "b":[ ]}}` + "\n"))
	must(t, err)
	r, ok := m.(*jsonrpc.Request)
	if !ok || r.Method != "ping" || r.ID.Raw() != int64(7) || string(r.Params) != "{\"b\":\"\xff\", \"b\":[ ]}" {
		t.Errorf("got %+v, want ping with the id 7 and the last params", m)
	}
	for _, text := range []string{
		"", " ", "{", "{} {}",
		`{"jsonrpc":"2.0","id":7,"method":7}`,
		`{"jsonrpc":2,"id":7,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":7,"method":"ping","params":` + strings.Repeat("[", 100_000),
	} {
		if m, err := jsonrpc.DecodeMessage([]byte(text)); err == nil {
			t.Errorf("message of %.60s = %+v, want an error", text, m)
		}
	}
}
