package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// A session is an assistant's.
type session struct {
	client   http.Client
	id       string // "" until it has begun
	requests int    // numbered in their order
}

func newSession(ctx context.Context) (*session, error) {
	s := &session{client: http.Client{Transport: &http.Transport{}, Timeout: time.Minute}}
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
	text, err := s.message(method, params)
	if err != nil {
		return err
	}
	body, err := s.post(ctx, text)
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

// message is the text of a request, or of a notification, which has no params.
func (s *session) message(method string, params any) ([]byte, error) {
	message := map[string]any{"jsonrpc": "2.0", "method": method}
	if params != nil {
		s.requests++
		message["id"], message["params"] = s.requests, params
	}
	return json.Marshal(message)
}

// headers are those of every message of the session.
func (s *session) headers() map[string]string {
	list := map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
	if s.id != "" {
		list["Mcp-Session-Id"] = s.id
	}
	return list
}

// post sends a message and reads the body of its answer.
func (s *session) post(ctx context.Context, text []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+relaisListen+"/mcp", bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	for name, value := range s.headers() {
		req.Header.Set(name, value)
	}
	res, err := s.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if id := res.Header.Get("Mcp-Session-Id"); id != "" {
		s.id = id
	}
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode >= 300 {
		err = fmt.Errorf("%s: %s", res.Status, body)
	}
	return body, err
}
