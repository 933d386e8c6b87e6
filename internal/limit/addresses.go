package limit

import (
	"net/netip"
	"time"
)

// Addresses counts by client address: one IPv4 address, or one /64 of IPv6 (see Subscriber).
// When there are more addresses than a Counter holds, those of one network share a count:
// first of a /48 (a /24 of IPv4), then of a /32 (a /16 of IPv4).
type Addresses struct{ counter *Counter[netip.Prefix] }

// NewAddresses returns an empty counter. The window is in whole seconds.
func NewAddresses(window time.Duration) *Addresses {
	return &Addresses{New(window, Network, Provider)}
}

// NewLines returns an empty counter whose addresses never share a count. When there are more than a
// Counter holds, the smallest counts are forgotten: somebody with many addresses is not counted for
// long, but nobody is counted for what another one did.
func NewLines(window time.Duration) *Addresses { return &Addresses{New[netip.Prefix](window)} }

// Add adds one and returns the count in the window of now.
func (a *Addresses) Add(addr netip.Addr, now time.Time) int {
	return a.counter.Add(Line(addr), now)
}

// AddMany adds n, which may be negative, and returns the count in the window of now.
func (a *Addresses) AddMany(addr netip.Addr, now time.Time, n int) int {
	return a.counter.add(Line(addr), now, n)
}

// TakeBack subtracts one in the window of now.
func (a *Addresses) TakeBack(addr netip.Addr, now time.Time) { a.counter.TakeBack(Line(addr), now) }

// Count returns the count in the window of now.
func (a *Addresses) Count(addr netip.Addr, now time.Time) int {
	return a.counter.Count(Line(addr), now)
}

// End returns the end of the window of now.
func (a *Addresses) End(now time.Time) time.Time { return a.counter.End(now) }

// Subscriber returns the address that stands for addr's subscriber: an IPv4 address, or the
// first of a /64 of IPv6, which one subscriber has. IPv4-mapped IPv6 is IPv4, and zones are
// ignored.
func Subscriber(addr netip.Addr) netip.Addr { return Line(addr).Addr() }

// Line returns the network of a subscriber: a /32 of IPv4, a /64 of IPv6.
func Line(addr netip.Addr) netip.Prefix { return network(addr, 32, 64) }

// Network returns the next wider network: a /24 or a /48, as an organisation has.
func Network(p netip.Prefix) netip.Prefix { return network(p.Addr(), 24, 48) }

// Provider returns the widest network: a /16 or a /32, as a provider has.
func Provider(p netip.Prefix) netip.Prefix { return network(p.Addr(), 16, 32) }

// network returns the network of an address with so many bits. That of the zero Addr is the
// zero Prefix.
func network(addr netip.Addr, bits4, bits6 int) netip.Prefix {
	addr = addr.Unmap().WithZone("")
	bits := bits6
	if addr.Is4() {
		bits = bits4
	}
	p, _ := addr.Prefix(bits) // fails for no address only
	return p
}
