package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"relais/ops"
	"relais/tools"
	"relais/view"
)

// declared is a tool as the protocol lists it. Its schemas are texts: as maps they would be
// thousands of objects that the garbage collector looks at again and again.
func declared(t *tools.Tool) *sdk.Tool {
	open, additive := tools.ShowsUsers(t), false
	return &sdk.Tool{
		Name: t.Name, Title: t.Title, Description: t.Summary, InputSchema: schemaText(t.InputSchema()), OutputSchema: schemaText(t.OutputSchema()),
		Annotations: &sdk.ToolAnnotations{Title: t.Title, ReadOnlyHint: !t.Writes, IdempotentHint: true, OpenWorldHint: &open, DestructiveHint: &additive},
	}
}

func schemaText(schema any) json.RawMessage {
	text, err := view.JSON(schema)
	if err != nil {
		panic(err) // a schema is texts, numbers, lists and maps
	}
	return text
}

// handler answers calls of a tool. What is wrong with a call is an answer that the
// assistant reads, and can act on.
func (s *Server) handler(t *tools.Tool) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (result *sdk.CallToolResult, err error) {
		defer func() {
			if v := recover(); v != nil {
				s.Log.Error("panic", "tool", t.Name, "panic", v, "stack", string(debug.Stack()))
				result, err = failed("an internal error; the server's log has it"), nil
			}
		}()
		text, err := s.call(ctx, t, req)
		if err != nil {
			return failed(s.explain(t, err)), nil
		}
		return &sdk.CallToolResult{
			Content:           []sdk.Content{&sdk.TextContent{Text: string(text)}},
			StructuredContent: json.RawMessage(text),
		}, nil
	}
}

// call runs a tool and encodes its answer.
func (s *Server) call(ctx context.Context, t *tools.Tool, req *sdk.CallToolRequest) ([]byte, error) {
	bound, err := t.BindJSON(req.Params.Arguments)
	if err != nil {
		return nil, err
	}
	reading := s.Reading()
	c := callerOf(req)
	if c != nil {
		reading.Person = &c.Person
	}
	if t.SignedIn && (c == nil || !slices.Contains(c.Scopes, scopeOf(t))) {
		return nil, errSignIn
	}
	if err := reading.Usable(t); err != nil {
		return nil, err
	}
	answer, err := bound.Do(ctx, reading)
	if err != nil {
		return nil, err
	}
	if t.Writes {
		s.Received()
	}
	return encode(answer)
}

// encode returns the answer as JSON, made shorter until it is short enough.
func encode(answer any) ([]byte, error) {
	for {
		text, err := view.JSON(answer)
		if err != nil || len(text) <= tools.MaxAnswer {
			return text, err
		}
		if list, ok := answer.(tools.Shortener); !ok || !list.Shorten() {
			return nil, fmt.Errorf("an answer of %d bytes", len(text))
		}
	}
}

func (s *Server) explain(t *tools.Tool, err error) string {
	if errors.Is(err, context.Canceled) {
		return "the call was cancelled"
	}
	message, cause := ops.Message(err)
	if cause != nil {
		s.Log.Error("tool failed", "tool", t.Name, "error", cause)
	}
	return message
}

func failed(message string) *sdk.CallToolResult {
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: message}}}
}

// warnings passes on warnings and errors only, at the level of what happens.
type warnings struct{ slog.Handler }

// Enabled implements slog.Handler.
func (w warnings) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && w.Handler.Enabled(ctx, slog.LevelInfo)
}

// Handle implements slog.Handler.
func (w warnings) Handle(ctx context.Context, r slog.Record) error {
	r.Level = slog.LevelInfo
	return w.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (w warnings) WithAttrs(attrs []slog.Attr) slog.Handler {
	return warnings{w.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (w warnings) WithGroup(name string) slog.Handler { return warnings{w.Handler.WithGroup(name)} }

// callerOf is who calls, nil for nobody known.
func callerOf(req *sdk.CallToolRequest) *Caller {
	if req.Extra == nil || req.Extra.TokenInfo == nil {
		return nil
	}
	c, _ := req.Extra.TokenInfo.Extra["caller"].(*Caller)
	return c
}

var errSignIn = &ops.Error{Status: 401, Code: "API_KEY_REQUIRED", Message: "sign in, with the scope that the tool needs: it acts for a person"}
