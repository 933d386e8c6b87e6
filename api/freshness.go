package api

import "relais/api/endpoint"

// A Freshness says how long an answer is right.
type Freshness = endpoint.Freshness

// Freshness returns how long the answer of a call is right.
func (r *Env) Freshness(call *endpoint.Call[*Env]) Freshness {
	return call.Freshness(r, r.Version(call.Op))
}
