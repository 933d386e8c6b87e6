package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"relais/api"
	"relais/api/view"
	"relais/mcp/tools"
)

// declared returns a tool as the protocol lists it. Its schemas are encoded: as maps they would
// be thousands of objects for the garbage collector.
func declared(t *tools.Tool) *sdk.Tool {
	openWorld, destructive := tools.ShowsUsers(t), false
	return &sdk.Tool{
		Name: t.Name, Title: t.Title, Description: t.Summary,
		InputSchema: encodeSchema(t.ToolSchema()), OutputSchema: encodeSchema(t.OutputSchema()),
		Annotations: &sdk.ToolAnnotations{
			Title: t.Title, ReadOnlyHint: !t.Writes, IdempotentHint: true,
			OpenWorldHint: &openWorld, DestructiveHint: &destructive,
		},
	}
}

func encodeSchema(schema any) json.RawMessage {
	text, err := view.JSON(schema)
	if err != nil {
		panic(err) // a schema has strings, numbers, lists and maps only
	}
	return text
}

// handler returns the SDK's handler of a tool. The error of a call is a result, which the
// assistant can read and act on.
func (s *Server) handler(t *tools.Tool) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (result *sdk.CallToolResult, err error) {
		defer func() {
			if v := recover(); v != nil {
				s.CountTool(t.Name, false)
				s.Log.Error("panic", "tool", t.Name, "panic", v, "stack", string(debug.Stack()))
				result, err = failed("an internal error; the server's log has it"), nil
			}
		}()
		text, err := s.call(ctx, t, req)
		s.CountTool(t.Name, err == nil)
		if err != nil {
			return failed(s.explain(t, err)), nil
		}
		return &sdk.CallToolResult{
			Content:           []sdk.Content{&sdk.TextContent{Text: string(text)}},
			StructuredContent: json.RawMessage(text),
		}, nil
	}
}

// call runs a tool and returns its answer as JSON.
func (s *Server) call(ctx context.Context, t *tools.Tool, req *sdk.CallToolRequest) ([]byte, error) {
	bound, err := t.BindJSON(req.Params.Arguments)
	if err != nil {
		return nil, err
	}
	reading := s.Reading()
	c, _ := ctx.Value(callerKey{}).(*caller)
	if c != nil {
		reading.Person = &c.Person
	} else if !s.All {
		reading.WithoutKey()
	}
	if t.SignedIn && (c == nil || !slices.Contains(c.Scopes, scopeOf(t))) {
		return nil, errSignIn
	}
	if err := reading.Usable(t); err != nil {
		return nil, err
	}
	if t.SignedIn && !t.Writes {
		freshen(ctx, reading)
	}
	answer, err := bound.Do(ctx, reading)
	if err != nil {
		return nil, err
	}
	return encode(answer)
}

// freshen has what the caller did just now, on any server. If that cannot be asked for, the caller
// gets what this server knows.
func freshen(ctx context.Context, r *tools.Reading) {
	var asking sync.WaitGroup
	asking.Go(func() { _ = r.People.Fresh(ctx) })
	if r.Submissions != nil {
		asking.Go(func() { _ = r.Submissions.Community.Fresh(ctx) })
	}
	asking.Wait()
}

// encode returns the answer as JSON of at most tools.MaxAnswer bytes, shortened if it can be.
func encode(answer any) ([]byte, error) {
	for {
		text, err := view.JSON(answer)
		if err != nil || len(text) <= tools.MaxAnswer {
			return text, err
		}
		if list, ok := answer.(tools.Shortener); !ok || !list.Shorten() {
			return nil, fmt.Errorf("the answer has %d bytes, over %d", len(text), tools.MaxAnswer)
		}
	}
}

// explain returns the message of an error for the assistant, and logs its cause.
func (s *Server) explain(t *tools.Tool, err error) string {
	if errors.Is(err, context.Canceled) {
		return "the call was cancelled"
	}
	message, cause := api.PublicMessage(err)
	if cause != nil {
		s.Log.Error("tool failed", "tool", t.Name, "error", cause)
	}
	return message
}

func failed(message string) *sdk.CallToolResult {
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: message}}}
}

var errSignIn = &api.Error{
	Status: 401, Code: "API_KEY_REQUIRED",
	Message: "the tool acts for a person: sign in with the scope that it needs",
}
