package access

import (
	"net/netip"
	"sync/atomic"
	"time"
)

// A Window is the state of one limit.
type Window struct {
	Limit     int       `json:"limit"`
	Remaining int       `json:"remaining"`
	Reset     time.Time `json:"reset"` // the end of the window
}

// Usage is the state of a client's limits; a Window with Limit 0 stands for no limit.
type Usage struct{ Minute, Day Window }

// RetryAfter returns the time to the end of the window that refuses, at least a second; 0 if none
// does.
func (u Usage) RetryAfter(now time.Time) time.Duration { return u.Wait(1, now) }

// Wait is RetryAfter for n requests at once.
func (u Usage) Wait(n int, now time.Time) time.Duration {
	wait := time.Duration(0)
	for _, w := range []Window{u.Minute, u.Day} {
		if w.Limit > 0 && w.Remaining < n {
			wait = max(wait, w.Reset.Sub(now), time.Second)
		}
	}
	return wait
}

// Requests are counted in twentieths. Whole is what a request costs. A request that finds nothing
// new (304) costs one twentieth, and so will a tile.
const (
	Whole     = 20
	Twentieth = 1
)

// A counter counts the requests of a client in the current minute and day, in twentieths.
// Minutes are those of the wall clock, days those of UTC. What remains is rounded down to
// whole requests: a request is refused when less than a whole one is left, since what it
// costs is known only afterwards.
type counter struct{ minute, day counted }

// counted is the number of a window and the units used in it, in one word: taking the last unit and
// going to the next window are one atomic step each. With several servers these are the units of this one.
type counted struct {
	word        atomic.Uint64
	others      atomic.Uint64 // a word: what the other servers used, as far as this one knows
	told, heard uint64        // words: the last that the ledger was told, and answered; of sharing.run alone
}

const (
	minuteSeconds = 60
	daySeconds    = 86400
)

// A Charge is a request that was counted.
type Charge struct {
	counter     *counter
	limits      Limits
	minute, day uint32 // windows
	client      *live  // whose visitors are counted; nil of a Counter alone
	address     netip.Addr
	at          time.Time
	more        []Charge // that the request was counted as in addition
}

// charge spends one request, and reports whether one was left. The Charge is needed for a refund.
func (c *counter) charge(l Limits, now time.Time) (charge Charge, u Usage, ok bool) {
	at := now.Unix()
	charge = Charge{counter: c, limits: l}
	if charge.minute, ok = c.minute.take(uint32(at/minuteSeconds), l.Minute); ok {
		if charge.day, ok = c.day.take(uint32(at/daySeconds), l.Day); !ok {
			c.minute.giveBack(charge.minute, Whole)
		}
	}
	return charge, c.peek(l, now), ok
}

// More counts the request as n more, and returns the state after that. If fewer are left, none of them is
// counted, and the error is the one of Gate.Check.
func (c *Charge) More(n int, now time.Time) (Usage, error) {
	for range n {
		one, err := c.client.charge(c.address, now)
		if err != nil {
			c.giveBackMore(now)
			return c.client.usage(c.address, now), err
		}
		c.more = append(c.more, one)
	}
	return c.client.usage(c.address, now), nil
}

func (c *Charge) giveBackMore(now time.Time) {
	for i := range c.more {
		c.more[i].Cost(0, now)
	}
	c.more = nil
}

// Cost charges units instead of whole requests, and returns the state after that. It may be called
// once.
func (c *Charge) Cost(units uint64, now time.Time) Usage {
	if c.counter == nil { // the request was not counted
		return Usage{}
	}
	c.giveBackMore(now)
	c.counter.minute.giveBack(c.minute, Whole-units)
	c.counter.day.giveBack(c.day, Whole-units)
	if c.client == nil {
		return c.counter.peek(c.limits, now)
	}
	c.client.visitors.giveBack(c.limits, c.address, c.at, int(Whole-units))
	return c.client.usage(c.address, now)
}

// peek returns the state and charges nothing.
func (c *counter) peek(l Limits, now time.Time) Usage {
	at := now.Unix()
	return Usage{c.minute.window(at, minuteSeconds, l.Minute), c.day.window(at, daySeconds, l.Day)}
}

// today returns the number of the day, counted from 1970, and the units used in it.
func (c *counter) today() (day uint32, units uint64) { return split(c.day.word.Load()) }

// restore sets the units of a day that were counted before a restart.
func (c *counter) restore(day uint32, units uint64) { c.day.word.Store(join(day, units)) }

// take counts a whole request in the window, unless that would exceed limit. It returns the window
// in which it counted: if the clock was set back, this is still the later one.
func (c *counted) take(window uint32, limit int) (uint32, bool) {
	for {
		old := c.word.Load()
		at, n := current(old, window)
		if n+unitsIn(c.others.Load(), at)+Whole > uint64(limit)*Whole {
			return at, false
		}
		if c.word.CompareAndSwap(old, join(at, n+Whole)) {
			return at, true
		}
	}
}

func (c *counted) giveBack(window uint32, units uint64) {
	for {
		old := c.word.Load()
		at, n := split(old)
		if at != window || n < units || c.word.CompareAndSwap(old, join(at, n-units)) {
			return
		}
	}
}

func (c *counted) window(now, seconds int64, limit int) Window {
	at, n := current(c.word.Load(), uint32(now/seconds))
	n += unitsIn(c.others.Load(), at)
	return Window{Limit: limit, Remaining: max(0, int((int64(limit)*Whole-int64(n))/Whole)),
		Reset: time.Unix((int64(at)+1)*seconds, 0)}
}

// current returns the window that counts, and the units in it. A counted window may be later than
// the clock's: one ahead means that the clock was set back a little, and it stays. Further ahead
// means that the clock was wrong, and must not lock anybody out.
func current(word uint64, window uint32) (at uint32, n uint64) {
	at, n = split(word)
	if at < window || at > window+1 {
		return window, 0
	}
	return at, n
}

// unitBits is the number of bits that count units: enough for the greatest limit. The other bits
// are enough for minutes until the year 2097.
const unitBits = 38

func join(window uint32, units uint64) uint64 {
	return uint64(window)<<unitBits | min(units, 1<<unitBits-1)
}

func split(word uint64) (window uint32, units uint64) {
	return uint32(word >> unitBits), word & (1<<unitBits - 1)
}

// unitsIn returns the units of a word that is of a window, else 0.
func unitsIn(word uint64, window uint32) uint64 {
	if at, n := split(word); at == window {
		return n
	}
	return 0
}
