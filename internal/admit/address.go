package admit

import "net/netip"

// Subscriber returns the address that stands for addr's subscriber: an IPv4 address, or the first of a
// /64 of IPv6, which one subscriber has. IPv4-mapped IPv6 is IPv4, and zones are ignored.
func Subscriber(addr netip.Addr) netip.Addr { return Line(addr).Addr() }

// Line returns the network of a subscriber: a /32 of IPv4, a /64 of IPv6.
func Line(addr netip.Addr) netip.Prefix { return network(addr, 32, 64) }

// Network returns the next wider network: a /24 or a /48, as an organisation has.
func Network(p netip.Prefix) netip.Prefix { return network(p.Addr(), 24, 48) }

// Provider returns the widest network: a /16 or a /32, as a provider has.
func Provider(p netip.Prefix) netip.Prefix { return network(p.Addr(), 16, 32) }

// Visitor returns the names of the holders that a visitor of a group is: the subscriber and its network.
func Visitor(group string, addr netip.Addr) (visitor, network string) {
	line := Line(addr)
	return group + " " + line.String(), group + " " + Network(line).String()
}

// network returns the network of an address with so many bits. That of the zero Addr is the zero Prefix.
func network(addr netip.Addr, bits4, bits6 int) netip.Prefix {
	addr = addr.Unmap().WithZone("")
	bits := bits6
	if addr.Is4() {
		bits = bits4
	}
	p, _ := addr.Prefix(bits) // fails for no address only
	return p
}
