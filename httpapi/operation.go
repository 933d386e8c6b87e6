package httpapi

import (
	"context"
	"errors"
	"io"
	"net/http"
	"runtime"
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

func (o *operation) serve(w *answer, r *request) {
	r.op = o.Op
	grant, ok := o.enter(w, r)
	if !ok {
		return
	}
	if err := r.env().Usable(o.DependsOn...); err != nil {
		w.failWith(err)
		return
	}
	switch {
	case o.Asks:
		o.ask(w, r, grant)
	case o.Method != http.MethodGet:
		o.change(w, r, grant)
	default:
		o.read(w, r)
	}
}

// A question is a call with what it is asked of.
type question struct {
	call  *endpoint.Call[*api.Env]
	env   *api.Env
	asked answerKey
}

// answer computes the answer.
func (q *question) answer(ctx context.Context) (*endpoint.Answer, error) {
	result, err := q.call.Do(ctx, q.env)
	if err != nil {
		return nil, err
	}
	return answerOf(result)
}

// read answers an operation that only reads.
func (o *operation) read(w *answer, r *request) {
	if err := r.checkNames(); err != nil {
		w.failWith(err)
		return
	}
	env := r.env()
	call, err := o.Bind(r.param)
	if err != nil {
		w.failWith(err)
		return
	}
	fresh := env.Freshness(call)
	q := &question{call, env, answerKey{fresh.Version, call.Key}}
	tag := etag(r.server.shapes, q.asked)
	w.validate(tag, o.cacheControl(fresh))
	switch {
	case fresh.Version != "" && etagMatches(r.Header["If-None-Match"], tag): // so the question is valid: it was answered before
		w.notModified()
	case o.Large:
		o.readLarge(w, r, q)
	case o.answerFromCache(w, r, q.asked):
	case r.keyless || o.Cheap:
		o.readInTurn(w, r, q, r.server.quick, one(r.payer()...))
	default:
		o.readNow(w, r, q)
	}
}

// readInTurn answers once there is a turn of the payers to compute the answer.
func (o *operation) readInTurn(w *answer, r *request, q *question, turns *admit.Turns, payers func() []admit.Payer) {
	w.waitLong()
	turn, err := begin(r.Context(), turns, payers)
	if err != nil {
		w.failWith(err)
		return
	}
	w.turn = turn // ends with the answer
	o.readNow(w, r, q)
}

// waitLong is called before an answer may take long: net/http would take the read deadline for the end of the
// connection.
func (w *answer) waitLong() {
	_ = http.NewResponseController(w.ResponseWriter).SetReadDeadline(time.Time{})
}

// readNow computes the answer and sends it.
func (o *operation) readNow(w *answer, r *request, q *question) {
	a, err := q.answer(r.Context())
	if err != nil {
		w.failWith(err)
		return
	}
	if o.succeed(w, r) {
		w.send(a, q.asked)
	}
}

// succeed charges an answer, and reports whether to send it: not to a client that wants no answer if there is any.
func (o *operation) succeed(w *answer, r *request) bool {
	if etagMatches(r.Header["If-None-Match"], "*") {
		w.notModified()
		return false
	}
	if o.Cheap {
		w.cost(access.Twentieth)
	}
	return true
}

// readLarge answers an operation whose answers may be large: few at a time, and computed
// in turns. An answer that is worth keeping is computed once for all clients.
func (o *operation) readLarge(w *answer, r *request, q *question) {
	file := o.MakesFile != nil && o.MakesFile(q.call.Params())
	cost, busy := admit.Cost{Places: 1, Bytes: streamBytes}, api.ErrTooManyAnswers
	if file {
		cost.Bytes, busy = fileBytes, api.ErrMakingFile
	}
	if !w.reserve(cost) {
		w.failWith(busy)
		return
	}
	w.waitLong()
	// HTTP/1.0, which nginx speaks to servers by default, has no chunks: without a length, the beginning of an
	// answer that ends with the server would be taken for the whole.
	whole := o.Kept || file || !r.ProtoAtLeast(1, 1)
	if whole && r.Method == http.MethodGet && q.asked.version != "" {
		c := negotiate(r.Header["Accept-Encoding"])
		if c == nil || file {
			c = identity
		}
		if o.readKept(w, r, q, c) {
			return
		}
	}
	o.readInTurn(w, r, q, r.server.large, one(r.client.ID))
}

// readKept answers from a file, and reports whether it did.
func (o *operation) readKept(w *answer, r *request, q *question, c *coding) bool {
	s := r.server
	kept, leave, err := s.files.get(r.Context(), cacheKey{q.asked, c}, r.client.ID,
		func(ctx context.Context, clients func() []string, to io.Writer) (*packed, error) {
			turn, err := begin(ctx, s.large, payersOf(clients))
			if err != nil {
				return nil, err
			}
			defer turn.Pause()
			a, err := q.answer(ctx)
			if err != nil {
				return nil, err
			}
			return c.pack(to, inTurns(a, turn), false)
		})
	switch {
	case errors.Is(err, errNotKept):
		s.Log.Debug("an answer cannot be kept: it is made for one client", "requestId", r.id, "operation", o.Name, "error", err)
		return false
	case err != nil:
		w.failWith(err)
		return true
	}
	defer leave()
	if o.succeed(w, r) {
		w.finish(w.sendPacked(kept.packed, c))
	}
	return true
}

// payersOf returns who pays for a large answer: one of the clients that wait for it.
func payersOf(clients func() []string) func() []admit.Payer {
	return func() (list []admit.Payer) {
		for _, client := range clients() {
			list = append(list, admit.Payer{client})
		}
		return list
	}
}

// processors returns how many processors Go may use.
func processors() int { return min(runtime.NumCPU(), runtime.GOMAXPROCS(0)) }
