package httpapi

import (
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"relais/api"
	"relais/api/endpoint"
	"relais/auth/access"
)

// A request is who asks, and for what.
type request struct {
	*http.Request
	server     *Server
	id         string
	start      time.Time
	address    netip.Addr
	monitoring bool                   // received on the monitoring address
	route      string                 // as declared, "" for an unknown path
	op         *endpoint.Op[*api.Env] // of the route, nil if it is not an operation
	vars       map[string]string      // of the path, as they were sent
	client     *access.Client         // nil before it is known
	sameOrigin bool                   // only pages of this server may read the answer
	keyless    bool                   // a page of this server asks, without a key
	body       *body                  // nil until it is read
	members    *members               // of the body, nil unless they are parameters
}

func (s *Server) newRequest(r *http.Request, monitoring bool) *request {
	return &request{Request: r, server: s, id: requestID(r), start: time.Now(), monitoring: monitoring,
		address: s.Proxies.Client(r.RemoteAddr, r.Header["X-Forwarded-For"])}
}

// requestID returns the client's own id if it is valid, else a new one.
func requestID(r *http.Request) string {
	if ids := r.Header["X-Request-Id"]; len(ids) == 1 && isRequestID(ids[0]) {
		return ids[0]
	}
	id, err := uuid.NewV7()
	if err != nil { // without a time-based id, a random one will do
		return uuid.NewString()
	}
	return id.String()
}

const maxRequestID = 64

func isRequestID(s string) bool {
	if s == "" || len(s) > maxRequestID {
		return false
	}
	for _, c := range []byte(s) {
		switch {
		case 'A' <= c && c <= 'Z', 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '.', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}

// hasBody reports whether the request has a body. net/http knows it before reading.
func (r *request) hasBody() bool { return r.ContentLength != 0 }

// knownOrigin reports whether the request comes from a page of some client's origin, which may
// read the answer.
func (r *request) knownOrigin() bool {
	origin := r.Header["Origin"]
	return len(origin) == 1 && !r.sameOrigin && r.server.Gate.Clients.AnyOrigin(origin[0])
}

// forMonitoring reports whether a request is one of those that come every few seconds.
func (r *request) forMonitoring() bool {
	return r.route == healthPath || r.route == readyPath || r.route == metricsPath
}

// byOperator reports whether the request comes from the operator of the server: on the
// monitoring address, or from the machine itself.
func (r *request) byOperator() bool { return r.monitoring || r.server.FromMachine(r.Request) }

// param returns a parameter. With an error, it returns the value as it was sent.
func (r *request) param(p *endpoint.Param) (string, error) {
	if p.In == "body" {
		return r.members.get(p.Name)
	}
	return r.pathOrQueryParam(p.Name)
}

// pathOrQueryParam returns a parameter of the path or the query.
func (r *request) pathOrQueryParam(name string) (string, error) {
	if v, ok := r.vars[name]; ok {
		return unescape(v, url.PathUnescape)
	}
	value, given := "", false
	for key, v := range r.queryParams {
		if key != name {
			continue
		}
		if given {
			return value, endpoint.ErrRepeated
		}
		value, given = v, true
	}
	return unescape(value, url.QueryUnescape)
}

// queryParams yields the names of the query's parameters, and their values as they were sent.
func (r *request) queryParams(yield func(name, value string) bool) {
	for rest := r.URL.RawQuery; rest != ""; {
		var pair string
		if pair, rest, _ = strings.Cut(rest, "&"); pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		name, _ = unescape(name, url.QueryUnescape)
		if !yield(name, value) {
			return
		}
	}
}

// unescape returns a text that by reads. One that cannot be read stays as it is.
func unescape(text string, by func(string) (string, error)) (string, error) {
	if !strings.ContainsAny(text, "%+") {
		return text, nil
	}
	read, err := by(text)
	if err != nil {
		return text, errEscape
	}
	return read, nil
}

var errEscape = errors.New("text whose percent escapes are whole")

// checkNames fails for a query parameter that the operation does not have: with a
// misspelt filter, the answer would be the whole country.
func (r *request) checkNames() error {
	for name := range r.queryParams {
		if !r.op.Accepts(name) && !isIgnored(name) {
			return r.op.UnknownParam(name)
		}
	}
	return nil
}

// isIgnored reports whether a parameter is accepted and ignored: those that tools add for
// caches and statistics, a key in the query, and the market of a route without one.
func isIgnored(name string) bool {
	return strings.HasPrefix(name, "_") || strings.HasPrefix(name, "utm_") || name == "api_key" || name == "market"
}
