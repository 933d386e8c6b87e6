package mcp

import (
	"bytes"
	"encoding/json"

	"relais/tools"
)

// A peeked is what is seen of a body before the library reads it.
type peeked struct {
	calls    int  // of tools, and sessions that are to begin
	signedIn bool // a tool needs somebody who signed in
	writes   bool // one that changes something
	id       json.RawMessage
}

// A message is as much of a message as decides who may send it.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name string `json:"name"`
	} `json:"params"`
}

// peek looks at a body. What is no message at all is for the library to refuse. The
// handlers of tools look again who calls: nothing depends on both reading the same.
func (s *Server) peek(body []byte) (p peeked) {
	for _, m := range messagesIn(body) {
		switch m.Method {
		case "initialize":
			p.calls++
		case "tools/call":
			p.calls++
			if t := s.byName[m.Params.Name]; t != nil {
				p.signedIn, p.writes = p.signedIn || t.SignedIn, p.writes || t.Writes
			}
		}
		p.id = m.ID
	}
	return p
}

// messagesIn are the messages of a body: one, or those of a batch.
func messagesIn(body []byte) []message {
	body = bytes.TrimLeft(body, " \t\r\n")
	if len(body) > 0 && body[0] == '[' {
		var batch []message
		if json.Unmarshal(body, &batch) != nil {
			return nil
		}
		return batch
	}
	var one message
	if json.Unmarshal(body, &one) != nil {
		return nil
	}
	return []message{one}
}

// toolsByName are the tools by their names.
func toolsByName() map[string]*tools.Tool {
	byName := map[string]*tools.Tool{}
	for _, t := range tools.All() {
		byName[t.Name] = t
	}
	return byName
}
