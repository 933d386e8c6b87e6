package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"time"
)

// A session is an assistant's, over a connection of its own, and no http.Client: its
// goroutines would take the server's processors.
type session struct {
	conn    net.Conn
	answers *bufio.Reader
	body    bytes.Buffer // of the last answer
	id      string
}

func newSession(ctx context.Context) (*session, error) {
	conn, err := net.Dial("tcp", relaisListen)
	if err != nil {
		return nil, err
	}
	s := &session{conn: conn, answers: bufio.NewReader(conn)}
	begin := map[string]any{"protocolVersion": "2025-11-25", "capabilities": struct{}{}, "clientInfo": map[string]string{"name": "bench", "version": "1"}}
	if err := s.ask(ctx, "initialize", begin, nil); err != nil {
		return nil, err
	}
	return s, s.ask(ctx, "notifications/initialized", nil, nil)
}

// call calls a tool and reads its answer.
func (s *session) call(ctx context.Context, name string, arguments map[string]any, to any) error {
	var result struct {
		IsError           bool
		Content           []struct{ Text string }
		StructuredContent json.RawMessage
	}
	if err := s.ask(ctx, "tools/call", map[string]any{"name": name, "arguments": arguments}, &result); err != nil {
		return err
	}
	if result.IsError {
		return fmt.Errorf("it says %q", result.Content[0].Text)
	}
	return json.Unmarshal(result.StructuredContent, to)
}

// ask sends a request and reads its result, unless to is nil.
func (s *session) ask(ctx context.Context, method string, params, to any) error {
	request, err := s.request(method, params)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	body, err := s.exchange(request)
	if err != nil || to == nil {
		return err
	}
	for line := range bytes.Lines(body) {
		text, ok := bytes.CutPrefix(line, []byte("data: "))
		if !ok && !bytes.HasPrefix(line, []byte("{")) {
			continue
		}
		var message struct {
			Result json.RawMessage
			Error  json.RawMessage
		}
		if json.Unmarshal(text, &message) == nil && message.Result != nil {
			return json.Unmarshal(message.Result, to)
		}
	}
	return fmt.Errorf("%s: %s", method, body)
}

// request is the bytes of a request, or of a notification.
func (s *session) request(method string, params any) ([]byte, error) {
	message := map[string]any{"jsonrpc": "2.0", "method": method}
	if params != nil {
		message["id"], message["params"] = 1, params
	}
	text, err := json.Marshal(message)
	if err != nil {
		return nil, err
	}
	id := ""
	if s.id != "" {
		id = "Mcp-Session-Id: " + s.id + "\r\n"
	}
	return fmt.Appendf(nil, "POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n%sContent-Length: %d\r\n\r\n%s",
		relaisListen, id, len(text), text), nil
}

// exchange sends the bytes of a request and reads the body of its answer, which is good
// until the next.
func (s *session) exchange(request []byte) ([]byte, error) {
	if err := s.conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		return nil, err
	}
	if _, err := s.conn.Write(request); err != nil {
		return nil, err
	}
	res, err := http.ReadResponse(s.answers, nil)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if id := res.Header.Get("Mcp-Session-Id"); id != "" {
		s.id = id
	}
	s.body.Reset()
	_, err = s.body.ReadFrom(res.Body)
	if err == nil && res.StatusCode >= 300 {
		err = fmt.Errorf("%s: %s", res.Status, s.body.Bytes())
	}
	return s.body.Bytes(), err
}
