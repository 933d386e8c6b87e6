package access

import (
	"sync/atomic"
	"time"
)

// told is what the ledger knows of a window of a client: the units of this server, and those of the
// others. Both are words with the number of the window.
type told struct{ own, others atomic.Uint64 }

// in returns what is known of a window: nothing, unless it is the last that was told. It reads own
// first, and set writes it last. So others are never older than own, which the bound needs.
func (t *told) in(window uint32) (own, others uint64) {
	if at, n := split(t.own.Load()); at == window {
		own = n
	}
	if at, n := split(t.others.Load()); at == window {
		others = n
	}
	return own, others
}

// set notes what was told and answered. Only one goroutine does so.
func (t *teller) set(units, others uint64) {
	own, before := t.in(t.window)
	t.told.others.Store(join(t.window, max(before, others)))
	t.told.own.Store(join(t.window, max(own, units)))
}

// A creditor decides how much of a limit a server may use.
type creditor struct {
	limit, servers int
	late           bool // the ledger does not answer
}

// credit is how many requests a server may admit before it tells the ledger: an eighth of its part
// of the limit, or less if that is much.
func (c creditor) credit() uint64 {
	return uint64(min(ceilDiv(c.limit, 8*c.servers), max(16, c.limit/1000)))
}

// room returns how many units a server may have counted at most after it has told the ledger own
// ones, and how many it could if it told all.
func (c creditor) room(own, others uint64) (now, told uint64) {
	limit := uint64(c.limit) * Whole
	told = limit - min(limit, others)
	credit := c.credit()
	if c.late {
		rest := told - min(told, own)
		credit = max(credit, ceilDiv(rest, uint64(c.servers)*Whole))
		told = min(told, own+credit*Whole)
	}
	return min(told, own+credit*Whole), told
}

func ceilDiv[T int | uint64](n, d T) T { return (n + d - 1) / d }

// creditor returns the rules of a limit at the moment.
func (s *sharing) creditor(limit int) creditor {
	return creditor{limit, int(s.servers.Load()), s.late.Load()}
}

// chargeShared is charge with a ledger. A request waits for the ledger when the client's credit is
// spent, and then only a little.
func (c *counter) chargeShared(l Limits, now time.Time) (charge Charge, ok bool) {
	charge, ok, short := c.tryShared(l, now, false)
	if ok || !short {
		return charge, ok
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for inTime := true; !ok && short && inTime; {
		inTime = c.sharing.wait(timer)
		charge, ok, short = c.tryShared(l, now, !inTime)
	}
	return charge, ok
}

// tryShared spends one request if there is one. short means that there may be one when all is told.
func (c *counter) tryShared(l Limits, now time.Time, late bool) (charge Charge, ok, short bool) {
	at := now.Unix()
	minute, day := c.sharing.creditor(l.Minute), c.sharing.creditor(l.Day)
	minute.late, day.late = minute.late || late, day.late || late
	charge = Charge{counter: c, limits: l}
	charge.minute, ok, short = c.takeShared(&c.minute, &c.minuteTold, uint32(at/minuteSeconds), minute)
	if !ok {
		return charge, false, short
	}
	if charge.day, ok, short = c.takeShared(&c.day, &c.dayTold, uint32(at/daySeconds), day); !ok {
		c.minute.giveBack(charge.minute, Whole)
	}
	return charge, ok, short
}

// takeShared is take with a ledger.
func (c *counter) takeShared(used *counted, t *told, window uint32, rule creditor) (at uint32, ok, short bool) {
	for {
		old := used.word.Load()
		at, n := current(old, window)
		own, others := t.in(at)
		now, told := rule.room(own, others)
		if n+Whole > now {
			return at, false, n+Whole <= told
		}
		if used.word.CompareAndSwap(old, join(at, n+Whole)) {
			if n+Whole > own+rule.credit()*Whole/2 {
				signal(c.sharing.soon)
			}
			return at, true, false
		}
	}
}

// peekShared is peek with a ledger. It returns what remains, as far as this server knows.
func (c *counter) peekShared(l Limits, now time.Time) Usage {
	window := func(used *counted, t *told, seconds int64, limit int) Window {
		at, n := current(used.word.Load(), uint32(now.Unix()/seconds))
		_, most := c.sharing.creditor(limit).room(t.in(at))
		return Window{Limit: limit, Remaining: int((most - min(most, n)) / Whole),
			Reset: time.Unix((int64(at)+1)*seconds, 0)}
	}
	return Usage{window(&c.minute, &c.minuteTold, minuteSeconds, l.Minute),
		window(&c.day, &c.dayTold, daySeconds, l.Day)}
}
