package httpapi

import (
	"crypto/sha256"
	"errors"
	"net/http"
	"time"

	"relais/api"
	"relais/auth/access"
)

// enter asks the gate whether the request may use the operation. If not, it answers the
// request and returns false.
func (s *Server) enter(x *exchange, o *operation) (access.Grant, bool) {
	h := x.r.Header
	asked := access.Request{
		Time: x.start, Method: x.r.Method, Path: s.PublicPrefix + access.SentPath(x.r.URL), Address: x.address,
		Authorization: h["Authorization"], APIKey: h["X-Api-Key"], Origin: h["Origin"], FetchSite: h["Sec-Fetch-Site"],
		Attestation: h["X-Device-Attestation"], Signature: h["X-Sq-Signature"], Scope: access.Scope(o.ScopeOf(x.param)),
	}
	if x.hasBody() {
		asked.Body = func(client *access.Client) (sum [sha256.Size]byte, err error) {
			if o.Body != nil {
				err = x.checkBody(o.Body) // the client learns it before it sends the body
			}
			if err == nil {
				err = s.readBody(x, client, o.Body)
			}
			if err == nil {
				sum = x.body.sum
			}
			if errors.Is(err, api.ErrTooSlow) || errors.Is(err, api.ErrBrokenBody) {
				// Otherwise requests whose signature cannot be checked would hold places for free.
				s.Gate.Failures.Add(x.address, time.Now())
			}
			asked.Time = time.Now() // reading may have taken long
			return sum, err
		}
	}
	grant, err := s.Gate.Check(&asked)
	x.client = grant.Client
	x.writeRate(grant.Usage, asked.Time)
	if err == nil {
		if x.body != nil {
			x.body.place.prove()
		}
		x.charge, x.chargeOpen = grant.Charge, true
		if x.client.Mode == access.Browser && len(h["Origin"]) == 1 && !x.sameOrigin {
			x.allowOrigin()
		}
		return grant, true
	}
	x.refusal = err
	e := s.publicError(o, x, err)
	if e.Status == http.StatusTooManyRequests {
		e.RetryAfter = retryAfter(grant.Usage, asked.Time)
		s.meters.refuse(grant.Usage)
	}
	s.fail(x, e)
	return grant, false
}
