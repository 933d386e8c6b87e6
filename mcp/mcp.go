// Package mcp is the tool server for assistants: the tools of the package tools over
// the Model Context Protocol's streamable HTTP transport. It decides who may call what
// and how often; what a tool answers is not its business.
package mcp

import (
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"relais/access"
	"relais/tools"
)

// Path is where the tool server is.
const Path = "/mcp"

// Bounds of what clients may ask for.
const (
	maxBody     = 256 << 10 // bytes of a message
	sessionTime = 10 * time.Minute
	maxSessions = 2000
	// DefaultMinute is how many tool calls an address, or a person, has in a minute.
	DefaultMinute = 60
	// messages are how many other messages there are to a tool call.
	messages = 10
)

// Options say what the tool server works with.
type Options struct {
	Reading func(now time.Time) *tools.Reading
	// Address is the client's, behind proxies as well.
	Address func(*http.Request) netip.Addr
	BaseURL string   // origin and prefix under which clients reach the service
	Hosts   []string // that it is reached under besides, with a port or for any
	Minute  int      // tool calls of an address, or a person, in a minute; 0: DefaultMinute
	Version string
	Log     *slog.Logger
}

// A Server is the tool server. It is an http.Handler for Path.
type Server struct {
	Options
	guard    *guard
	calls    *access.Failures // tool calls by address
	messages *access.Failures // other messages by address
	server   *sdk.Server
	stream   http.Handler
}

const instructions = "Public data on mobile-network antenna sites. Begin with capabilities_guide. Name the source that each answer states."

// New makes a tool server.
func New(o Options) *Server {
	if o.Minute == 0 {
		o.Minute = DefaultMinute
	}
	s := &Server{Options: o, guard: newGuard(o.BaseURL, o.Hosts), calls: access.NewFailures(), messages: access.NewFailures()}
	s.server = sdk.NewServer(&sdk.Implementation{Name: "relais", Title: "relais", Version: o.Version, WebsiteURL: o.BaseURL}, &sdk.ServerOptions{
		Instructions: instructions, Logger: quiet(o.Log), PageSize: 100, Capabilities: &sdk.ServerCapabilities{Logging: &sdk.LoggingCapabilities{}},
	})
	for _, t := range tools.All() {
		s.server.AddTool(declared(t), s.handler(t))
	}
	s.stream = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.server }, &sdk.StreamableHTTPOptions{
		Logger: quiet(o.Log), SessionTimeout: sessionTime, MaxRequestBodyBytes: maxBody, PropagateRequestCancellation: true,
		DisableLocalhostProtection: s.guard.stated, // the guard knows the hosts then
	})
	return s
}

// quiet keeps what the library tells of every session out of the log.
func quiet(log *slog.Logger) *slog.Logger {
	return slog.New(warnings{log.Handler()})
}
