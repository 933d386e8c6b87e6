//lint:file-ignore SA1019 the suite still has scenarios for what newer versions of the protocol leave out

package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// questionTools ask the client and answer with its answers. The SDK asks as the version of the
// protocol says: in a request of its own, or in a result that the client completes (SEP-2322).
var questionTools = map[string]sdk.ToolHandler{
	"test_sampling": asks("", func(args map[string]string) sdk.InputRequestMap {
		return singleInput("sampled", sample(args["prompt"]))
	}),
	"test_elicitation": asks("", func(args map[string]string) sdk.InputRequestMap {
		return singleInput("user", elicit(args["message"], `"username":{"type":"string"}`, "username"))
	}),
	"test_elicitation_sep1034_defaults": asksFor("", singleInput("defaults", elicit("Defaults", `
		"name":{"type":"string","default":"John Doe"},
		"age":{"type":"integer","default":30}, "score":{"type":"number","default":95.5},
		"verified":{"type":"boolean","default":true},
		"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"}`))),
	"test_elicitation_sep1330_enums": asksFor("", singleInput("enums", elicit("Enumerations", `
		"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
		"titledSingle":{"type":"string",
			"oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"}]},
		"legacyEnum":{"type":"string","enum":["opt1","opt2"],"enumNames":["Option One","Option Two"]},
		"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},
		"titledMulti":{"type":"array",
			"items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"}]}}`))),
	"test_input_required_result_elicitation": asksFor("", singleInput("user_name", askName)),
	"test_input_required_result_sampling": asksFor("",
		singleInput("capital_question", sample("What is the capital of France?"))),
	"test_input_required_result_list_roots":      asksFor("", singleInput("client_roots", &sdk.ListRootsParams{})),
	"test_input_required_result_request_state":   asksFor("state", singleInput("confirm", askLeave)),
	"test_input_required_result_tampered_state":  asksFor("state", singleInput("confirm", askLeave)),
	"test_input_required_result_multiple_inputs": asksFor("state", askAll),
	"test_input_required_result_capabilities":    asksWithin(askAll),
	"test_input_required_result_multi_round":     asksTwice,
	"test_missing_capability":                    needsSampling,
}

var (
	askName  = elicit("What is your name?", `"name":{"type":"string"}`, "name")
	askLeave = elicit("Please confirm", `"ok":{"type":"boolean"}`, "ok")
	askColor = elicit("What is your favorite color?", `"color":{"type":"string"}`, "color")
	askAll   = sdk.InputRequestMap{
		"user_name": askName, "greeting": sample("Generate a greeting"), "client_roots": &sdk.ListRootsParams{},
	}
)

func singleInput(key string, q sdk.InputRequest) sdk.InputRequestMap {
	return sdk.InputRequestMap{key: q}
}

func sample(prompt string) *sdk.CreateMessageParams {
	message := &sdk.SamplingMessage{Role: "user", Content: text(prompt)}
	return &sdk.CreateMessageParams{MaxTokens: 100, Messages: []*sdk.SamplingMessage{message}}
}

// elicit returns a question for an object with the properties.
func elicit(message, properties string, required ...string) *sdk.ElicitParams {
	names, _ := json.Marshal(append([]string{}, required...))
	schema := fmt.Sprintf(`{"type":"object","properties":{%s},"required":%s}`, properties, names)
	return &sdk.ElicitParams{Message: message, RequestedSchema: json.RawMessage(schema)}
}

func asksFor(state string, questions sdk.InputRequestMap) sdk.ToolHandler {
	return asks(state, func(map[string]string) sdk.InputRequestMap { return questions })
}

// asks returns a tool that asks until all questions are answered. The client must send back
// state unchanged.
func asks(state string, questions func(args map[string]string) sdk.InputRequestMap) sdk.ToolHandler {
	return func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		var args map[string]string
		if len(req.Params.Arguments) > 0 {
			if err := json.Unmarshal(req.Params.Arguments, &args); err != nil {
				return nil, err
			}
		}
		p := req.Params
		if len(p.InputResponses) > 0 && p.RequestState != state {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams,
				Message: "requestState is not the one that was sent"}
		}
		open := questions(args)
		for key := range open {
			if !answered(p.InputResponses[key]) {
				return &sdk.CallToolResult{InputRequests: open, RequestState: state}, nil
			}
		}
		said, err := json.Marshal(p.InputResponses)
		return &sdk.CallToolResult{Content: []sdk.Content{text("state-ok, the client answered: " + string(said))}}, err
	}
}

// answered reports whether a question is answered. A refusal is an answer, an empty form is not.
func answered(response sdk.InputResponse) bool {
	e, ok := response.(*sdk.ElicitResult)
	return response != nil && (!ok || e.Action != "accept" || len(e.Content) > 0)
}

// asksWithin returns a tool that asks only the questions that the client's capabilities allow.
func asksWithin(all sdk.InputRequestMap) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		can, questions := req.ClientCapabilities(), sdk.InputRequestMap{}
		for key, q := range all {
			switch q.(type) {
			case *sdk.ElicitParams:
				if can == nil || can.Elicitation == nil {
					continue
				}
			case *sdk.CreateMessageParams:
				if can == nil || can.Sampling == nil {
					continue
				}
			case *sdk.ListRootsParams:
				if can == nil || can.RootsV2 == nil {
					continue
				}
			}
			questions[key] = q
		}
		return asksFor("", questions)(ctx, req)
	}
}

// asksTwice is a tool that asks a second question once the first is answered.
func asksTwice(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if req.Params.RequestState == "" {
		return asksFor("1", singleInput("step1", askName))(ctx, req)
	}
	if req.Params.RequestState == "1" && answered(req.Params.InputResponses["step1"]) {
		return &sdk.CallToolResult{InputRequests: singleInput("step2", askColor), RequestState: "2"}, nil
	}
	return asksFor("2", singleInput("step2", askColor))(ctx, req)
}

// needsSampling is a tool that refuses clients without sampling.
func needsSampling(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if can := req.ClientCapabilities(); can != nil && can.Sampling != nil {
		return &sdk.CallToolResult{Content: []sdk.Content{text("accepted")}}, nil
	}
	data, err := json.Marshal(sdk.MissingRequiredClientCapabilityData{
		RequiredCapabilities: &sdk.ClientCapabilities{Sampling: &sdk.SamplingCapabilities{}},
	})
	if err != nil {
		return nil, err
	}
	return nil, &jsonrpc.Error{
		Code: sdk.CodeMissingRequiredClientCapabilities, Message: "the tool needs a client with sampling", Data: data,
	}
}
