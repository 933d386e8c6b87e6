package httpapi

import (
	"sync"
	"time"

	"relais/auth/access"
)

// How many refusals are logged in a minute.
const (
	callerLines = 60   // of one client, or of one network if the client is unknown
	allLines    = 1000 // in total
)

// A flood keeps refused requests from filling the log. Metrics count all of them.
type flood struct {
	mu      sync.Mutex
	minute  int64
	lines   map[string]int // by caller
	all     int
	leftOut int
}

// allows reports whether a refusal of the caller may be logged. At the first call of a
// minute, leftOut is the number of refusals that were not logged since the last report.
func (f *flood) allows(caller string, now time.Time) (ok bool, leftOut int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if minute := now.Unix() / 60; minute != f.minute {
		leftOut, f.leftOut = f.leftOut, 0
		f.minute, f.lines, f.all = minute, map[string]int{}, 0
	}
	if f.all == allLines || f.lines[caller] == callerLines {
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
	case x.refusal != nil:
		return true
	case x.status < 400 || x.status >= 500:
		return false
	case x.client == nil:
		return true
	}
	return x.status == 401 || x.status == 403 || x.status == 429
}

// caller returns the client or network that a refusal is counted for.
func (x *exchange) caller() string {
	if x.client != nil {
		return x.client.ID
	}
	return access.Shorten(x.address)
}
