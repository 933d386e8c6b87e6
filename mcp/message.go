package mcp

import (
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"relais/auth/account"
	"relais/mcp/tools"
)

// A bodySummary is what limits and permissions depend on in a body.
type bodySummary struct {
	messages int
	calls    int             // of tools, of the list of tools, and of initialize
	scopes   []account.Scope // of the called tools that act for a person
	id       json.RawMessage // of the last request
	tools    []string        // that are called and known, at most maxNamed
}

// maxNamed bounds the names of tools in a line of the log.
const maxNamed = 5

// summarize reads the messages of a body with the SDK's own decoder, so that the SDK cannot see
// other messages than were counted. The handlers of tools check the caller again.
func (s *Server) summarize(body []byte) (sum bodySummary, err error) {
	if !json.Valid(body) { // the SDK would ignore what follows the first value
		return sum, errNotJSON
	}
	list := []json.RawMessage{}
	if json.Unmarshal(body, &list) != nil {
		list = []json.RawMessage{body}
	}
	for _, text := range list {
		m, err := jsonrpc.DecodeMessage(text)
		if err != nil {
			return sum, err
		}
		sum.messages++
		if request, ok := m.(*jsonrpc.Request); ok {
			s.addRequest(&sum, request)
		}
	}
	return sum, nil
}

var errNotJSON = errors.New("it is not one JSON value")

func (s *Server) addRequest(sum *bodySummary, r *jsonrpc.Request) {
	switch r.Method {
	case "initialize", "tools/list": // the list is longer than any answer of a tool
		sum.calls++
	case "tools/call":
		sum.calls++
		var params struct {
			Name string `json:"name"`
		}
		_ = json.Unmarshal(r.Params, &params) // the SDK answers what is wrong with them
		t := s.byName[params.Name]
		if t != nil && t.SignedIn {
			sum.scopes = append(sum.scopes, scopeOf(t))
		}
		if t != nil && len(sum.tools) < maxNamed {
			sum.tools = append(sum.tools, t.Name)
		}
	}
	sum.id, _ = json.Marshal(r.ID.Raw()) // null, a number or a string
}

// scopeOf returns the scope that a tool which acts for a person needs.
func scopeOf(t *tools.Tool) account.Scope {
	if t.Writes {
		return account.Write
	}
	return account.Read
}

func toolsByName() map[string]*tools.Tool {
	byName := map[string]*tools.Tool{}
	for _, t := range tools.All() {
		byName[t.Name] = t
	}
	return byName
}
