package httpapi

import (
	"sync"
	"time"

	"relais/access"
)

// Lines of refusals that the log takes in a minute.
const (
	callerLines = 60   // of one client, or of one network where no client is known
	allLines    = 1000 // of all
)

// A flood keeps refused requests from filling the log. Metrics count all of them.
type flood struct {
	mu      sync.Mutex
	minute  int64
	lines   map[string]int // by caller
	all     int
	leftOut int
}

// allows reports whether the line of a caller's refusal may be written. In a new minute
// it returns how many were left out before.
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

// refused reports whether x was refused before it cost anything, so that it can be sent
// by thousands.
func (x *exchange) refused() bool {
	switch {
	case x.status < 400 || x.status >= 500:
		return false
	case x.client == nil:
		return true
	}
	return x.status == 401 || x.status == 403 || x.status == 429
}

// caller is whom a refusal's line is counted for.
func (x *exchange) caller() string {
	if x.client != nil {
		return x.client.ID
	}
	return access.Shorten(x.address)
}
