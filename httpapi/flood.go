package httpapi

import (
	"sync"
	"time"

	"relais/auth/access"
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

	mu      sync.Mutex
	minute  int64
	lines   map[string]int // by caller
	all     int
	leftOut int
}

// floodOf returns what bounds the lines about requests like x, nil for no bound.
func (s *Server) floodOf(x *exchange) *flood {
	switch {
	case x.refused():
		return &s.refusals
	case (x.client == nil || x.keyless) && x.status < 400 && !x.forMonitoring():
		return &s.anonymous
	}
	return nil
}

// allows reports whether a request of the caller may be logged. At the first call of a
// minute, leftOut is the number of requests that were not logged since the last report.
func (f *flood) allows(caller string, now time.Time) (ok bool, leftOut int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if minute := now.Unix() / 60; minute != f.minute {
		leftOut, f.leftOut = f.leftOut, 0
		f.minute, f.lines, f.all = minute, map[string]int{}, 0
	}
	if f.all == f.mostAll || f.lines[caller] == f.most {
		f.leftOut++
		return false, leftOut
	}
	f.all++
	f.lines[caller]++
	return true, leftOut
}

// refused reports whether x was refused before it cost anything: such requests can come
// by thousands.
func (x *exchange) refused() bool {
	switch {
	case x.refusal != nil || x.keyless && x.status == 503: // a reader of the map who asks too much at once
		return true
	case x.status < 400 || x.status >= 500:
		return false
	case x.client == nil:
		return true
	}
	return x.status == 401 || x.status == 403 || x.status == 429
}

// caller returns the client or network that a line is counted for.
func (x *exchange) caller() string {
	if x.client != nil && !x.keyless { // all readers of the map are one client
		return x.client.ID
	}
	return access.Shorten(x.address)
}
