package httpapi

import (
	"sync"
	"time"

	"relais/auth/access"
	"relais/internal/admit"
)

// How many lines of refusals are logged in a minute, and how many of answers to nobody in particular. A
// person at the map causes some hundred of these.
const (
	callerLines       = 60   // of one client, or of one network if the client is unknown
	allLines          = 1000 // in total
	anonymousLines    = 600
	allAnonymousLines = 6000
)

// A flood keeps requests that come by thousands from filling the log. Metrics count all of them.
type flood struct {
	what    string // that is counted
	most    int    // lines of a caller in a minute
	mostAll int
	lines   *admit.Rate

	mu      sync.Mutex
	end     time.Time // of the minute
	leftOut int
}

// floodOf returns what bounds the lines about answers like w, nil for no bound.
func (s *Server) floodOf(w *answer) *flood {
	switch r := w.request; {
	case w.refused():
		return &s.refusals
	case (r.client == nil || r.keyless) && w.status < 400 && !r.forMonitoring():
		return &s.anonymous
	}
	return nil
}

// allows reports whether a request of the caller may be logged. At the first call of a
// minute, leftOut is the number of requests that were not logged since the last report.
func (f *flood) allows(caller string, now time.Time) (ok bool, leftOut int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if end := f.lines.End(now); !end.Equal(f.end) {
		leftOut, f.leftOut, f.end = f.leftOut, 0, end
	}
	all := admit.Limit{Name: "all callers", Most: f.mostAll}
	if ok = f.lines.Take(now, 1, admit.Limit{Name: caller, Most: f.most}, all); !ok {
		f.leftOut++
	}
	return ok, leftOut
}

// refused reports whether the request was refused before it cost anything: such requests can come
// by thousands.
func (w *answer) refused() bool {
	switch r := w.request; {
	case w.refusal != nil || r.keyless && w.status == 503: // a reader of the map who asks too much at once
		return true
	case w.status < 400 || w.status >= 500:
		return false
	case r.client == nil:
		return true
	}
	return w.status == 401 || w.status == 403 || w.status == 429
}

// caller returns the client or network that a line is counted for.
func (r *request) caller() string {
	if r.client != nil && !r.keyless { // all readers of the map are one client
		return r.client.ID
	}
	return access.Shorten(r.address)
}
