package mcp

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"relais/account"
)

func peeker() *Server { return &Server{byName: toolsByName()} }

func TestPeek(t *testing.T) {
	s := peeker()
	call := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"me_whoami"}}`
	for _, tt := range []struct {
		body string
		want peeked
	}{
		{call, peeked{messages: 1, calls: 1, needs: []account.Scope{account.Read}, id: json.RawMessage("7")}},
		{" [" + call + `, {"jsonrpc":"2.0","id":"a","method":"ping"}]`,
			peeked{messages: 2, calls: 1, needs: []account.Scope{account.Read}, id: json.RawMessage(`"a"`)}},
		// A null leaves a member as it was.
		{`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"me_whoami","name":null}}`,
			peeked{messages: 1, calls: 1, needs: []account.Scope{account.Read}, id: json.RawMessage("8")}},
		// Of two members of a name the last counts, and none that is written otherwise.
		{`{"jsonrpc":"2.0","method":"ping","method":"tools/list","Method":"ping"}`,
			peeked{messages: 1, calls: 1, id: json.RawMessage("null")}},
		{`{"jsonrpc":"2.0","method":"tools/call","params":{"Name":"me_whoami","name":"sites_get"},"id":-1}`,
			peeked{messages: 1, calls: 1, id: json.RawMessage("-1")}},
		{`{"jsonrpc":"2.0","method":"tools/call","params":{"name":["me_whoami"]}}`,
			peeked{messages: 1, calls: 1, id: json.RawMessage("null")}},
		{`{"jsonrpc":"2.0","id":7,"result":{"method":"tools/call"}}`, peeked{messages: 1}},
		{`[]`, peeked{}},
	} {
		t.Run(tt.body, func(t *testing.T) {
			got, err := s.peek([]byte(tt.body))
			if err != nil || got.messages != tt.want.messages || got.calls != tt.want.calls ||
				len(got.needs) != len(tt.want.needs) || string(got.id) != string(tt.want.id) {
				t.Errorf("%s: %+v, %v", tt.body, got, err)
			}
		})
	}
	for _, body := range []string{"", "7", `"tools/call"`, "[null]", "[7]", "{", call + call, `{"method":"tools/call"}`,
		`{"jsonrpc":"1.0","method":"ping"}`, `{"jsonrpc":"2.0","method":7}`,
		`{"jsonrpc":"2.0","method":"ping","id":true}`, `{"jsonrpc":"2.0","method":"ping","id":[1]}`} {
		if got, err := s.peek([]byte(body)); err == nil {
			t.Errorf("%s: %+v", body, got)
		}
	}
}

// What the library reads: names as they are spelled, the last of two, and one
// value alone.
func TestDecoding(t *testing.T) {
	m, err := jsonrpc.DecodeMessage(
		[]byte("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\",\"Method\":\"x\",\"METHOD\":\"y\",\"params\":{\"a\":1},\"params\":{\"b\":\"\xff\", \"b\":[ ]}}\n"))
	r, ok := m.(*jsonrpc.Request)
	if err != nil || !ok || r.Method != "ping" || r.ID.Raw() != int64(7) ||
		string(r.Params) != "{\"b\":\"\xff\", \"b\":[ ]}" {
		t.Errorf("%+v, %v", m, err)
	}
	for _, text := range []string{"", " ", "{", "{} {}", `{"jsonrpc":"2.0","id":7,"method":7}`,
		`{"jsonrpc":2,"id":7,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":7,"method":"ping","params":` + strings.Repeat("[", 100_000)} {
		if m, err := jsonrpc.DecodeMessage([]byte(text)); err == nil {
			t.Errorf("%.60s: %+v", text, m)
		}
	}
}
