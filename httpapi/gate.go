package httpapi

import (
	"crypto/sha256"
	"net/http"
	"strconv"
	"sync"
	"time"

	"relais/access"
)

// enter asks the gate whether the request may have the operation. It has answered
// when it says no.
func (s *Server) enter(x *exchange, o *operation) (access.Grant, bool) {
	h := x.r.Header
	asked := access.Request{
		Time: x.start, Method: x.r.Method, Path: s.PublicPrefix + access.SentPath(x.r.URL), Address: x.address,
		Authorization: h["Authorization"], APIKey: h["X-Api-Key"], Origin: h["Origin"], FetchSite: h["Sec-Fetch-Site"],
		Attestation: h["X-Device-Attestation"], Signature: h["X-Sq-Signature"], Scope: access.Scope(o.Scope),
	}
	if x.hasBody() {
		asked.Body = func(client *access.Client) (sum [sha256.Size]byte, err error) {
			if err = s.readBody(x, client, o.Body); err == nil {
				sum = x.body.sum
			}
			return sum, err
		}
	}
	grant, err := s.Gate.Check(&asked)
	x.client = grant.Client
	x.rate(grant.Usage)
	if err == nil {
		if x.client.Mode == access.Browser && len(h["Origin"]) == 1 {
			x.share()
		}
		return grant, true
	}
	x.why = err
	e := s.explain(o, x, err)
	if wait := grant.Usage.RetryAfter(x.start); e.Status == http.StatusTooManyRequests {
		e.RetryAfter = max(1, int((wait+time.Second-1)/time.Second))
		s.meters.refuse(grant.Usage)
	}
	s.fail(x, e)
	return grant, false
}

// rate writes what is left of the limits. Every answer has these headers: they are
// made in one piece of memory, and what only depends on the limits is kept.
func (x *exchange) rate(u access.Usage) {
	x.rated = true
	limits := access.Limits{Minute: u.Minute.Limit, Day: u.Day.Limit}
	known, ok := limitTexts.Load(limits)
	if !ok {
		known, _ = limitTexts.LoadOrStore(limits, newLimitText(limits))
	}
	l := known.(*limitText)
	var space [160]byte
	var ends [8]int
	text, n := space[:0], 0
	end := func() { ends[n] = len(text); n++ }
	now := x.start.Unix()
	for _, w := range []access.Window{u.Minute, u.Day} {
		if w.Limit > 0 {
			text = strconv.AppendInt(text, int64(w.Remaining), 10)
			end()
			text = strconv.AppendInt(text, w.Reset.Unix(), 10)
			end()
		}
	}
	for i, w := range []access.Window{u.Minute, u.Day} {
		if w.Limit > 0 {
			text = append(text, [...]string{`"minute";r=`, `, "day";r=`}[i]...)
			text = append(strconv.AppendInt(text, int64(w.Remaining), 10), ";t="...)
			text = strconv.AppendInt(text, max(0, w.Reset.Unix()-now), 10)
		}
	}
	end()
	all, values := string(text), make([]string, n)
	for i := range n {
		start := 0
		if i > 0 {
			start = ends[i-1]
		}
		values[i] = all[start:ends[i]]
	}
	h := x.w.Header()
	for i, keys := range rateKeys[:n/2] {
		h[keys.limit] = l.limit[i]
		h[keys.remaining] = values[2*i : 2*i+1 : 2*i+1]
		h[keys.reset] = values[2*i+1 : 2*i+2 : 2*i+2]
	}
	h["Ratelimit-Policy"] = l.policy
	h["Ratelimit"] = values[n-1 : n : n]
}

// rateKeys are the names of the headers of each window.
var rateKeys = [...]struct{ limit, remaining, reset string }{
	{"X-Ratelimit-Limit", "X-Ratelimit-Remaining", "X-Ratelimit-Reset"},
	{"X-Ratelimit-Limit-Day", "X-Ratelimit-Remaining-Day", "X-Ratelimit-Reset-Day"},
}

// A limitText is what the headers say of limits.
type limitText struct {
	limit  [2][]string
	policy []string
}

// limitTexts has as many as clients have different limits.
var limitTexts sync.Map // access.Limits → *limitText

func newLimitText(l access.Limits) *limitText {
	minute, day := strconv.Itoa(l.Minute), strconv.Itoa(l.Day)
	policy := `"minute";q=` + minute + ";w=60"
	if l.Day > 0 {
		policy += `, "day";q=` + day + ";w=86400"
	}
	return &limitText{[2][]string{{minute}, {day}}, []string{policy}}
}
