package httpapi

import (
	"net/http"

	"github.com/gorilla/mux"
)

// A route is what a path leads to.
type route interface {
	serve(s *Server, x *exchange)
}

// A router knows which path leads where.
type router struct {
	*mux.Router
	handlers map[string]*handler // by path
}

// newRouter matches paths as they came, and cleans none: an id may hold an escaped
// slash. It has one route a path and our own check of the method, because the
// library's would answer 404 and never set Allow.
func newRouter() *router {
	return &router{mux.NewRouter().UseEncodedPath().SkipClean(true), map[string]*handler{}}
}

// find returns what the path of r leads to, nil for nothing, and the variables in
// it.
func (t *router) find(r *http.Request) (*handler, map[string]string) {
	var match mux.RouteMatch
	if !t.Match(r, &match) || match.MatchErr != nil {
		return nil, nil
	}
	h, _ := match.Handler.(*handler)
	return h, match.Vars
}

// handle has a path and method answered by r.
func (t *router) handle(path, method string, r route) {
	h, known := t.handlers[path]
	if !known {
		h = &handler{path: path, methods: map[string]route{}}
		t.handlers[path] = h
		t.Path(path).Handler(h)
	}
	h.methods[method] = r
	if method == http.MethodGet {
		h.methods[http.MethodHead] = r
	}
}

// A handler carries the routes of a path through the router, which is only asked
// what matches: calling it would copy the request twice to hand over the
// variables.
type handler struct {
	path    string // as declared
	methods map[string]route
}

// anyMethod is the method of a route that does not look at it.
const anyMethod = ""

// route is nil for a method that the path does not have.
func (h *handler) route(method string) route {
	if r, ok := h.methods[method]; ok {
		return r
	}
	return h.methods[anyMethod]
}

// isMounted tells whether another transport answers the path.
func (h *handler) isMounted() bool {
	if h == nil {
		return false
	}
	_, is := h.methods[anyMethod].(mounted)
	return is
}

// ServeHTTP implements http.Handler.
func (*handler) ServeHTTP(http.ResponseWriter, *http.Request) {}
