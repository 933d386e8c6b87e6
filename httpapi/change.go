package httpapi

import (
	"encoding/json"
	"net/http"

	"relais/api/view"
	"relais/auth/access"
)

// ask answers a POST that only reads. Unlike a change it may be done again when it is repeated.
func (o *operation) ask(w *answer, r *request, grant access.Grant) {
	result, err := o.run(w, r, grant)
	if err != nil {
		w.failWith(err)
		return
	}
	a, err := answerOf(result)
	if err != nil {
		w.failWith(err)
		return
	}
	h := w.Header()
	h["Cache-Control"], h["Vary"] = noStore, vary
	w.send(a, answerKey{})
}

// change answers an operation that writes. A signed request is done once: when it is
// repeated, it gets the first answer. A refusal is not kept, since neither the query nor
// the type of the body is signed: somebody who sees the request could have it refused in
// advance.
func (o *operation) change(w *answer, r *request, grant access.Grant) {
	if grant.Signature == "" {
		w.reply(o.perform(w, r, grant))
		return
	}
	var done *reply
	text, first, err := r.server.Gate.Answers.Once(r.Context(), grant.Client.ID, grant.Signature, func() ([]byte, bool) {
		done = o.perform(w, r, grant)
		text, err := json.Marshal(done)
		return text, err == nil && done.Status < http.StatusMultipleChoices
	})
	switch {
	case first:
		if err != nil { // the change is done: answer it
			r.server.Log.Error("an answer could not be kept: the same request again would be done again", "requestId", r.id,
				"error", err)
		}
	case err == nil:
		w.Header()["Idempotent-Replayed"] = []string{"true"}
		done = &reply{}
		err = json.Unmarshal(text, done)
	}
	if done == nil || !first && err != nil {
		w.failWith(err)
		return
	}
	w.reply(done)
}

// perform runs the operation once.
func (o *operation) perform(w *answer, r *request, grant access.Grant) *reply {
	result, err := o.run(w, r, grant)
	if err != nil {
		return r.server.errorReply(w.publicError(err))
	}
	body, err := view.JSON(result)
	if err != nil {
		return r.server.errorReply(w.publicError(err))
	}
	done := &reply{Status: o.Status, Body: body}
	if o.Location != nil {
		done.Location = o.Location(result)
	}
	return done
}

// run runs an operation that takes a body, or none.
func (o *operation) run(w *answer, r *request, grant access.Grant) (any, error) {
	if err := r.checkNames(); err != nil {
		return nil, err
	}
	env := r.env()
	if o.Body != nil {
		if err := r.readMembers(w, grant.Client); err != nil {
			return nil, err
		}
		env.Body = r.body.reader()
		if r.members != nil {
			env.File = r.members.file
		}
	}
	call, err := o.Bind(r.param)
	if err != nil {
		return nil, err
	}
	if o.Requests != nil {
		if err := w.countAs(o.Requests(call.Params())); err != nil {
			return nil, err
		}
	}
	return call.Do(r.Context(), env)
}
