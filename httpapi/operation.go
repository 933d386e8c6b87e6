package httpapi

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"relais/api"
	"relais/api/endpoint"
	"relais/auth/access"
	"relais/internal/admit"
)

// An operation is the route of an operation.
type operation struct {
	*endpoint.Op[*api.Env]
	usual []string // Cache-Control
}

func newOperation(op *endpoint.Op[*api.Env]) *operation { return &operation{op, maxAge(op.MaxAge)} }

func maxAge(seconds int) []string { return []string{"private, max-age=" + strconv.Itoa(seconds)} }

// immutable is for answers whose addresses change with them. Registers change about once a week,
// so that keeping an answer longer would save nothing.
var immutable = []string{"private, max-age=604800, immutable"}

func (o *operation) cacheControl(f api.Freshness) []string {
	switch {
	case f.Immutable:
		return immutable
	case f.MaxAge == o.MaxAge:
		return o.usual
	}
	return maxAge(f.MaxAge)
}

var vary = []string{"Accept-Encoding, Origin"}

func (o *operation) serve(s *Server, x *exchange) {
	x.op = o.Op
	grant, ok := s.enter(x, o)
	if !ok {
		return
	}
	if err := s.env(x).CheckUsable(o.DependsOn...); err != nil {
		s.failOperation(o, x, err)
		return
	}
	switch {
	case o.Asks:
		o.ask(s, x, grant)
	case o.Method != http.MethodGet:
		o.change(s, x, grant)
	default:
		o.read(s, x)
	}
}

// read answers an operation that only reads.
func (o *operation) read(s *Server, x *exchange) {
	if err := x.checkNames(o); err != nil {
		s.failOperation(o, x, err)
		return
	}
	env := s.env(x)
	call, err := o.Bind(x.param)
	if err != nil {
		s.failOperation(o, x, err)
		return
	}
	x.fresh = env.Freshness(call)
	asked := answerKey{x.fresh.Version, call.Key}
	tag, known := etag(s.shapes, asked), x.r.Header["If-None-Match"]
	if asked.version != "" && etagMatches(known, tag) { // so the question is valid: it was answered before
		o.notModified(x, tag)
		return
	}
	if o.Large {
		o.readLarge(s, x, call, env, asked)
		return
	}
	if o.answerFromCache(s, x, asked) {
		return
	}
	if (x.keyless || o.Cheap) && !o.takeTurn(s, x, s.quick, func() []admit.Payer { return []admit.Payer{x.payer()} }) {
		return
	}
	o.answer(s, x, call, env, asked)
}

// takeTurn waits for the turn in which the answer is computed; it ends with x. If too many wait, takeTurn
// answers the request and returns false.
func (o *operation) takeTurn(s *Server, x *exchange, turns *admit.Turns, payers func() []admit.Payer) bool {
	x.waitLong()
	turn, err := turns.Begin(x.r.Context(), payers)
	if errors.Is(err, admit.ErrBusy) {
		err = api.ErrTooManyWaiting
	}
	if err != nil {
		s.failOperation(o, x, err)
		return false
	}
	x.turn = turn
	return true
}

// waitLong is called before an answer may take long: net/http would take the read deadline for the end of the
// connection.
func (x *exchange) waitLong() { _ = http.NewResponseController(x.w).SetReadDeadline(time.Time{}) }

// answer runs the call and sends its result.
func (o *operation) answer(s *Server, x *exchange, call *endpoint.Call[*api.Env], env *api.Env,
	asked answerKey) {
	result, err := call.Do(x.r.Context(), env)
	if err != nil {
		s.failOperation(o, x, err)
		return
	}
	stream, err := streamOf(result)
	if err != nil {
		s.failOperation(o, x, err)
		return
	}
	tag := etag(s.shapes, asked)
	if etagMatches(x.r.Header["If-None-Match"], "*") {
		o.notModified(x, tag)
		return
	}
	o.setHeaders(x, tag)
	if o.Cheap {
		x.setCost(access.Twentieth)
	}
	if err := s.send(x, stream, asked); err != nil {
		s.abort(x, err)
	}
}

func (o *operation) notModified(x *exchange, tag string) {
	o.setHeaders(x, tag)
	x.setCost(access.Twentieth)
	x.sendHeader(http.StatusNotModified)
}

func (o *operation) setHeaders(x *exchange, tag string) {
	h := x.w.Header()
	h["Etag"] = []string{tag}
	h["Cache-Control"] = o.cacheControl(x.fresh)
	h["Vary"] = vary
}

// failOperation answers an error of an operation.
func (s *Server) failOperation(o *operation, x *exchange, err error) {
	s.fail(x, s.publicError(o, x, err))
}

// publicError returns the error that the client sees, and logs the cause that it does not
// see.
func (s *Server) publicError(o *operation, x *exchange, err error) *api.Error {
	if errors.Is(err, context.Canceled) && x.r.Context().Err() != nil {
		s.Log.Debug("the client went away", "requestId", x.id, "operation", o.Name)
		return api.ErrGone
	}
	e := api.PublicError(o.Op, err)
	if e.NotReady() {
		x.setCost(0)
	}
	if e.Status >= http.StatusInternalServerError && errors.Unwrap(e) != nil {
		s.Log.Error("operation failed", "requestId", x.id, "operation", o.Name, "error", errors.Unwrap(e))
	}
	return e
}
