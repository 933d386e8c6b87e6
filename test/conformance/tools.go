//lint:file-ignore SA1019 the suite still has scenarios for what newer versions of the protocol leave out

package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// fixtureSchema returns the input schema of a fixture tool. Two scenarios check schemas.
func fixtureSchema(name string) json.RawMessage {
	switch name {
	case "json_schema_2020_12_tool":
		return json.RawMessage(`{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
			"$defs": {"address": {"$anchor": "addressDef", "type": "object",
				"properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
			"properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"},
				"contactMethod": {"enum": ["phone", "email"]},
				"phone": {"type": "string"}, "email": {"type": "string"}},
			"allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
			"if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
			"then": {"required": ["phone"]}, "else": {"required": ["email"]},
			"additionalProperties": false}`)
	case "test_x_mcp_header":
		return json.RawMessage(
			`{"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}`)
	}
	return json.RawMessage(`{"type": "object"}`)
}

// fixtureTools returns the tools that do not ask the client.
func fixtureTools(server *sdk.Server) map[string]sdk.ToolHandler {
	return map[string]sdk.ToolHandler{
		"test_simple_text":   answers(text("This is a simple text response for testing.")),
		"test_image_content": answers(picture()),
		"test_audio_content": answers(&sdk.AudioContent{Data: silence(), MIMEType: "audio/wav"}),
		"test_embedded_resource": answers(embedded("test://embedded-resource",
			"This is an embedded resource content.")),
		"test_multiple_content_types": answers(text("Multiple content types test:"), picture(),
			embedded("test://mixed-content-resource", "test")),
		"json_schema_2020_12_tool":   answers(text("accepted")),
		"test_x_mcp_header":          answers(text("accepted")),
		"test_streaming_elicitation": answers(text("no question was asked")),
		"test_error_handling": func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{IsError: true,
				Content: []sdk.Content{text("This tool intentionally returns an error for testing")}}, nil
		},
		"test_tool_with_logging":   logs("Tool execution started", "Tool processing data", "Tool execution completed"),
		"test_logging_tool":        logs("Tool execution started"),
		"test_tool_with_progress":  progresses,
		"test_reconnection":        reconnects,
		"test_trigger_tool_change": changes(func() { server.AddTool(changing, answers()) }),
		"test_trigger_prompt_change": changes(func() {
			server.AddPrompt(&sdk.Prompt{Name: changing.Name, Description: changing.Description}, nil)
		}),
	}
}

// changing is a tool that is added to change the list.
var changing = &sdk.Tool{
	Name: "test_changing", Description: "Conformance: changes the list", InputSchema: fixtureSchema(""),
}

// answers returns a tool that answers with c.
func answers(c ...sdk.Content) sdk.ToolHandler {
	return func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: c}, nil
	}
}

func text(s string) *sdk.TextContent { return &sdk.TextContent{Text: s} }

func embedded(uri, s string) *sdk.EmbeddedResource {
	return &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: uri, MIMEType: "text/plain", Text: s}}
}

// picture returns one red pixel.
func picture() *sdk.ImageContent {
	dot := image.NewRGBA(image.Rect(0, 0, 1, 1))
	dot.Set(0, 0, color.RGBA{R: 255, A: 255})
	var b bytes.Buffer
	if err := png.Encode(&b, dot); err != nil {
		panic(err)
	}
	return &sdk.ImageContent{Data: b.Bytes(), MIMEType: "image/png"}
}

// silence returns one silent sample in a WAV file: 8000 a second, 16 bits, one channel.
func silence() []byte {
	b := append([]byte("RIFF"), 38, 0, 0, 0)
	b = append(append(b, "WAVEfmt "...), 16, 0, 0, 0, 1, 0, 1, 0)
	b = binary.LittleEndian.AppendUint32(b, 8000)
	b = binary.LittleEndian.AppendUint32(b, 16000)
	return append(append(append(b, 2, 0, 16, 0), "data"...), 2, 0, 0, 0, 0, 0)
}

// logs returns a tool that logs lines to its client.
func logs(lines ...string) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		for _, line := range lines {
			if err := req.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "info", Data: line}); err != nil {
				return nil, err
			}
			time.Sleep(50 * time.Millisecond)
		}
		return &sdk.CallToolResult{Content: []sdk.Content{text("Tool execution completed")}}, nil
	}
}

// progresses is a tool that reports its progress.
func progresses(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	token := req.Params.GetProgressToken()
	for _, done := range []float64{0, 50, 100} {
		err := req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
			ProgressToken: token, Progress: done, Total: 100,
			Message: fmt.Sprintf("Completed step %.0f of 100", done),
		})
		if err != nil {
			return nil, err
		}
		time.Sleep(50 * time.Millisecond)
	}
	return &sdk.CallToolResult{Content: []sdk.Content{text(fmt.Sprint(token))}}, nil
}

// reconnects is a tool that ends the stream during the call. The client gets the answer when
// it reconnects (SEP-1699).
func reconnects(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if req.Extra != nil && req.Extra.CloseSSEStream != nil {
		req.Extra.CloseSSEStream(sdk.CloseSSEStreamArgs{RetryAfter: 10 * time.Millisecond})
	}
	time.Sleep(100 * time.Millisecond)
	return &sdk.CallToolResult{Content: []sdk.Content{text("Reconnection test completed successfully")}}, nil
}

// changes returns a tool that calls change.
func changes(change func()) sdk.ToolHandler {
	return func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		change()
		return &sdk.CallToolResult{Content: []sdk.Content{text("changed")}}, nil
	}
}

func addResources(server *sdk.Server) {
	add := func(uri, mime string, c sdk.ResourceContents) {
		c.URI, c.MIMEType = uri, mime
		read := func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{&c}}, nil
		}
		server.AddResource(&sdk.Resource{URI: uri, Name: uri, Description: "Conformance", MIMEType: mime}, read)
	}
	add("test://static-text", "text/plain",
		sdk.ResourceContents{Text: "This is the content of the static text resource."})
	add("test://static-binary", "image/png", sdk.ResourceContents{Blob: picture().Data})
	add("test://watched-resource", "text/plain", sdk.ResourceContents{Text: "Watched resource content"})
	const mime = "application/json"
	template := &sdk.ResourceTemplate{
		URITemplate: "test://template/{id}/data", Name: "template", Description: "Conformance", MIMEType: mime,
	}
	read := func(_ context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		id := strings.TrimSuffix(strings.TrimPrefix(req.Params.URI, "test://template/"), "/data")
		body := fmt.Sprintf(`{"id":%q,"templateTest":true,"data":%q}`, id, "Data for ID: "+id)
		contents := &sdk.ResourceContents{URI: req.Params.URI, MIMEType: mime, Text: body}
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{contents}}, nil
	}
	server.AddResourceTemplate(template, read)
}
