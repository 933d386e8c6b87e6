package access

import (
	"sync/atomic"
	"time"
)

// A Window is the state of one limit.
type Window struct {
	Limit     int       `json:"limit"`
	Remaining int       `json:"remaining"`
	Reset     time.Time `json:"reset"` // the end of the window
}

// Usage is the state of a client's limits; a Window with Limit 0 is none.
type Usage struct{ Minute, Day Window }

// RetryAfter is the time to the end of the window that refuses, at least a
// second; 0 when none does.
func (u Usage) RetryAfter(now time.Time) time.Duration {
	wait := time.Duration(0)
	for _, w := range []Window{u.Minute, u.Day} {
		if w.Limit > 0 && w.Remaining == 0 {
			wait = max(wait, w.Reset.Sub(now), time.Second)
		}
	}
	return wait
}

// A Counter counts the requests of a client in the current minute and day. Minutes
// are those of the wall clock, days those of UTC.
type Counter struct {
	minute, day counted
}

// counted is the number of a window and how often it was used, in one word, so
// that taking the last unit and going to the next window are one step each.
type counted struct{ word atomic.Uint64 }

const (
	minuteSeconds = 60
	daySeconds    = 86400
)

// Take uses one request up, and tells whether there was one.
func (c *Counter) Take(l Limits, now time.Time) (Usage, bool) {
	at := now.Unix()
	minute, ok := c.minute.take(uint32(at/minuteSeconds), l.Minute)
	if ok {
		if _, ok = c.day.take(uint32(at/daySeconds), l.Day); !ok {
			c.minute.giveBack(minute)
		}
	}
	return c.Peek(l, now), ok
}

// Peek returns the state without using anything up.
func (c *Counter) Peek(l Limits, now time.Time) Usage {
	at := now.Unix()
	return Usage{c.minute.window(at, minuteSeconds, l.Minute), c.day.window(at, daySeconds, l.Day)}
}

// Day returns the number of the day, since 1970, and the requests in it.
func (c *Counter) Day() (day, requests uint32) { return split(c.day.word.Load()) }

// Restore sets the requests of a day that were counted before a restart.
func (c *Counter) Restore(day, requests uint32) { c.day.word.Store(join(day, requests)) }

// take counts one more in the window, unless there are limit already, and returns
// the window that it counted in: after a clock was set back, the one that it had.
func (c *counted) take(window uint32, limit int) (uint32, bool) {
	for {
		old := c.word.Load()
		at, n := current(old, window)
		if int64(n) >= int64(limit) {
			return at, false
		}
		if c.word.CompareAndSwap(old, join(at, n+1)) {
			return at, true
		}
	}
}

func (c *counted) giveBack(window uint32) {
	for {
		old := c.word.Load()
		at, n := split(old)
		if at != window || n == 0 || c.word.CompareAndSwap(old, join(at, n-1)) {
			return
		}
	}
}

func (c *counted) window(now, seconds int64, limit int) Window {
	at, n := current(c.word.Load(), uint32(now/seconds))
	return Window{Limit: limit, Remaining: max(0, limit-int(n)), Reset: time.Unix((int64(at)+1)*seconds, 0)}
}

// current is the window that counts, and what was counted in it. A window that is
// one ahead is of a clock that was set back a little; one further ahead is of a
// clock that was wrong, and must lock nobody out.
func current(word uint64, window uint32) (at, n uint32) {
	at, n = split(word)
	if at < window || at > window+1 {
		return window, 0
	}
	return at, n
}

func join(window, n uint32) uint64         { return uint64(window)<<32 | uint64(n) }
func split(word uint64) (window, n uint32) { return uint32(word >> 32), uint32(word) }
