package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

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

// peek looks at a body. Members count that are named exactly as the library reads them, and
// of two of a name the last; what is wrong with their values is the library's to say, or the
// handlers', who look again who calls.
func (s *Server) peek(body []byte) (p peeked, err error) {
	list, err := messagesOf(body)
	if err != nil {
		return p, err
	}
	for _, m := range list {
		if string(m["jsonrpc"]) != `"2.0"` {
			return p, errors.New(`"jsonrpc" is not "2.0"`)
		}
		p.messages++
		if err := s.add(&p, m); err != nil {
			return p, err
		}
	}
	return p, nil
}

// A message is one of JSON-RPC by its members, as their texts are.
type message map[string]json.RawMessage

// messagesOf returns those of a body, which is one or a list of them.
func messagesOf(body []byte) (list []message, err error) {
	if body = bytes.TrimLeft(body, " \t\r\n"); bytes.HasPrefix(body, []byte("[")) {
		err = json.Unmarshal(body, &list)
		return list, err
	}
	var one message
	err = json.Unmarshal(body, &one)
	return []message{one}, err
}

// add adds a message to what was seen.
func (s *Server) add(p *peeked, m message) error {
	if m["method"] == nil { // a response
		return nil
	}
	var method string
	if err := json.Unmarshal(m["method"], &method); err != nil {
		return fmt.Errorf("its method: %w", err)
	}
	switch method {
	case "initialize", "tools/list": // which is longer than any answer of a tool
		p.calls++
	case "tools/call":
		p.calls++
		var params map[string]json.RawMessage
		var name string
		_ = json.Unmarshal(m["params"], &params)
		_ = json.Unmarshal(params["name"], &name)
		if t := s.byName[name]; t != nil && t.SignedIn {
			p.needs = append(p.needs, scopeOf(t))
		}
	}
	switch id := m["id"]; {
	case id == nil:
		p.id = nil
	case strings.IndexByte(`"-0123456789n`, id[0]) < 0:
		return errors.New("its id is neither null nor a number nor a text")
	default:
		p.id = id
	}
	return nil
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
