package cli

import (
	"errors"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"relais/admin"
	"relais/auth/access"
	"relais/auth/oauth"
	"relais/httpapi"
	"relais/mcp"
	"relais/mcp/tools"
)

// mcpFlags say how assistants reach the tool server.
type mcpFlags struct {
	MCP       string   `name:"mcp" enum:"on,auth,off" default:"on" help:"Tools for assistants: on, auth (all need a credential) or off."`
	MCPHost   []string `name:"mcp-host" placeholder:"HOST" help:"Host names of the tool server in addition to that of --base-url."`
	MCPMinute int      `name:"mcp-minute" default:"60" placeholder:"N" help:"Tool calls a minute for an address or a person (${default})."`
}

// noPeople answers in place of the sign-in pages when the file of the accounts cannot be used.
func noPeople(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Retry-After", "60")
	http.Error(w, "nobody can sign in at the moment: this server cannot read its accounts; its operator finds the "+
		"cause in its log, or with relais check", http.StatusServiceUnavailable)
}

// mount adds the tool server, the pages and the sign-in to the API's server.
func (c *serveCommand) mount(server *httpapi.Server, stores *admin.Stores) error {
	address := func(r *http.Request) netip.Addr {
		return server.Proxies.Client(r.RemoteAddr, r.Header["X-Forwarded-For"])
	}
	if c.MCP == "off" {
		return c.mountPages(server, stores, address, nil)
	}
	if err := c.mountPages(server, stores, address, tools.All()); err != nil {
		return err
	}
	// Refresh tokens are derived from the sealing key. Without its file, UseKey takes a random one, and
	// the tokens end with this process.
	if err := stores.Clients.CanSeal(); err != nil && !errors.Is(err, access.ErrReadOnly) {
		server.Log.Warn("preparing the key of refresh tokens failed: a program that refreshes its token twice around a "+
			"restart must sign in again", "error", err)
	}
	stores.Accounts.UseKey(stores.Key("refresh tokens"))
	signIn, err := oauth.New(oauth.Options{Accounts: stores.Accounts, BaseURL: server.BaseURL, Now: time.Now,
		Address: address, Log: server.Log, Key: stores.Key("forms"), Registrations: stores.Tally()})
	if err != nil {
		return err
	}
	for _, route := range signIn.Routes() {
		// The metadata of OAuth need no accounts, and tell programs where to sign in later.
		if stores.Broken(admin.UsersFile) && strings.HasPrefix(route.Path, "/oauth/") {
			route.Handler = http.HandlerFunc(noPeople)
		}
		server.Mount(route.Path, route.Handler)
	}
	submissions := tools.NewSubmissionStores(stores.Community, stores.Tally())
	assistants := mcp.New(mcp.Options{
		// A new one for each call: its Env has the data and the time of this moment.
		Reading: func() *tools.Reading {
			return &tools.Reading{Env: server.Env(), People: stores.Accounts, Submissions: submissions}
		},
		Address: address, BaseURL: server.BaseURL, PublicPrefix: server.PublicPrefix, Hosts: c.MCPHost,
		Minute: c.MCPMinute, RequireAuth: c.MCP == "auth",
		Gate: server.Gate, Accounts: stores.Accounts, Resource: signIn.Resource(), Metadata: signIn.ResourceMetadataURL(),
		NoteClient: httpapi.NoteClient, NoteTools: httpapi.NoteTools, CountTool: server.CountTool,
		Failed: server.Failed, All: c.MapAll,
		Version: server.Version, Log: server.Log,
	})
	server.Mount(mcp.Path, assistants)
	server.Mount(mcp.Path+"/", assistants) // as some programs complete the address
	return nil
}
