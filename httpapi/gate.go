package httpapi

import (
	"crypto/sha256"
	"errors"
	"time"

	"relais/api"
	"relais/auth/access"
)

// enter asks the gate whether the request may use the operation. If not, it answers the
// request and returns false.
func (o *operation) enter(w *answer, r *request) (access.Grant, bool) {
	s, h := r.server, r.Header
	asked := access.Request{
		Time: r.start, Method: r.Method, Path: s.PublicPrefix + access.SentPath(r.URL), Address: r.address,
		Authorization: h["Authorization"], APIKey: h["X-Api-Key"], Origin: h["Origin"], FetchSite: h["Sec-Fetch-Site"],
		Attestation: h["X-Device-Attestation"], Signature: h["X-Sq-Signature"], Scope: access.Scope(o.ScopeOf(r.param)),
	}
	if r.hasBody() {
		asked.Body = func(client *access.Client) (sum [sha256.Size]byte, err error) {
			err = r.readBody(w, client)
			if err == nil {
				sum = r.body.sum
			}
			if errors.Is(err, api.ErrTooSlow) || errors.Is(err, api.ErrBrokenBody) {
				// Otherwise requests whose signature cannot be checked would hold places for free.
				s.Gate.Failures.Add(r.address, time.Now())
			}
			asked.Time = time.Now() // reading may have taken long
			return sum, err
		}
	}
	grant, err := s.Gate.Check(&asked)
	r.client = grant.Client
	w.state(grant.Usage, asked.Time)
	if err != nil {
		w.refuse(err, grant.Usage, asked.Time)
		return grant, false
	}
	r.body.prove()
	w.charge, w.open = grant.Charge, true
	if r.client.Mode == access.Browser && len(h["Origin"]) == 1 && !r.sameOrigin {
		w.allowOrigin()
	}
	return grant, true
}
