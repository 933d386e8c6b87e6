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

	"relais/access"
	"relais/endpoint"
	"relais/ops"
	"relais/view"
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
	route           string            // as declared, "" when there is none
	vars            map[string]string // of the path, as they came
	client          *access.Client    // nil before it is known
	viaMonitoring   bool              // it came to the address for those who run the server
	rateWritten     bool              // the limits are in the header
	charge          access.Charge     // of the quota
	chargeOpen      bool              // it can still be changed
	sharedCacheable bool              // shared caches may keep the answer: nothing of who asked is in it
	mounted         bool              // a mounted handler answers, and reads the body
	status          int               // 0 until the header is out
	bytes           int64             // of the body that were sent
	refusal         error             // of a refusal, for the log
	body            *body             // nil until it is read
	members         *members          // of the body, nil where they are no parameters
	release         func()            // of what is held for the body, nil for nothing
	reservation     *reservation      // what the answer counts for, nil where it is not counted
	turn            *turn             // in which a large answer is computed, nil for none

	op *endpoint.Op[*ops.Env] // that the route leads to, nil for none
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

// finish is after the answer: it is noted and counted, and what was held for the
// request is let go.
func (s *Server) finish(x *exchange) {
	x.turn.pause()
	x.reservation.release()
	x.endBody()
	took := time.Since(x.start)
	s.logRequest(x, took)
	s.meters.count(x, took)
	if x.release != nil {
		x.release()
	}
}

// requestID is the client's own id when it is one, else a new one.
func requestID(r *http.Request) string {
	if ids := r.Header["X-Request-Id"]; len(ids) == 1 && isRequestID(ids[0]) {
		return ids[0]
	}
	id, err := uuid.NewV7()
	if err != nil { // no randomness: an id is still better than none
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

// param returns a parameter; beside an error, what was given.
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

// etag is a weak entity tag: of the data, the program and the question, never of
// the request id. shapes stands for the program.
func etag(shapes string, a answerKey) string {
	text := make([]byte, 0, 256)
	text = append(append(text, shapes...), 0)
	text = append(append(text, a.version...), 0)
	sum := sha256.Sum256(append(text, a.question...))
	text = append(text[:0], `W/"`...)
	text = hex.AppendEncode(text, sum[:16])
	return string(append(text, '"'))
}

// etagMatches tells whether If-None-Match names the tag, which may be "*".
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
		// The body, and what was done with it, may have taken the server's whole time.
		_ = http.NewResponseController(x.w).SetWriteDeadline(time.Now().Add(chunkTime))
	}
	x.w.WriteHeader(status)
}

// fail answers an error. A page of a known origin may read it, to tell its user
// what is wrong.
func (s *Server) fail(x *exchange, e *ops.Error) {
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

// writeJSON answers a small JSON object that is not of an operation.
func (s *Server) writeJSON(x *exchange, status int, v any) {
	body, err := view.JSON(v)
	if err != nil {
		s.fail(x, ops.ErrInternal)
		return
	}
	h := x.w.Header()
	h["Content-Type"], h["Cache-Control"] = jsonType, noStore
	x.sendHeader(status)
	x.Write(append(body, '\n'))
}

func stack() string { return string(debug.Stack()) }
