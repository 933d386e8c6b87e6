package httpapi

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"relais/auth/access"
)

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

// writeRate writes the headers that state what is left of the limits at a time.
func (x *exchange) writeRate(u access.Usage, at time.Time) {
	x.rateWritten = true
	setRate(x.w.Header(), u, at.Unix())
}

// setCost charges the request so many units instead of a whole request.
func (x *exchange) setCost(units uint64) {
	if x.client != nil && x.chargeOpen {
		now := time.Now()
		x.writeRate(x.charge.Cost(units, now), now)
		x.chargeOpen = false
	}
}

// setRate sets the headers that state the limits, at a time in Unix seconds.
func setRate(h http.Header, u access.Usage, now int64) {
	var policies, states []string
	for i, w := range [2]access.Window{u.Minute, u.Day} {
		if w.Limit == 0 {
			continue
		}
		l := limits[i]
		h[l.limit] = []string{strconv.Itoa(w.Limit)}
		h[l.remaining] = []string{strconv.Itoa(w.Remaining)}
		h[l.reset] = []string{strconv.FormatInt(w.Reset.Unix(), 10)}
		policies = append(policies, fmt.Sprintf("%s;q=%d;w=%d", l.name, w.Limit, l.seconds))
		states = append(states, fmt.Sprintf("%s;r=%d;t=%d", l.name, w.Remaining, max(0, w.Reset.Unix()-now)))
	}
	h["Ratelimit-Policy"] = []string{strings.Join(policies, ", ")}
	h["Ratelimit"] = []string{strings.Join(states, ", ")}
}

// retryAfter returns the time to the end of the window that refuses, in whole seconds.
func retryAfter(u access.Usage, now time.Time) int { return seconds(u.RetryAfter(now)) }

// seconds rounds a time up to whole seconds, at least one.
func seconds(d time.Duration) int { return max(1, int((d+time.Second-1)/time.Second)) }
