package cli

import (
	"net/http"
	"net/netip"

	"relais/api"
	"relais/httpapi"
	"relais/httpapi/web"
	"relais/httpapi/web/docs"
	"relais/mcp"
	"relais/mcp/tools"
)

// webFlags are what people see in a browser.
type webFlags struct {
	Map    string `enum:"on,key,off" default:"on" help:"The map at /: on, key (what it reads needs a key) or off."`
	MapAll bool   `name:"map-all" help:"Show pages and the map also rows of registers that may not be redistributed without their publisher's permission."`
	Pages  string `enum:"on,off" default:"on" help:"Pages for people: on or off."`
	Open   bool   `help:"Open the start page in a browser."`
}

// mode returns who may read what the map reads.
func (f *webFlags) mode() httpapi.MapMode {
	if f.Pages == "off" {
		return httpapi.MapOff
	}
	return httpapi.MapMode(f.Map)
}

// errorDocs returns what gives the address of the documentation of an error code, nil without
// pages.
func (f *webFlags) errorDocs(baseURL string) func(code string) string {
	if f.Pages == "off" {
		return nil
	}
	return func(code string) string { return docs.ErrorAddress(baseURL, code) }
}

// links returns what / answers of a server without pages, nil with pages. tools reports whether there
// is a tool server.
func (f *webFlags) links(baseURL string, tools bool) map[string]string {
	if f.Pages != "off" {
		return nil
	}
	list := map[string]string{"api": baseURL + "/external/v1", "openapi": baseURL + "/openapi.json"}
	if tools {
		list["tools"] = baseURL + mcp.Path
	}
	return list
}

// mountPages adds the pages to the API's server. The documentation has these tools.
func (f *webFlags) mountPages(server *httpapi.Server, address func(*http.Request) netip.Addr, list []*tools.Tool) {
	if f.Pages == "off" {
		return
	}
	env := func() *api.Env {
		e := server.Env()
		e.Keyless = !f.MapAll
		return e
	}
	documented := make([]docs.Tool, len(list))
	for i, t := range list {
		documented[i] = docs.Tool{Decl: t.Decl, Params: t.Params}
	}
	pages := web.New(web.Options{Env: env, Address: address, Log: server.Log, Map: f.mode() != httpapi.MapOff,
		Keyed: f.mode() == httpapi.MapKey, Docs: docs.New(server.BaseURL, documented)})
	for _, route := range pages.Routes() {
		server.Mount(route.Path, route.Handler)
	}
	server.NotFound = pages.NotFound()
}
