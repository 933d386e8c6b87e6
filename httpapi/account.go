package httpapi

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"relais/api"
	"relais/auth/access"
)

// An account is what a request costs its client, and what is noted of it for the log and the metrics.
type account struct {
	charge  access.Charge // of the quota
	open    bool          // charge can still be changed
	stated  bool          // the limits are in the header
	refusal error         // why the request was refused before anything was done
	tools   string        // that are called
}

// cost charges the request so many units instead of a whole request.
func (w *answer) cost(units uint64) {
	if w.open {
		now := time.Now()
		w.state(w.charge.Cost(units, now), now)
		w.open = false
	}
}

// countAs counts the request as n. It fails, before anything is done, if its client or visitor does not
// have that many left; the request then counts as one.
func (w *answer) countAs(n int) error {
	if !w.open || n <= 1 {
		return nil
	}
	now := time.Now()
	usage, err := w.charge.More(n-1, now)
	w.state(usage, now)
	if err == nil {
		return nil
	}
	w.request.server.meters.refuse(usage)
	message := fmt.Sprintf("the question counts as %d requests, and fewer are left: ask for less at once, or later", n)
	for _, window := range []access.Window{usage.Minute, usage.Day} {
		if window.Limit > 0 && window.Limit < n {
			message = fmt.Sprintf("the question counts as %d requests, and the limit is %d: ask for less at once", n, window.Limit)
		}
	}
	return &api.Error{Status: http.StatusTooManyRequests, Code: api.PublicError(w.request.op, err).Code, Message: message,
		RetryAfter: seconds(usage.Wait(n, now))}
}

// refuse answers a request that was refused before anything was done, with what is left of the limits at a time.
func (w *answer) refuse(refusal error, u access.Usage, at time.Time) {
	w.refusal = refusal
	e := w.publicError(refusal)
	if e.Status == http.StatusTooManyRequests {
		e.RetryAfter = seconds(u.RetryAfter(at))
		w.request.server.meters.refuse(u)
	}
	w.fail(e)
}

// A limitHeader is one of the two limits of a client, with the canonical names of its headers.
type limitHeader struct {
	limit, remaining, reset string // headers
	name                    string
	seconds                 int64
}

var limits = [2]limitHeader{
	{"X-Ratelimit-Limit", "X-Ratelimit-Remaining", "X-Ratelimit-Reset", `"minute"`, 60},
	{"X-Ratelimit-Limit-Day", "X-Ratelimit-Remaining-Day", "X-Ratelimit-Reset-Day", `"day"`, 86400},
}

// state sets the headers that state what is left of the limits at a time.
func (w *answer) state(u access.Usage, at time.Time) {
	w.stated = true
	h := w.Header()
	var policies, states []string
	for i, window := range [2]access.Window{u.Minute, u.Day} {
		if window.Limit == 0 {
			continue
		}
		l, left, reset := limits[i], window.Remaining, window.Reset.Unix()
		h[l.limit] = []string{strconv.Itoa(window.Limit)}
		h[l.remaining] = []string{strconv.Itoa(left)}
		h[l.reset] = []string{strconv.FormatInt(reset, 10)}
		policies = append(policies, fmt.Sprintf("%s;q=%d;w=%d", l.name, window.Limit, l.seconds))
		states = append(states, fmt.Sprintf("%s;r=%d;t=%d", l.name, left, max(0, reset-at.Unix())))
	}
	h["Ratelimit-Policy"] = []string{strings.Join(policies, ", ")}
	h["Ratelimit"] = []string{strings.Join(states, ", ")}
}

// seconds rounds a time up to whole seconds, at least one.
func seconds(d time.Duration) int { return max(1, int((d+time.Second-1)/time.Second)) }

// settle logs and counts a request that was answered.
func (s *Server) settle(w *answer) {
	took := time.Since(w.request.start)
	s.logRequest(w, took)
	s.meters.count(w, took)
	s.notice(w)
}
