package access

import (
	"net/netip"
	"time"

	"relais/internal/admit"
)

// visitors count the requests of one client by their address, in twentieths as a counter does. One
// IPv4 address, or one /64 of IPv6, is a visitor. The counts are in memory only. Beyond 65,536
// visitors in a window, those who asked least are forgotten: what they use still counts for the
// client.
type visitors struct{ minute, day *admit.Rate }

func newVisitors() *visitors {
	return &visitors{admit.NewRate(minuteSeconds * time.Second), admit.NewRate(daySeconds * time.Second)}
}

// errVisitor is the ErrRateLimited of one visitor. The client's other visitors are still served.
var errVisitor error = &Hint{"the requests of this address are used up: the client has a limit for each of its visitors", ErrRateLimited}

// take counts a whole request of an address, and reports whether one was left.
func (v *visitors) take(l Limits, addr netip.Addr, now time.Time) bool {
	if !l.ofVisitors() {
		return true
	}
	minute := admit.Of(addr, l.VisitorMinute*Whole)
	if !v.minute.Take(now, Whole, minute) {
		return false
	}
	if !v.day.Take(now, Whole, admit.Of(addr, l.VisitorDay*Whole)) {
		v.minute.GiveBack(now, Whole, minute)
		return false
	}
	return true
}

// giveBack gives back units that were taken at an earlier time.
func (v *visitors) giveBack(l Limits, addr netip.Addr, taken time.Time, units int) {
	if !l.ofVisitors() {
		return
	}
	v.minute.GiveBack(taken, units, admit.Of(addr, 0))
	v.day.GiveBack(taken, units, admit.Of(addr, 0))
}

// usage is the state of the limits of an address; a Window with Limit 0 stands for no limit.
func (v *visitors) usage(l Limits, addr netip.Addr, now time.Time) Usage {
	return Usage{window(v.minute, l.VisitorMinute, addr, now), window(v.day, l.VisitorDay, addr, now)}
}

func (l *Limits) ofVisitors() bool { return l.VisitorMinute > 0 || l.VisitorDay > 0 }

func window(r *admit.Rate, most int, addr netip.Addr, now time.Time) Window {
	if most == 0 {
		return Window{}
	}
	left := most*Whole - r.Count(now, admit.Line(addr).String())
	return Window{Limit: most, Remaining: max(0, left/Whole), Reset: r.End(now)}
}

// usage returns what a visitor has left: for each window the client's limit or the visitor's own,
// whichever leaves less.
func (k *live) usage(addr netip.Addr, now time.Time) Usage {
	u, own := k.counter.peek(k.Limits, now), k.visitors.usage(k.Limits, addr, now)
	return Usage{less(u.Minute, own.Minute), less(u.Day, own.Day)}
}

func less(client, visitor Window) Window {
	if visitor.Limit > 0 && visitor.Remaining < client.Remaining {
		return visitor
	}
	return client
}

// charge counts a request for its visitor, then for the client. A visitor without requests left
// costs the others nothing.
func (k *live) charge(addr netip.Addr, now time.Time) (Charge, error) {
	if !k.visitors.take(k.Limits, addr, now) {
		return Charge{}, errVisitor
	}
	charge, _, ok := k.counter.charge(k.Limits, now)
	if !ok {
		k.visitors.giveBack(k.Limits, addr, now, Whole)
		return Charge{}, ErrRateLimited
	}
	charge.client, charge.address, charge.at = k, addr, now
	return charge, nil
}

// spent returns the error of a request that charge would refuse, else nil.
func (k *live) spent(addr netip.Addr, now time.Time) error {
	switch {
	case k.visitors.usage(k.Limits, addr, now).RetryAfter(now) > 0:
		return errVisitor
	case k.counter.peek(k.Limits, now).RetryAfter(now) > 0:
		return ErrRateLimited
	}
	return nil
}
