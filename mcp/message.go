package mcp

import (
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"relais/account"
	"relais/tools"
)

// A peeked is what is seen of a body before the library answers it.
type peeked struct {
	messages int
	calls    int             // of tools and their list, and sessions that are to begin
	needs    []account.Scope // of tools that act for a person
	id       json.RawMessage
}

// peek looks at a body. The limits depend on it, so that the library's own reader reads
// the messages, and what that cannot read never gets there. The handlers of tools look
// again who calls.
func (s *Server) peek(body []byte) (p peeked, err error) {
	if !json.Valid(body) { // the library would pass over what follows the first value
		return p, errNotJSON
	}
	list := []json.RawMessage{}
	if json.Unmarshal(body, &list) != nil {
		list = []json.RawMessage{body}
	}
	for _, text := range list {
		m, err := jsonrpc.DecodeMessage(text)
		if err != nil {
			return p, err
		}
		p.messages++
		if request, ok := m.(*jsonrpc.Request); ok {
			s.add(&p, request)
		}
	}
	return p, nil
}

var errNotJSON = errors.New("it is not one JSON value")

// add adds a request to what was seen.
func (s *Server) add(p *peeked, r *jsonrpc.Request) {
	switch r.Method {
	case "initialize", "tools/list": // tools/list is longer than any answer of a tool
		p.calls++
	case "tools/call":
		p.calls++
		var params struct {
			Name string `json:"name"`
		}
		_ = json.Unmarshal(r.Params, &params) // the library says what is wrong with them
		if t := s.byName[params.Name]; t != nil && t.SignedIn {
			p.needs = append(p.needs, scopeOf(t))
		}
	}
	p.id, _ = json.Marshal(r.ID.Raw()) // null, a number or a text
}

// scopeOf is the scope that a tool needs which acts for a person.
func scopeOf(t *tools.Tool) account.Scope {
	if t.Writes {
		return account.Write
	}
	return account.Read
}

// toolsByName are the tools by their names.
func toolsByName() map[string]*tools.Tool {
	byName := map[string]*tools.Tool{}
	for _, t := range tools.All() {
		byName[t.Name] = t
	}
	return byName
}
