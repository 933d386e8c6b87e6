package api

import (
	"relais/api/endpoint"
)

// A Freshness says how long an answer is right.
type Freshness struct {
	// Version is that of the data: while it is the same, so is the answer. It is "" while some of the
	// data is still loading.
	Version string
	MaxAge  int // seconds for which a client may keep the answer
	// Immutable means that the address of the answer changes with the answer.
	Immutable bool
}

// Freshness returns how long the answer of a call is right.
func (r *Env) Freshness(call *endpoint.Call[*Env]) Freshness {
	f := Freshness{Version: r.Version(call.Op), MaxAge: call.Op.MaxAge}
	if p, ok := call.Params().(interface{ refine(*Env, *Freshness) }); ok && f.Version != "" {
		p.refine(r, &f)
	}
	return f
}
