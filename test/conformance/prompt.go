package main

import (
	"context"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// addPrompts adds the prompts of the suite's scenarios.
func addPrompts(server *sdk.Server) {
	add := func(name string, make func(args map[string]string) []sdk.Content, args ...string) {
		p := &sdk.Prompt{Name: name, Description: "Conformance: " + name}
		for _, arg := range args {
			p.Arguments = append(p.Arguments,
				&sdk.PromptArgument{Name: arg, Description: "Conformance", Required: true})
		}
		server.AddPrompt(p, func(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			return userMessages(make(req.Params.Arguments)...), nil
		})
	}
	add("test_simple_prompt", func(map[string]string) []sdk.Content {
		return []sdk.Content{text("This is a simple prompt for testing.")}
	})
	add("test_prompt_with_arguments", func(args map[string]string) []sdk.Content {
		return []sdk.Content{text(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", args["arg1"],
			args["arg2"]))}
	}, "arg1", "arg2")
	add("test_prompt_with_embedded_resource", func(args map[string]string) []sdk.Content {
		return []sdk.Content{
			embedded(args["resourceUri"], "Embedded resource content for testing."),
			text("Please process the embedded resource above."),
		}
	}, "resourceUri")
	add("test_prompt_with_image", func(map[string]string) []sdk.Content {
		return []sdk.Content{picture(), text("Please analyze the image above.")}
	})
	asking := &sdk.Prompt{Name: "test_input_required_result_prompt", Description: "Conformance: asks for context"}
	question := elicit("Please provide context for the prompt", `"context":{"type":"string"}`, "context")
	server.AddPrompt(asking, func(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		if !answered(req.Params.InputResponses["user_context"]) {
			return &sdk.GetPromptResult{InputRequests: singleInput("user_context", question)}, nil
		}
		return userMessages(text("Context was given.")), nil
	})
}

// userMessages returns a prompt of messages of the user.
func userMessages(content ...sdk.Content) *sdk.GetPromptResult {
	r := &sdk.GetPromptResult{Description: "Conformance"}
	for _, c := range content {
		r.Messages = append(r.Messages, &sdk.PromptMessage{Role: "user", Content: c})
	}
	return r
}
