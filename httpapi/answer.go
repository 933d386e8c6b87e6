package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"relais/api"
	"relais/api/endpoint"
	"relais/api/view"
	"relais/auth/access"
	"relais/internal/admit"
)

// An answer is the http.ResponseWriter of a request: what was sent, and what is held until all of it is.
type answer struct {
	http.ResponseWriter
	account
	request *request
	status  int          // 0 until the header is sent
	bytes   int64        // of the body that were sent
	shared  bool         // shared caches may keep it: it does not depend on the client
	mounted bool         // a mounted handler answers and reads the body
	claim   *admit.Claim // of memory, nil if it is too small to count
	turn    *admit.Turn  // in which it is computed; may be nil
}

// Write sends a piece of the body.
func (w *answer) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

// Unwrap is for http.ResponseController.
func (w *answer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader sends the header.
func (w *answer) WriteHeader(status int) {
	w.status = status
	r := w.request
	if r.client == nil && !w.shared && w.Header()["Access-Control-Allow-Origin"] == nil && r.knownOrigin() {
		w.allowOrigin()
	}
	if !w.stated && !w.shared {
		w.state(r.server.Gate.Anonymous(r.address, r.start), r.start)
	}
	if !w.mounted && r.hasBody() && (r.body == nil || len(r.TransferEncoding) > 0) {
		w.Header()["Connection"] = closing
	}
	if r.body != nil {
		// Reading and processing the body may have used up the server's own timeout.
		_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(chunkTime))
	}
	w.ResponseWriter.WriteHeader(status)
}

// end frees what was held for the answer and its request.
func (w *answer) end() {
	w.turn.Pause()
	w.claim.Release()
	w.discardBody()
	w.request.body.close()
}

var (
	closing  = []string{"close"}
	jsonType = []string{endpoint.JSONType}
	noStore  = []string{"no-store"}
	vary     = []string{"Accept-Encoding, Origin"}
)

// validate states which answer it is, and how long clients may keep it.
func (w *answer) validate(tag string, cacheControl []string) {
	h := w.Header()
	h["Etag"], h["Cache-Control"], h["Vary"] = []string{tag}, cacheControl, vary
}

// notModified answers that the client has the answer.
func (w *answer) notModified() {
	w.cost(access.Twentieth)
	w.WriteHeader(http.StatusNotModified)
}

// writeJSON answers a small JSON object outside of the operations. The content type may be set before.
func (w *answer) writeJSON(status int, v any) {
	body, err := view.JSON(v)
	if err != nil {
		w.fail(api.ErrInternal)
		return
	}
	h := w.Header()
	if h["Content-Type"] == nil {
		h["Content-Type"] = jsonType
	}
	h["Cache-Control"] = noStore
	w.WriteHeader(status)
	w.Write(append(body, '\n'))
}

// tail returns the end of every JSON answer: its last member and the closing brace.
func (w *answer) tail() []byte { return []byte(`,"requestId":"` + w.request.id + "\"}\n") }

// A reply is the whole answer of an operation that writes, or to an error, without the request id.
type reply struct {
	Status     int             `json:"status"`
	Location   string          `json:"location,omitempty"`
	RetryAfter int             `json:"retryAfter,omitempty"`
	Body       json.RawMessage `json:"body"` // one object
}

// reply sends the answer.
func (w *answer) reply(r *reply) {
	h := w.Header()
	h["Content-Type"], h["Cache-Control"], h["Vary"] = jsonType, noStore, vary
	if r.Location != "" {
		h["Location"] = []string{r.Location}
	}
	if r.RetryAfter > 0 {
		h["Retry-After"] = []string{strconv.Itoa(r.RetryAfter)}
	}
	body := append(r.Body[:len(r.Body)-1], w.tail()...)
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(r.Status)
	w.Write(body) // a client that went away misses nothing
}

// fail answers an error. A page of a known origin may read it, to show it to its user.
func (w *answer) fail(e *api.Error) {
	h := w.Header()
	if w.request.knownOrigin() {
		w.allowOrigin()
	}
	h.Del("Etag")
	h.Del("Content-Encoding")
	w.reply(w.request.server.errorReply(e))
}

// failWith answers an error of an operation.
func (w *answer) failWith(err error) { w.fail(w.publicError(err)) }

// publicError returns the error that the client sees, and logs the cause that it does not
// see.
func (w *answer) publicError(err error) *api.Error {
	r, op := w.request, w.request.op
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		r.server.Log.Debug("the client went away", "requestId", r.id, "operation", op.Name)
		return api.ErrGone
	}
	e := api.PublicError(op, err)
	if e.NotReady() {
		w.cost(0)
	}
	if e.Status >= http.StatusInternalServerError && errors.Unwrap(e) != nil {
		r.server.Log.Error("operation failed", "requestId", r.id, "operation", op.Name, "error", errors.Unwrap(e))
	}
	return e
}

// An errorBody is the answer to an error, without the request id.
type errorBody struct {
	Error     string   `json:"error"`
	Code      string   `json:"code"`
	Parameter string   `json:"parameter,omitempty"`
	Allowed   []string `json:"allowed,omitempty"`
	Docs      string   `json:"docs,omitempty"`
}

// errorReply returns the answer to an error, with the address of the documentation of its code. A
// server without that names the document that describes the parameters, if one is wrong.
func (s *Server) errorReply(e *api.Error) *reply {
	answer := errorBody{Error: e.Message, Code: e.Code, Parameter: e.Parameter, Allowed: e.Allowed}
	if s.ErrorDocs != nil {
		answer.Docs = s.ErrorDocs(e.Code)
	} else if e.Parameter != "" {
		answer.Docs = s.BaseURL + openAPIPath
	}
	body, err := view.JSON(answer)
	if err != nil { // texts always encode
		body = []byte("{}")
	}
	return &reply{Status: e.Status, RetryAfter: e.RetryAfter, Body: body}
}
