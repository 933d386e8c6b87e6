package mcp

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"relais/mcp/tools"
)

// essential chooses tools.Essential.
const essential = "essential"

// chosenKey is the context key of the names of the tools that an address chooses.
type chosenKey struct{}

// chosen returns the names of the tools that the address of a request chooses, as in /mcp?tools=essential or
// /mcp?tools=sites_get,sites_search. nil is all of them.
func (s *Server) chosen(r *http.Request) (names map[string]bool, err error) {
	choose := func(list ...string) {
		if names == nil {
			names = map[string]bool{}
		}
		for _, name := range list {
			names[name] = true
		}
	}
	for _, name := range strings.Split(strings.Join(r.URL.Query()["tools"], ","), ",") {
		switch name = strings.TrimSpace(name); {
		case name == "":
		case name == essential:
			choose(tools.Essential...)
		case s.byName[name] == nil:
			return nil, fmt.Errorf("tools: %.60q is not a tool: want %s, or names of tools such as %s", name, essential,
				strings.Join(tools.Essential[:3], ","))
		default:
			choose(name)
		}
	}
	return names, nil
}

// listChosen is a middleware that lists only the tools that the address chooses. The others can still be called.
func listChosen(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		result, err := next(ctx, method, req)
		names, _ := ctx.Value(chosenKey{}).(map[string]bool)
		if all, ok := result.(*sdk.ListToolsResult); ok && err == nil && names != nil {
			some := *all
			some.Tools = slices.DeleteFunc(slices.Clone(all.Tools), func(t *sdk.Tool) bool { return !names[t.Name] })
			result = &some
		}
		return result, err
	}
}
