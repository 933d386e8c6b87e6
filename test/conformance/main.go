//lint:file-ignore SA1019 the suite still has scenarios for what newer versions of the protocol leave out

// Command conformance serves the tools, resources and prompts that the scenarios of the official conformance suite
// call (npm @modelcontextprotocol/conformance), behind the tool server of relais. The suite defines their names and
// contents. make conformance runs it.
package main

import (
	"context"
	"log"
	"log/slog"
	"net/http"
	"net/netip"
	"os"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"relais/mcp"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: conformance ADDRESS")
	}
	address := func(r *http.Request) netip.Addr { return netip.IPv6Loopback() }
	log.Fatal(http.ListenAndServe(os.Args[1], mcp.New(mcp.Options{Stream: newStream(), Address: address,
		BaseURL: "http://" + os.Args[1], Minute: 1e6, Log: slog.Default()})))
}

// statelessVersion is the first version of the protocol without sessions.
const statelessVersion = "2026-07-28"

// newStream has sessions for older versions of the protocol: the tools of the suite ask their client.
func newStream() http.Handler {
	server := newServer()
	find := func(*http.Request) *sdk.Server { return server }
	stateless := sdk.NewStreamableHTTPHandler(find, &sdk.StreamableHTTPOptions{Stateless: true})
	stateful := sdk.NewStreamableHTTPHandler(find, &sdk.StreamableHTTPOptions{EventStore: sdk.NewMemoryEventStore(nil)})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Time{})
		if r.Header.Get("Mcp-Protocol-Version") >= statelessVersion {
			stateless.ServeHTTP(w, r)
			return
		}
		stateful.ServeHTTP(w, r)
	})
}

func newServer() *sdk.Server {
	server := sdk.NewServer(&sdk.Implementation{Name: "conformance", Version: "1"}, &sdk.ServerOptions{
		Capabilities: &sdk.ServerCapabilities{Logging: &sdk.LoggingCapabilities{},
			Tools: &sdk.ToolCapabilities{ListChanged: true}},
		SubscribeHandler:   func(context.Context, *sdk.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *sdk.UnsubscribeRequest) error { return nil },
		CompletionHandler: func(context.Context, *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
			return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: []string{}}}, nil
		},
	})
	for name, h := range fixtureTools(server) {
		server.AddTool(&sdk.Tool{Name: name, Description: "Conformance: " + name, InputSchema: fixtureSchema(name)}, h)
	}
	for name, h := range questionTools {
		server.AddTool(&sdk.Tool{Name: name, Description: "Conformance: " + name, InputSchema: fixtureSchema(name)}, h)
	}
	addResources(server)
	addPrompts(server)
	return server
}
