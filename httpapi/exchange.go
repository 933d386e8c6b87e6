package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/netip"
	"net/url"
	"runtime/debug"
	"strings"
	"time"

	"github.com/google/uuid"

	"relais/api"
	"relais/api/endpoint"
	"relais/api/view"
	"relais/auth/access"
	"relais/internal/admit"
)

// An exchange is a request and its answer. It is the http.ResponseWriter of the
// answer, to know what was sent.
type exchange struct {
	server          *Server
	w               http.ResponseWriter
	r               *http.Request
	id              string
	start           time.Time
	address         netip.Addr
	route           string            // as declared, "" for an unknown path
	vars            map[string]string // of the path, as they were sent
	client          *access.Client    // nil before it is known
	viaMonitoring   bool              // received on the monitoring address
	rateWritten     bool              // the limits are in the header
	charge          access.Charge     // of the quota
	chargeOpen      bool              // charge can still be changed
	sharedCacheable bool              // shared caches may keep the answer: it does not depend on the client
	sameOrigin      bool              // only pages of this server may read the answer
	keyless         bool              // a page of this server asks, without a key
	mounted         bool              // a mounted handler answers and reads the body
	status          int               // 0 until the header is sent
	bytes           int64             // of the answer's body that were sent
	refusal         error             // why the gate refused, for the log
	tools           string            // that are called, for the log
	body            *body             // nil until it is read
	members         *members          // of the body, nil unless they are parameters
	release         func()            // frees what is held for the body; may be nil
	claim           *admit.Claim      // of memory for the answer, nil if it is too small to count
	turn            *admit.Turn       // in which the answer is computed; may be nil

	op    *endpoint.Op[*api.Env] // of the route, nil if it is not an operation
	fresh api.Freshness          // of the answer, once it is known
}

// Write sends a piece of the body.
func (x *exchange) Write(p []byte) (int, error) {
	if x.status == 0 {
		x.sendHeader(http.StatusOK)
	}
	n, err := x.w.Write(p)
	x.bytes += int64(n)
	return n, err
}

// Header implements http.ResponseWriter.
func (x *exchange) Header() http.Header { return x.w.Header() }

// WriteHeader implements http.ResponseWriter.
func (x *exchange) WriteHeader(status int) { x.sendHeader(status) }

// Unwrap is for http.ResponseController.
func (x *exchange) Unwrap() http.ResponseWriter { return x.w }

// finish logs and counts a request that was answered, and frees what was held for it.
func (s *Server) finish(x *exchange) {
	x.turn.Pause()
	x.claim.Release()
	x.endBody()
	took := time.Since(x.start)
	s.logRequest(x, took)
	s.meters.count(x, took)
	s.notice(x)
	if x.release != nil {
		x.release()
	}
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

// param returns a parameter. With an error, it returns the value as it was sent.
func (x *exchange) param(p *endpoint.Param) (string, error) {
	if p.In == "body" {
		return x.members.get(p.Name)
	}
	return x.pathOrQueryParam(p.Name)
}

// pathOrQueryParam returns a parameter of the path or the query.
func (x *exchange) pathOrQueryParam(name string) (string, error) {
	if v, ok := x.vars[name]; ok {
		v, err := url.PathUnescape(v)
		if err != nil {
			return x.vars[name], errEscape
		}
		return v, nil
	}
	value, given := "", false
	for rest := x.r.URL.RawQuery; rest != ""; {
		var pair string
		pair, rest, _ = strings.Cut(rest, "&")
		key, v, _ := strings.Cut(pair, "=")
		if key != name && !(strings.ContainsAny(key, "%+") && unescaped(key) == name) {
			continue
		}
		if given {
			return value, endpoint.ErrRepeated
		}
		value, given = v, true
	}
	if strings.ContainsAny(value, "%+") {
		v, err := url.QueryUnescape(value)
		if err != nil {
			return value, errEscape
		}
		return v, nil
	}
	return value, nil
}

type escapeError struct{}

func (escapeError) Error() string { return "text whose percent escapes are whole" }

var errEscape = escapeError{}

func unescaped(key string) string {
	k, err := url.QueryUnescape(key)
	if err != nil {
		return ""
	}
	return k
}

// etag returns a weak entity tag. It depends on the program, for which shapes stands, the
// data and the question, but not on the request id.
func etag(shapes string, a answerKey) string {
	text := make([]byte, 0, 256)
	text = append(append(text, shapes...), 0)
	text = append(append(text, a.version...), 0)
	sum := sha256.Sum256(append(text, a.question...))
	text = append(text[:0], `W/"`...)
	text = hex.AppendEncode(text, sum[:16])
	return string(append(text, '"'))
}

// etagMatches reports whether If-None-Match names the tag, which may be "*".
func etagMatches(header []string, tag string) bool {
	for _, line := range header {
		for part := range strings.SplitSeq(line, ",") {
			if strings.TrimPrefix(strings.TrimSpace(part), "W/") == strings.TrimPrefix(tag, "W/") {
				return true
			}
		}
	}
	return false
}

// sendHeader sends the header.
func (x *exchange) sendHeader(status int) {
	x.status = status
	if x.client == nil && !x.sharedCacheable && x.w.Header()["Access-Control-Allow-Origin"] == nil && x.server.knownOrigin(x) {
		x.allowOrigin()
	}
	if !x.rateWritten && !x.sharedCacheable {
		x.writeRate(x.server.Gate.Anonymous(x.address, x.start), x.start)
	}
	if !x.mounted && x.hasBody() && (x.body == nil || len(x.r.TransferEncoding) > 0) {
		x.w.Header()["Connection"] = closing
	}
	if x.body != nil {
		// Reading and processing the body may have used up the server's own timeout.
		_ = http.NewResponseController(x.w).SetWriteDeadline(time.Now().Add(chunkTime))
	}
	x.w.WriteHeader(status)
}

// fail answers an error. A page of a known origin may read it, to show it to its user.
func (s *Server) fail(x *exchange, e *api.Error) {
	h := x.w.Header()
	if s.knownOrigin(x) {
		x.allowOrigin()
	}
	h.Del("Etag")
	h.Del("Content-Encoding")
	x.reply(s.errorReply(e))
}

var (
	closing  = []string{"close"}
	jsonType = []string{endpoint.JSONType}
	noStore  = []string{"no-store"}
)

// writeJSON answers a small JSON object outside of the operations. The content type may be set before.
func (s *Server) writeJSON(x *exchange, status int, v any) {
	body, err := view.JSON(v)
	if err != nil {
		s.fail(x, api.ErrInternal)
		return
	}
	h := x.w.Header()
	if h["Content-Type"] == nil {
		h["Content-Type"] = jsonType
	}
	h["Cache-Control"] = noStore
	x.sendHeader(status)
	x.Write(append(body, '\n'))
}

func stack() string { return string(debug.Stack()) }
