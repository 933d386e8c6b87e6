package httpapi

import (
	"fmt"
	"net/http"

	"relais/auth/access"
)

// Headers of cross-origin requests.
var (
	allowMethods  = []string{"GET, HEAD, POST, DELETE"}
	allowHeaders  = []string{"Authorization, X-API-Key, X-Sq-Signature, X-Device-Attestation, X-Request-Id, Content-Type, If-None-Match"}
	exposeHeaders = []string{"X-Request-Id, ETag, Retry-After, Location, Link, X-RateLimit-Limit, X-RateLimit-Remaining, " +
		"X-RateLimit-Reset, X-RateLimit-Limit-Day, X-RateLimit-Remaining-Day, X-RateLimit-Reset-Day, RateLimit, RateLimit-Policy"}
	preflightAge  = []string{"600"}
	preflightVary = []string{"Origin, Access-Control-Request-Method, Access-Control-Request-Headers"}
)

// errPreflight is the refusal of a preflight, which is answered with 204 as any other.
var errPreflight = fmt.Errorf("preflight: %w", access.ErrOrigin)

// preflight answers a browser that asks whether it may send a request, and reports
// whether it did. A preflight has no key, so the origins of all clients are allowed; the
// request itself is checked against the origins of its own client.
func (s *Server) preflight(x *exchange) bool {
	r := x.r
	if r.Method != http.MethodOptions || len(r.Header["Origin"]) != 1 ||
		len(r.Header["Access-Control-Request-Method"]) != 1 {
		return false
	}
	x.route = "preflight"
	h := x.w.Header()
	h["Vary"] = preflightVary
	if s.knownOrigin(x) {
		h["Access-Control-Allow-Origin"] = r.Header["Origin"]
		h["Access-Control-Allow-Methods"] = allowMethods
		h["Access-Control-Allow-Headers"] = allowHeaders
		h["Access-Control-Max-Age"] = preflightAge
	} else { // the browser tells the page nothing: the log and the metrics must
		x.refusal = fmt.Errorf("%w: no client has the origin %.100q", errPreflight, r.Header["Origin"][0])
	}
	x.sendHeader(http.StatusNoContent)
	return true
}

// allowOrigin lets the page that sent the request read the answer.
func (x *exchange) allowOrigin() {
	h := x.w.Header()
	h["Access-Control-Allow-Origin"] = x.r.Header["Origin"]
	h["Access-Control-Expose-Headers"] = exposeHeaders
}

// knownOrigin reports whether the request comes from a page of some client's origin, which may
// read the answer.
func (s *Server) knownOrigin(x *exchange) bool {
	origin := x.r.Header["Origin"]
	return len(origin) == 1 && !x.sameOrigin && s.Gate.Clients.AnyOrigin(origin[0])
}
