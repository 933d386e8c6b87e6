package httpapi

import (
	"net/http"
	"net/url"
	"strings"

	"relais/api"
	"relais/httpapi/ogc"
)

// mountOGC routes OGC API - Features. Its documents need no key: they say only where and when there is something that
// everybody may see.
func (s *Server) mountOGC() {
	for _, op := range ogc.Operations() {
		path := strings.Replace(ogc.Path+op.Path, "{market}", "{market:"+ogc.MarketPattern()+"}", 1)
		s.public.handle(path, op.Method, newOperation(op))
		s.public.handlers[path].path = ogc.Path + op.Path
	}
	open := func(r *request) *api.Env {
		env := r.env()
		if !s.MapAll {
			env.WithoutKey()
		}
		return env
	}
	landing := func(r *request) (any, bool) { return ogc.NewLanding(r.server.BaseURL), true }
	for path, document := range map[string]func(r *request) (any, bool){
		"":             landing,
		"/":            landing, // where Part 1 has it
		"/api":         func(r *request) (any, bool) { return ogc.NewAPI(r.server.BaseURL), true },
		"/conformance": func(*request) (any, bool) { return ogc.Conformance, true },
		"/collections": func(r *request) (any, bool) { return ogc.NewCollections(open(r)), true },
		"/collections/{id}": func(r *request) (any, bool) {
			return found(ogc.FindCollection(open(r), r.collection()))
		},
		"/collections/{id}/queryables": func(r *request) (any, bool) {
			return found(ogc.NewQueryables(r.server.BaseURL, r.collection()))
		},
	} {
		s.public.handle(ogc.Path+path, http.MethodGet, fixedRoute(func(w *answer, r *request) {
			for name, values := range r.URL.Query() {
				if name != "f" || len(values) != 1 || values[0] != "json" {
					w.fail(&api.Error{Status: http.StatusBadRequest, Code: "INVALID_PARAMETER",
						Message: "this document has no parameter but f, which is json: leave out the others"})
					return
				}
			}
			v, ok := document(r)
			if !ok {
				w.fail(api.NotFound("there is no such collection: " + r.server.BaseURL + ogc.Path + "/collections lists them"))
				return
			}
			if contentType := ogcTypes[path]; contentType != nil {
				w.Header()["Content-Type"] = contentType
			}
			w.writeJSON(http.StatusOK, v)
		}))
	}
}

// ogcTypes are the content types of the documents that are not simply JSON.
var ogcTypes = map[string][]string{"/api": {ogc.APIType}, "/collections/{id}/queryables": {ogc.SchemaType}}

func found[T any](v T, ok bool) (any, bool) { return v, ok }

// collection is the id of a collection in the path.
func (r *request) collection() string {
	id, err := url.PathUnescape(r.vars["id"])
	if err != nil {
		return ""
	}
	return id
}
