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
func (w *answer) preflight() bool {
	r := w.request
	if r.Method != http.MethodOptions || len(r.Header["Origin"]) != 1 ||
		len(r.Header["Access-Control-Request-Method"]) != 1 {
		return false
	}
	r.route = "preflight"
	h := w.Header()
	h["Vary"] = preflightVary
	if r.knownOrigin() {
		h["Access-Control-Allow-Origin"] = r.Header["Origin"]
		h["Access-Control-Allow-Methods"] = allowMethods
		h["Access-Control-Allow-Headers"] = allowHeaders
		h["Access-Control-Max-Age"] = preflightAge
	} else { // the browser tells the page nothing: the log and the metrics must
		w.refusal = fmt.Errorf("%w: no client has the origin %.100q", errPreflight, r.Header["Origin"][0])
	}
	w.WriteHeader(http.StatusNoContent)
	return true
}

// allowOrigin lets the page that sent the request read the answer.
func (w *answer) allowOrigin() {
	h := w.Header()
	h["Access-Control-Allow-Origin"] = w.request.Header["Origin"]
	h["Access-Control-Expose-Headers"] = exposeHeaders
}
