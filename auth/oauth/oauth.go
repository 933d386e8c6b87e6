// Package oauth implements the part of OAuth 2.1 that programs of people need: authorization code with
// PKCE (S256), refresh tokens, dynamic registration (RFC 7591), revocation (RFC 7009), and metadata
// (RFC 8414, RFC 9728), for one resource. Package account stores people and grants; the resource
// checks the tokens.
package oauth

import (
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"relais/auth/account"
	"relais/internal/admit"
)

// resourcePath is the path of the resource below the base URL.
const resourcePath = "/mcp"

// Options say how to serve.
type Options struct {
	Accounts *account.Store
	// BaseURL is the issuer: origin and prefix of the service. Paths of Routes are below it,
	// without the prefix that a proxy removes.
	BaseURL string
	Now     func() time.Time
	// Address returns the address of the caller, also behind proxies.
	Address func(*http.Request) netip.Addr
	Log     *slog.Logger
	// Registrations count the clients that are registered, for several servers; nil: for this one.
	Registrations admit.Tally
	// Key seals the forms. Servers with the same key accept each other's. nil: a random one.
	Key []byte
}

// A Handler serves OAuth.
type Handler struct {
	Options
	base     *url.URL
	resource string
	key      []byte // seals the forms
	routes   []Route
	// Registered clients are counted by address, network and provider. Redeemed and revoked tokens are
	// counted by owner, or by address if the owner is unknown.
	registrations *admit.SharedRate
	tokens        *admit.Rate
}

// A Route is a path and its handler, which serves every method, or answers 405.
type Route struct {
	Path    string
	Handler http.Handler
}

const (
	wellKnownServer   = "/.well-known/oauth-authorization-server"
	wellKnownResource = "/.well-known/oauth-protected-resource"
	authorizePath     = "/oauth/authorize"
	tokenPath         = "/oauth/token"
	revokePath        = "/oauth/revoke"
	registerPath      = "/oauth/register"
)

// New returns a handler. It fails for an invalid base URL.
func New(o Options) (*Handler, error) {
	base, err := url.Parse(o.BaseURL)
	if err != nil || base.Scheme != "https" && base.Scheme != "http" || base.Host == "" || base.User != nil ||
		base.RawQuery != "" || base.Fragment != "" || strings.HasSuffix(base.Path, "/") {
		return nil, fmt.Errorf("%q is not a base URL: want origin and prefix, without a slash at the end", o.BaseURL)
	}
	h := &Handler{Options: o, base: base, resource: o.BaseURL + resourcePath, key: o.Key,
		registrations: admit.NewSharedRate(registerWindow, o.Registrations), tokens: admit.NewRate(tokenWindow)}
	if len(h.key) == 0 {
		h.key = make([]byte, 32)
		rand.Read(h.key) // never fails
	}
	get, post := []string{http.MethodGet, http.MethodHead}, []string{http.MethodPost}
	for _, path := range h.metadataPaths(wellKnownServer, "") {
		h.add(path, get, true, h.serverMetadata)
	}
	for _, path := range h.metadataPaths(wellKnownResource, resourcePath) {
		h.add(path, get, true, h.resourceMetadata)
	}
	h.add(authorizePath, append(get, http.MethodPost), false, h.authorize)
	h.add(tokenPath, post, true, h.turnedIn(h.token))
	h.add(revokePath, post, true, h.turnedIn(h.revoke))
	h.add(registerPath, post, true, h.register)
	return h, nil
}

// metadataPaths returns the paths of a document: below the base URL and, if that has a path, at the
// origin with this path at the end (RFC 8414, RFC 9728).
func (h *Handler) metadataPaths(path, of string) []string {
	list := []string{path, path + of, path + h.base.Path + of}
	slices.Sort(list)
	return slices.Compact(list)
}

// Routes returns all routes.
func (h *Handler) Routes() []Route { return slices.Clone(h.routes) }

// Resource returns the resource identifier of the tokens.
func (h *Handler) Resource() string { return h.resource }

// ResourceMetadataURL returns the address that the resource puts into WWW-Authenticate (RFC 9728,
// 5.1).
func (h *Handler) ResourceMetadataURL() string { return h.BaseURL + wellKnownResource + resourcePath }

// add adds a route. Pages of any origin may call an open route, because it uses no cookies.
func (h *Handler) add(path string, methods []string, open bool, serve http.HandlerFunc) {
	if open {
		methods = append(slices.Clone(methods), http.MethodOptions)
	}
	allow := strings.Join(methods, ", ")
	h.routes = append(h.routes, Route{path, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Cache-Control", "no-store")
		header.Set("X-Content-Type-Options", "nosniff")
		if open {
			header.Set("Access-Control-Allow-Origin", "*")
		}
		switch {
		case !slices.Contains(methods, r.Method):
			header.Set("Allow", allow)
			http.Error(w, "this address has the methods "+allow, http.StatusMethodNotAllowed)
		case r.Method == http.MethodOptions:
			header.Set("Access-Control-Allow-Methods", allow)
			header.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, MCP-Protocol-Version")
			header.Set("Access-Control-Max-Age", "86400")
			w.WriteHeader(http.StatusNoContent)
		default:
			serve(w, r)
		}
	})})
}
