package limit

import (
	"net/netip"
	"time"
)

// Addresses count by client address: one IPv4 address, or one /64 of IPv6, see Subscriber.
// In a flood from more than a Counter holds they count the networks together that it comes
// from: a /48 or, of IPv4, a /24, then a /32 or a /16.
type Addresses struct{ counter *Counter[netip.Prefix] }

// NewAddresses returns an empty count by windows of so many whole seconds.
func NewAddresses(window time.Duration) *Addresses {
	return &Addresses{New(window, Network, Provider)}
}

// Add counts one more and returns how many there are in the window of now, with this
// one.
func (a *Addresses) Add(addr netip.Addr, now time.Time) int {
	return a.counter.Add(Line(addr), now)
}

// AddMany counts n more, or less where n is negative, and returns how many there are then.
func (a *Addresses) AddMany(addr netip.Addr, now time.Time, n int) int {
	return a.counter.add(Line(addr), now, n)
}

// TakeBack counts one less in the window of now.
func (a *Addresses) TakeBack(addr netip.Addr, now time.Time) { a.counter.TakeBack(Line(addr), now) }

// Count returns how many there are in the window of now.
func (a *Addresses) Count(addr netip.Addr, now time.Time) int {
	return a.counter.Count(Line(addr), now)
}

// End is when the window of now ends.
func (a *Addresses) End(now time.Time) time.Time { return a.counter.End(now) }

// Subscriber is what addresses are counted by: one IPv4 address, or one /64 of IPv6,
// which is what a single subscriber has. IPv4-mapped IPv6 is IPv4; zones do not count.
func Subscriber(addr netip.Addr) netip.Addr { return Line(addr).Addr() }

// Line is the network of a Subscriber: a /32 of IPv4, a /64 of IPv6.
func Line(addr netip.Addr) netip.Prefix { return network(addr, 32, 64) }

// Network is the next wider one: a /24 or a /48, which is what an organisation has.
func Network(p netip.Prefix) netip.Prefix { return network(p.Addr(), 24, 48) }

// Provider is the widest: a /16 or a /32, which is what a provider has.
func Provider(p netip.Prefix) netip.Prefix { return network(p.Addr(), 16, 32) }

// network is the network of an address of so many bits; that of no address is none.
func network(addr netip.Addr, bits4, bits6 int) netip.Prefix {
	addr = addr.Unmap().WithZone("")
	bits := bits6
	if addr.Is4() {
		bits = bits4
	}
	p, _ := addr.Prefix(bits) // fails for no address only
	return p
}
