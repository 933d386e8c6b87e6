package httpapi

import (
	"net/http"
	"net/textproto"
	"strconv"
	"strings"
	"time"

	"relais/access"
)

// A limitHeader is one of the two limits of a client, as headers name it.
type limitHeader struct {
	limit, remaining, reset string // headers
	name                    string
	seconds                 int64
}

var limits = [2]limitHeader{
	{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", `"minute"`, 60},
	{"X-RateLimit-Limit-Day", "X-RateLimit-Remaining-Day", "X-RateLimit-Reset-Day", `"day"`, 86400},
}

// rate has the answer say what is left of the limits at a time.
func (x *exchange) rate(u access.Usage, at time.Time) {
	x.rated = true
	x.lines = appendRate(x.lines[:0], u, at.Unix())
}

// cost has the request cost so many units, instead of a whole request.
func (x *exchange) cost(units uint64) {
	if x.client != nil && x.counted {
		now := time.Now()
		x.rate(x.charge.Cost(units, now), now)
		x.counted = false
	}
}

// appendRate appends header lines. Every answer has eight of them, of numbers that
// are always new, so that they are written straight and not kept as a map of lists.
func appendRate(b []byte, u access.Usage, now int64) []byte {
	windows := [2]access.Window{u.Minute, u.Day}
	for i, w := range windows {
		if w.Limit > 0 {
			b = appendLine(b, limits[i].limit, int64(w.Limit))
			b = appendLine(b, limits[i].remaining, int64(w.Remaining))
			b = appendLine(b, limits[i].reset, w.Reset.Unix())
		}
	}
	b = appendList(b, "RateLimit-Policy: ", ";q=", ";w=", windows, func(i int) (int, int64) { return windows[i].Limit, limits[i].seconds })
	return appendList(b, "RateLimit: ", ";r=", ";t=", windows, func(i int) (int, int64) {
		return windows[i].Remaining, max(0, windows[i].Reset.Unix()-now)
	})
}

func appendLine(b []byte, name string, value int64) []byte {
	b = append(append(b, name...), ": "...)
	return append(strconv.AppendInt(b, value, 10), "\r\n"...)
}

// appendList appends a line with two numbers for each limit.
func appendList(b []byte, head, first, second string, windows [2]access.Window, numbers func(i int) (int, int64)) []byte {
	b = append(b, head...)
	for i, w := range windows {
		if w.Limit == 0 {
			continue
		}
		if i > 0 {
			b = append(b, ", "...)
		}
		n, m := numbers(i)
		b = strconv.AppendInt(append(append(b, limits[i].name...), first...), int64(n), 10)
		b = strconv.AppendInt(append(b, second...), m, 10)
	}
	return append(b, "\r\n"...)
}

// addLines is for a connection that takes no lines.
func addLines(h http.Header, lines []byte) {
	for line := range strings.SplitSeq(string(lines), "\r\n") {
		if name, value, ok := strings.Cut(line, ": "); ok {
			h[textproto.CanonicalMIMEHeaderKey(name)] = []string{value}
		}
	}
}

// retryAfter is the time to the end of the window that refuses, in whole seconds.
func retryAfter(u access.Usage, now time.Time) int {
	return max(1, int((u.RetryAfter(now)+time.Second-1)/time.Second))
}
