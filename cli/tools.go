package cli

import (
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"relais/access"
	"relais/httpapi"
	"relais/mcp"
	"relais/tools"
	"relais/view"
	"relais/web"
)

// mcpFlags say how assistants reach the tool server.
type mcpFlags struct {
	MCP       string   `name:"mcp" enum:"on,auth,off" default:"on" help:"The tool server for assistants at /mcp: on, auth (every tool needs a credential) or off."`
	MCPHost   []string `name:"mcp-host" placeholder:"HOST" help:"Host names, besides that of --base-url, under which assistants and their pages reach it."`
	MCPMinute int      `name:"mcp-minute" default:"60" help:"Tool calls that an address, or a person, has in a minute (${default})."`
}

// mount has the tool server and the pages answered by the API's server.
func (c *serveCommand) mount(api *httpapi.Server, base string, proxies access.Proxies, log *slog.Logger) {
	address := func(r *http.Request) netip.Addr { return proxies.Client(r.RemoteAddr, r.Header["X-Forwarded-For"]) }
	api.Mount(view.SitePagePath+"{key}", web.New(api.Reading, address, log))
	if c.MCP == "off" {
		return
	}
	api.Mount(mcp.Path, mcp.New(mcp.Options{
		Reading: func(time.Time) *tools.Reading { return &tools.Reading{Reading: api.Reading()} },
		Address: address, BaseURL: base, Hosts: c.MCPHost, Minute: c.MCPMinute, Version: version(), Log: log, RequireAuth: c.MCP == "auth",
		Caller: func(*http.Request, string, []byte) (*mcp.Caller, error) { return nil, mcp.ErrCredential },
	}))
}
