package httpapi

import (
	"net/http"

	"github.com/gorilla/mux"
)

// A route answers requests for a path and method.
type route interface {
	serve(w *answer, r *request)
}

// A router finds the routes of a path.
type router struct {
	*mux.Router
	handlers map[string]*handler // by path
}

// newRouter returns a router that matches paths as they were sent, because an id may
// contain an escaped slash. It has one route for each path and checks the method itself:
// the library would answer 404 and not set Allow.
func newRouter() *router {
	return &router{mux.NewRouter().UseEncodedPath().SkipClean(true), map[string]*handler{}}
}

// find returns the handler for the path of r, nil if the path is unknown, and its
// variables.
func (t *router) find(r *http.Request) (*handler, map[string]string) {
	var match mux.RouteMatch
	if !t.Match(r, &match) || match.MatchErr != nil {
		return nil, nil
	}
	h, _ := match.Handler.(*handler)
	return h, match.Vars
}

// handle routes a path and method to r.
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

// A handler holds the routes of a path. The router is only used to match: if it also
// called the handler, it would copy the request twice to pass the variables.
type handler struct {
	path    string // as declared
	methods map[string]route
}

// anyMethod is the method of a route for all methods.
const anyMethod = ""

// route returns the route for a method, nil if the path does not have the method.
func (h *handler) route(method string) route {
	if r, ok := h.methods[method]; ok {
		return r
	}
	return h.methods[anyMethod]
}

// knowsOrigins reports whether the routes of the path decide about other origins themselves.
func (h *handler) knowsOrigins() bool {
	if h == nil {
		return false
	}
	_, another := h.methods[anyMethod].(mounted)
	_, ofMap := h.methods[http.MethodGet].(mapRoute)
	return another || ofMap
}

// ServeHTTP implements http.Handler.
func (*handler) ServeHTTP(http.ResponseWriter, *http.Request) {}
