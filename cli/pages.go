package cli

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"path/filepath"

	"relais/admin"
	"relais/api"
	"relais/auth/access"
	"relais/httpapi"
	"relais/httpapi/web"
	"relais/httpapi/web/docs"
	"relais/internal/folder"
	"relais/mcp"
	"relais/mcp/tools"
)

// webFlags choose the pages that people see in a browser.
type webFlags struct {
	Map    string   `enum:"on,key,off" default:"on" help:"The map at /: on, key (what it reads needs a key) or off."`
	MapAll bool     `name:"map-all" help:"Show also registers that need their publisher's permission to be redistributed."`
	Embed  []string `placeholder:"ORIGIN,…" help:"Origins whose pages may show the map alone, /?ui=0, in a frame, such as https://town.example."`
	Pages  string   `enum:"on,off" default:"on" help:"Pages for people: on or off."`
	Open   bool     `help:"Open the start page in a browser."`
	baseFlags
}

// baseFlags choose the map that is drawn under the sites.
type baseFlags struct {
	Basemap  string `type:"path" placeholder:"FILE" help:"A PMTiles file with streets for the map; default: basemap.pmtiles of the folder (relais basemap)."`
	MapStyle string `name:"map-style" placeholder:"URL" help:"A map style to draw under the sites; browsers then read from its server."`
}

// pages checks the flags and sets the options of the pages that follow from them.
func (f *webFlags) pages(o *web.Options) error {
	if len(f.Embed) > 0 && f.mode() != httpapi.MapOpen {
		return usageError{errors.New("--embed needs the map, for everybody: --map on and --pages on")}
	}
	for _, text := range f.Embed {
		origin, err := secureOrigin(text)
		if err != nil {
			return usageError{fmt.Errorf("--embed: %w", err)}
		}
		o.Embed = append(o.Embed, origin)
	}
	return f.base(o)
}

// base checks the flags of what is drawn under the sites and sets their options.
func (f *webFlags) base(o *web.Options) (err error) {
	switch {
	case f.Basemap == "" && f.MapStyle == "":
		return nil
	case f.mode() == httpapi.MapOff:
		return usageError{errors.New("--basemap and --map-style need the map, which is off")}
	case f.Basemap != "" && f.MapStyle != "":
		return usageError{errors.New("--basemap and --map-style: give one of them")}
	case f.Basemap != "":
		if o.Basemap, err = web.OpenBasemap(f.Basemap); err != nil {
			return fmt.Errorf("--basemap: %w", err)
		}
		return nil
	}
	o.Style = f.MapStyle
	o.StyleOrigin, err = styleOrigin(f.MapStyle)
	return err
}

// styleOrigin returns the origin of a map style, which the pages' content security policy must allow.
func styleOrigin(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" {
		return "", usageError{fmt.Errorf("--map-style %.200q: want the address of a style, such as https://maps.example/style.json", text)}
	}
	origin, err := secureOrigin(u.Scheme + "://" + u.Host)
	if err != nil {
		return "", usageError{fmt.Errorf("--map-style: %w", err)}
	}
	return origin, nil
}

// secureOrigin reads an origin for a content security policy. Plain HTTP is refused except on this machine. So is an
// IPv6 address, which the policy cannot name.
func secureOrigin(text string) (string, error) {
	origin, err := access.ParseOrigin(text)
	if err != nil {
		return "", err
	}
	u, err := url.Parse(origin)
	if err != nil {
		return "", err
	}
	address, _ := netip.ParseAddr(u.Hostname())
	switch {
	case address.Is6():
		return "", fmt.Errorf("origin %.100q: want a name or an IPv4 address: browsers compare no others", text)
	case u.Scheme != "https" && u.Hostname() != "localhost" && !address.IsLoopback():
		return "", fmt.Errorf("origin %.100q: want https, except for a server on this machine", text)
	}
	return origin, nil
}

// mode returns who may read the data of the map.
func (f *webFlags) mode() httpapi.MapMode {
	if f.Pages == "off" {
		return httpapi.MapOff
	}
	return httpapi.MapMode(f.Map)
}

// errorDocs returns the function that gives the address of an error code's documentation, nil
// without pages.
func (f *webFlags) errorDocs(baseURL string) func(code string) string {
	if f.Pages == "off" {
		return nil
	}
	return func(code string) string { return docs.ErrorAddress(baseURL, code) }
}

// links returns the answer of / on a server without pages, nil with pages. tools reports whether there
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

// folderFor returns a function that tells the path of the data folder to a browser of the server's
// machine, and to nobody else: the path may have a person's name in it. A proxy on the machine that
// does not name its client is known by the host's name.
func folderFor(server *httpapi.Server, dir folder.Dir) func(*http.Request) string {
	path, err := filepath.Abs(string(dir))
	if err != nil {
		path = string(dir)
	}
	return func(r *http.Request) string {
		host := (&url.URL{Host: r.Host}).Hostname()
		address, _ := netip.ParseAddr(host)
		if (host == "localhost" || address.IsLoopback()) && server.FromMachine(r) {
			return path
		}
		return ""
	}
}

// mountPages adds the pages to the API's server. The documentation has these tools.
func (f *webFlags) mountPages(server *httpapi.Server, stores *admin.Stores, address func(*http.Request) netip.Addr,
	list []*tools.Tool) error {
	o := web.Options{Address: address, Log: server.Log, BaseURL: server.BaseURL, Map: f.mode() != httpapi.MapOff,
		Keyed: f.mode() == httpapi.MapKey, Folder: folderFor(server, stores.Dir),
		Updating: func() bool { return server.Updates != nil && server.Updates().Running },
		Reserve:  httpapi.Reserve, Turn: server.Turn}
	if err := f.pages(&o); err != nil || f.Pages == "off" {
		return err
	}
	if o.Basemap == nil && o.Style == "" {
		o.Basemap = web.FolderBasemap(stores.Dir.Basemap())
	}
	// People who look at pages have no key: they see what may be redistributed, unless the operator allows
	// more.
	o.Env = func() *api.Env {
		e := server.Env()
		if !f.MapAll {
			e.WithoutKey()
		}
		return e
	}
	documented := make([]docs.Tool, len(list))
	for i, t := range list {
		documented[i] = docs.Tool{Decl: t.Decl, Params: t.Params}
	}
	o.Docs = &docs.Docs{BaseURL: server.BaseURL, Tools: documented}
	pages := web.New(o)
	for _, route := range pages.Routes() {
		server.Mount(route.Path, route.Handler)
	}
	server.NotFound, server.Land = pages.NotFound(), pages.Land
	return mountPeople(server, pages, stores, address)
}
