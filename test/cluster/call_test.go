//go:build linux

package cluster

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"reflect"
	"strings"

	"relais/admin"
)

// An outcome is what the caller of a write knows.
type outcome int

const (
	answered outcome = iota // done, or refused for a reason that is in the answer
	notDone                 // 503, or nobody was reached
	unknown                 // anything else: it may have been done, or still be
)

func (o outcome) String() string { return [...]string{"answered", "not done", "unknown"}[o] }

// An answer was read to its end.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (a answer) String() string { return fmt.Sprintf("%d %.300s", a.status, a.body) }

type object = map[string]any

// object is the JSON object of the body, nil when that is something else.
func (a answer) object() (o object) {
	_ = json.Unmarshal(a.body, &o)
	return o
}

// call sends a request and reads the answer.
func call(from *http.Client, method, address string, body []byte, headers ...string) (a answer, o outcome, err error) {
	r, err := http.NewRequest(method, address, bytes.NewReader(body))
	if err != nil {
		return a, notDone, err
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	got, err := from.Do(r)
	if err != nil {
		if e, ok := errors.AsType[*net.OpError](err); ok && e.Op == "dial" {
			return a, notDone, err
		}
		return a, unknown, err
	}
	defer got.Body.Close()
	a = answer{status: got.StatusCode, header: got.Header}
	if a.body, err = io.ReadAll(got.Body); err != nil {
		return a, unknown, err
	}
	switch {
	case a.status == http.StatusServiceUnavailable, a.status == http.StatusTooManyRequests:
		return a, notDone, fmt.Errorf("%s %s: %s", method, address, a)
	case a.status >= 500:
		return a, unknown, fmt.Errorf("%s %s: %s", method, address, a)
	}
	return a, answered, nil
}

// post is call for a write that a key may do, with a body of a type.
func post(from *http.Client, address, key, kind string, body []byte) (answer, outcome, error) {
	headers := []string{"Content-Type", kind}
	if key != "" {
		headers = append(headers, "Authorization", "Bearer "+key)
	}
	return call(from, http.MethodPost, address, body, headers...)
}

// postForm is post for a form of OAuth.
func postForm(from *http.Client, address string, form url.Values, headers ...string) (answer, outcome, error) {
	return call(from, http.MethodPost, address, []byte(form.Encode()),
		append([]string{"Content-Type", "application/x-www-form-urlencoded"}, headers...)...)
}

// command has the node's server run a command, as the command line does.
func (n *node) command(c admin.Command, v any) (outcome, error) {
	body, err := json.Marshal(c)
	if err != nil {
		return notDone, err
	}
	a, o, err := call(n.admin, http.MethodPost, "http://admin/"+reflect.TypeOf(c).Name(), body)
	if err != nil {
		return o, err
	}
	if a.status == http.StatusOK {
		return answered, json.Unmarshal(a.body, v)
	}
	text := strings.TrimSpace(string(a.body))
	switch {
	case strings.Contains(text, "did not say whether"):
		o = unknown
	case strings.Contains(text, "cannot be reached"), strings.Contains(text, "is behind"), strings.Contains(text, "busy"):
		o = notDone
	}
	return o, errors.New(text)
}

// explained adds to the error of a command what it printed.
func explained(err error) error {
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		return fmt.Errorf("%w: %s", err, e.Stderr)
	}
	return err
}

// tool calls a tool and reads its answer into v.
func tool(from *http.Client, base, key, name string, arguments object, v any) (outcome, error) {
	params := object{"name": name, "arguments": arguments, "_meta": object{
		"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": object{}}}
	body, err := json.Marshal(object{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
	if err != nil {
		return notDone, err
	}
	a, o, err := call(from, http.MethodPost, base+"/mcp", body, "Content-Type", "application/json", "Accept",
		"application/json, text/event-stream", "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name",
		name, "Authorization", "Bearer "+key)
	if err != nil {
		return o, err
	}
	_, event, _ := strings.Cut(string(a.body), "data: ")
	var message struct {
		Result struct {
			IsError           bool
			StructuredContent json.RawMessage
			Content           []struct{ Text string }
		}
		Error any
	}
	if err := json.NewDecoder(strings.NewReader(event)).Decode(&message); err != nil || message.Error != nil {
		return unknown, fmt.Errorf("%s: %s", name, a)
	}
	if message.Result.IsError || message.Result.StructuredContent == nil {
		return unknown, fmt.Errorf("%s: %v", name, message.Result.Content)
	}
	return answered, json.Unmarshal(message.Result.StructuredContent, v)
}
