package access

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"relais/internal/admit"
)

// Proxies are the networks of the reverse proxies whose X-Forwarded-For is believed.
type Proxies []netip.Prefix

// The bounds of X-Forwarded-For. A caller may make this header as long as any.
const (
	maxHops = 32 // elements looked at, from the right
	maxHop  = 64 // bytes of an element, blanks included
)

// Client returns the address that a request comes from, without a zone; an IPv4-mapped address
// becomes IPv4. This is the address of the peer, the RemoteAddr of an http.Request, unless the peer
// is a trusted proxy. Then it is the rightmost untrusted address over all lines of X-Forwarded-For,
// read in order as one list. If all addresses are trusted, or the 32 rightmost, it is the leftmost
// of them. If a trusted proxy reported something else than an address, the caller is unknown: the
// zero Addr, and not the proxy, because a proxy may be let in where its callers must not be. A peer
// without an address is the zero Addr as well.
func (p Proxies) Client(remoteAddr string, forwarded []string) netip.Addr {
	client := parseHop(remoteAddr)
	hops := 0
	for _, line := range slices.Backward(forwarded) {
		for more := true; more; hops++ {
			if hops == maxHops || !Contains(p, client) {
				return client
			}
			var element string
			line, element, more = cutLast(line)
			hop := parseHop(element)
			if client = hop; !hop.IsValid() {
				return client
			}
		}
	}
	return client
}

// cutLast takes the last element off a list. It returns one byte more than maxHop of an element
// that is too long.
func cutLast(list string) (before, element string, more bool) {
	end := max(0, len(list)-maxHop-1)
	if i := strings.LastIndexByte(list[end:], ','); i >= 0 {
		return list[:end+i], list[end+i+1:], true
	}
	return "", list[end:], false
}

// parseHop reads an address with or without a port; an IPv6 address with a port
// stands in brackets. Anything else is the zero Addr.
func parseHop(s string) netip.Addr {
	if len(s) > maxHop {
		return netip.Addr{}
	}
	s = strings.Trim(s, " \t")
	if strings.HasPrefix(s, "[") && strings.HasSuffix(s, "]") {
		s += ":0"
	}
	if strings.HasPrefix(s, "[") || strings.Count(s, ":") == 1 {
		hop, _ := netip.ParseAddrPort(s) // zero on error
		return canonical(hop.Addr())
	}
	hop, _ := netip.ParseAddr(s) // zero on error
	return canonical(hop)
}

// canonical returns the form in which addresses are compared.
func canonical(addr netip.Addr) netip.Addr { return addr.Unmap().WithZone("") }

// Contains reports whether one of the prefixes, in the form of ParsePrefixes,
// contains the address. The zero Addr is in none, an IPv4 address in none of IPv6.
func Contains(prefixes []netip.Prefix, addr netip.Addr) bool {
	addr = canonical(addr)
	return slices.ContainsFunc(prefixes, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// ParsePrefixes reads CIDRs and single addresses, IPv4 or IPv6. It clears host bits and turns
// IPv4-mapped IPv6 into IPv4. The error names the text that is not an address or CIDR, or that has
// a zone.
func ParsePrefixes(list []string) ([]netip.Prefix, error) {
	prefixes := make([]netip.Prefix, 0, len(list))
	for _, text := range list {
		prefix, err := parsePrefix(strings.TrimSpace(text))
		if err != nil {
			return nil, fmt.Errorf("address %.100q: %w", text, err)
		}
		prefixes = append(prefixes, prefix)
	}
	return prefixes, nil
}

// mappedBits come before the IPv4 address in an IPv4-mapped one.
const mappedBits = 96

func parsePrefix(text string) (netip.Prefix, error) {
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		addr, addrErr := netip.ParseAddr(text)
		if addrErr != nil || addr.Zone() != "" {
			return prefix, errors.New(
				"not a CIDR such as 192.0.2.0/24 or 2001:db8::/32, nor a single address without a zone")
		}
		prefix = netip.PrefixFrom(addr, addr.BitLen())
	}
	if !prefix.Addr().Is4In6() {
		return prefix.Masked(), nil
	}
	if prefix.Bits() < mappedBits {
		return prefix, errors.New("wider than all of IPv4; write it as an IPv4 CIDR")
	}
	return netip.PrefixFrom(prefix.Addr().Unmap(), prefix.Bits()-mappedBits).Masked(), nil
}

// Shorten returns the network of an address as a CIDR, /24 of IPv4 and /48 of IPv6, for logs that
// must not identify a subscriber. The zero Addr is "unknown".
func Shorten(addr netip.Addr) string {
	if !addr.IsValid() {
		return "unknown"
	}
	return admit.Network(admit.Line(addr)).String()
}
