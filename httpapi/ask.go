package httpapi

import (
	"fmt"
	"net/http"
	"time"

	"relais/api"
	"relais/auth/access"
)

// ask answers a POST that only reads. Unlike a change it may be done again when it is repeated.
func (o *operation) ask(s *Server, x *exchange, grant access.Grant) {
	result, err := o.run(s, x, grant)
	if err != nil {
		s.failOperation(o, x, err)
		return
	}
	stream, err := streamOf(result)
	if err != nil {
		s.failOperation(o, x, err)
		return
	}
	h := x.w.Header()
	h["Cache-Control"], h["Vary"] = noStore, vary
	if err := s.send(x, stream, answerKey{}); err != nil {
		s.abort(x, err)
	}
}

// countMore counts a request as n. It fails, before anything is done, if the client or its visitor does not
// have that many left; the request then counts as one.
func (s *Server) countMore(x *exchange, n int) error {
	if !x.chargeOpen || n <= 1 {
		return nil
	}
	now := time.Now()
	usage, err := x.charge.More(n-1, now)
	x.writeRate(usage, now)
	if err == nil {
		return nil
	}
	s.meters.refuse(usage)
	message := fmt.Sprintf("the question counts as %d requests, and fewer are left: ask for less at once, or later", n)
	for _, w := range []access.Window{usage.Minute, usage.Day} {
		if w.Limit > 0 && w.Limit < n {
			message = fmt.Sprintf("the question counts as %d requests, and the limit is %d: ask for less at once", n, w.Limit)
		}
	}
	return &api.Error{Status: http.StatusTooManyRequests, Code: api.PublicError(x.op, err).Code, Message: message,
		RetryAfter: seconds(usage.Wait(n, now))}
}
