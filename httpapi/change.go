package httpapi

import (
	"encoding/json"
	"net/http"
	"strconv"

	"relais/api"
	"relais/api/endpoint"
	"relais/api/view"
	"relais/auth/access"
)

// A reply is the whole answer of an operation that writes, without the request id.
type reply struct {
	Status     int             `json:"status"`
	Location   string          `json:"location,omitempty"`
	RetryAfter int             `json:"retryAfter,omitempty"`
	Body       json.RawMessage `json:"body"` // one object
}

// change answers an operation that writes. A signed request is done once: when it is
// repeated, it gets the first answer. A refusal is not kept, since neither the query nor
// the type of the body is signed: somebody who sees the request could have it refused in
// advance.
func (o *operation) change(s *Server, x *exchange, grant access.Grant) {
	if grant.Signature == "" {
		x.reply(o.perform(s, x, grant))
		return
	}
	var r *reply
	text, first, err := s.Gate.Answers.Once(x.r.Context(), grant.Client.ID, grant.Signature, func() ([]byte, bool) {
		r = o.perform(s, x, grant)
		text, err := json.Marshal(r)
		return text, err == nil && r.Status < http.StatusMultipleChoices
	})
	switch {
	case first:
		if err != nil { // the change is done: answer it
			s.Log.Error("an answer could not be kept: the same request again would be done again", "requestId", x.id,
				"error", err)
		}
	case err == nil:
		x.w.Header()["Idempotent-Replayed"] = []string{"true"}
		r = &reply{}
		err = json.Unmarshal(text, r)
	}
	if r == nil || !first && err != nil {
		s.failOperation(o, x, err)
		return
	}
	x.reply(r)
}

// perform runs the operation once.
func (o *operation) perform(s *Server, x *exchange, grant access.Grant) *reply {
	result, err := o.run(s, x, grant)
	if err != nil {
		return s.errorReply(s.publicError(o, x, err))
	}
	body, err := view.JSON(result)
	if err != nil {
		return s.errorReply(s.publicError(o, x, err))
	}
	r := &reply{Status: o.Status, Body: body}
	if l, ok := result.(endpoint.Located); ok {
		r.Location = l.Location()
	}
	return r
}

func (o *operation) run(s *Server, x *exchange, grant access.Grant) (any, error) {
	if err := x.checkNames(o); err != nil {
		return nil, err
	}
	env := s.env(x)
	if o.Body != nil {
		if err := x.checkBody(o.Body); err != nil {
			return nil, err
		}
		if err := s.readBody(x, grant.Client, o.Body); err != nil {
			return nil, err
		}
		env.Body = x.body.reader()
		var err error
		if x.members, err = x.readMembers(o.Op); err != nil {
			return nil, err
		}
		if x.members != nil {
			env.File = x.members.file
		}
	}
	call, err := o.Bind(x.param)
	if err != nil {
		return nil, err
	}
	if p, ok := call.Params().(interface{ Requests() int }); ok {
		if err := s.countMore(x, p.Requests()); err != nil {
			return nil, err
		}
	}
	return call.Do(x.r.Context(), env)
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

// reply sends the answer.
func (x *exchange) reply(r *reply) {
	h := x.w.Header()
	h["Content-Type"], h["Cache-Control"], h["Vary"] = jsonType, noStore, vary
	if r.Location != "" {
		h["Location"] = []string{r.Location}
	}
	if r.RetryAfter > 0 {
		h["Retry-After"] = []string{strconv.Itoa(r.RetryAfter)}
	}
	body := append(r.Body[:len(r.Body)-1], x.tail()...)
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	x.sendHeader(r.Status)
	x.Write(body) // a client that went away misses nothing
}
