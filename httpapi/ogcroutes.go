package httpapi

import (
	"net/http"
	"net/url"
	"strings"

	"relais/api"
	"relais/httpapi/ogc"
)

// mountOGC routes OGC API - Features. Its documents need no key: they say only where and when there is something.
func (s *Server) mountOGC() {
	for _, op := range ogc.Operations() {
		path := strings.Replace(ogc.Path+op.Path, "{market}", "{market:"+ogc.MarketPattern()+"}", 1)
		s.public.handle(path, op.Method, newOperation(op))
		s.public.handlers[path].path = ogc.Path + op.Path
	}
	landing := func(s *Server, _ *exchange) (any, bool) { return ogc.NewLanding(s.BaseURL), true }
	for path, document := range map[string]func(s *Server, x *exchange) (any, bool){
		"":             landing,
		"/":            landing, // where Part 1 has it
		"/api":         func(s *Server, _ *exchange) (any, bool) { return ogc.NewAPI(s.BaseURL), true },
		"/conformance": func(*Server, *exchange) (any, bool) { return ogc.Conformance, true },
		"/collections": func(s *Server, x *exchange) (any, bool) { return ogc.NewCollections(s.env(x)), true },
		"/collections/{id}": func(s *Server, x *exchange) (any, bool) {
			return found(ogc.FindCollection(s.env(x), x.collection()))
		},
		"/collections/{id}/queryables": func(s *Server, x *exchange) (any, bool) {
			return found(ogc.NewQueryables(s.BaseURL, x.collection()))
		},
	} {
		s.public.handle(ogc.Path+path, http.MethodGet, fixedRoute(func(s *Server, x *exchange) {
			for name, values := range x.r.URL.Query() {
				if name != "f" || len(values) != 1 || values[0] != "json" {
					s.fail(x, &api.Error{Status: http.StatusBadRequest, Code: "INVALID_PARAMETER",
						Message: "this document has no parameter but f, which is json: leave out the others"})
					return
				}
			}
			v, ok := document(s, x)
			if !ok {
				s.fail(x, api.NotFound("there is no such collection: "+s.BaseURL+ogc.Path+"/collections lists them"))
				return
			}
			if contentType := ogcTypes[path]; contentType != nil {
				x.w.Header()["Content-Type"] = contentType
			}
			s.writeJSON(x, http.StatusOK, v)
		}))
	}
}

// ogcTypes are the content types of the documents that are not simply JSON.
var ogcTypes = map[string][]string{"/api": {ogc.APIType}, "/collections/{id}/queryables": {ogc.SchemaType}}

func found[T any](v T, ok bool) (any, bool) { return v, ok }

// collection is the id of a collection in the path.
func (x *exchange) collection() string {
	id, err := url.PathUnescape(x.vars["id"])
	if err != nil {
		return ""
	}
	return id
}
