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
	for body, want := range map[string]peeked{
		call: {messages: 1, calls: 1, needs: []account.Scope{account.Read}, id: json.RawMessage("7")},
		" [" + call + `, {"jsonrpc":"2.0","id":"a","method":"ping"}]`: {messages: 2, calls: 1, needs: []account.Scope{account.Read}, id: json.RawMessage(`"a"`)},
		// A null leaves a member as it was.
		`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"me_whoami","name":null}}`: {messages: 1, calls: 1, needs: []account.Scope{account.Read}, id: json.RawMessage("8")},
		// Of two members of a name the last counts, and none that is written otherwise.
		`{"jsonrpc":"2.0","method":"ping","method":"tools/list","Method":"ping"}`:                          {messages: 1, calls: 1, id: json.RawMessage("null")},
		`{"jsonrpc":"2.0","method":"tools/call","params":{"Name":"me_whoami","name":"sites_get"},"id":-1}`: {messages: 1, calls: 1, id: json.RawMessage("-1")},
		`{"jsonrpc":"2.0","method":"tools/call","params":{"name":["me_whoami"]}}`:                          {messages: 1, calls: 1, id: json.RawMessage("null")},
		`{"jsonrpc":"2.0","id":7,"result":{"method":"tools/call"}}`:                                        {messages: 1},
		`[]`: {},
	} {
		got, err := s.peek([]byte(body))
		if err != nil || got.messages != want.messages || got.calls != want.calls || len(got.needs) != len(want.needs) || string(got.id) != string(want.id) {
			t.Errorf("%s: %+v, %v", body, got, err)
		}
	}
	for _, body := range []string{"", "7", `"tools/call"`, "[null]", "[7]", "{", call + call, `{"method":"tools/call"}`,
		`{"jsonrpc":"1.0","method":"ping"}`, `{"jsonrpc":"2.0","method":7}`, `{"jsonrpc":"2.0","method":"ping","id":true}`, `{"jsonrpc":"2.0","method":"ping","id":[1]}`} {
		if got, err := s.peek([]byte(body)); err == nil {
			t.Errorf("%s: %+v", body, got)
		}
	}
}

// What the library reads: names as they are spelled, the last of two, and one
// value alone.
func TestDecoding(t *testing.T) {
	m, err := jsonrpc.DecodeMessage([]byte("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\",\"Method\":\"x\",\"METHOD\":\"y\",\"params\":{\"a\":1},\"params\":{\"b\":\"\xff\", \"b\":[ ]}}\n"))
	r, ok := m.(*jsonrpc.Request)
	if err != nil || !ok || r.Method != "ping" || r.ID.Raw() != int64(7) || string(r.Params) != "{\"b\":\"\xff\", \"b\":[ ]}" {
		t.Errorf("%+v, %v", m, err)
	}
	for _, text := range []string{"", " ", "{", "{} {}", `{"jsonrpc":"2.0","id":7,"method":7}`, `{"jsonrpc":2,"id":7,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":7,"method":"ping","params":` + strings.Repeat("[", 100_000)} {
		if m, err := jsonrpc.DecodeMessage([]byte(text)); err == nil {
			t.Errorf("%.60s: %+v", text, m)
		}
	}
}
