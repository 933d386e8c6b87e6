// Package publicnet keeps connections on the public internet: what a stranger names (a hook's address, a
// redirect, an answer of DNS) must not lead to machines of the operator's own network.
package publicnet

import (
	"context"
	"fmt"
	"net/netip"
	"syscall"
)

// special are the networks that are not public, with what they are: those of the IANA registries of
// special-purpose addresses, and those whose addresses lead to an address of IPv4. The few public addresses
// within them (such as 192.0.0.9 and 2001:1::1) serve protocols, and are refused too.
var special = []network{
	{netip.MustParsePrefix("0.0.0.0/8"), "this network"},
	{netip.MustParsePrefix("10.0.0.0/8"), "private"},
	{netip.MustParsePrefix("100.64.0.0/10"), "shared by a provider's customers"},
	{netip.MustParsePrefix("127.0.0.0/8"), "loopback"},
	{netip.MustParsePrefix("169.254.0.0/16"), "link-local"},
	{netip.MustParsePrefix("172.16.0.0/12"), "private"},
	{netip.MustParsePrefix("192.0.0.0/24"), "for protocols"},
	{netip.MustParsePrefix("192.0.2.0/24"), "for documentation"},
	{netip.MustParsePrefix("192.88.99.0/24"), "6to4"},
	{netip.MustParsePrefix("192.168.0.0/16"), "private"},
	{netip.MustParsePrefix("198.18.0.0/15"), "for benchmarks"},
	{netip.MustParsePrefix("198.51.100.0/24"), "for documentation"},
	{netip.MustParsePrefix("203.0.113.0/24"), "for documentation"},
	{netip.MustParsePrefix("224.0.0.0/4"), "multicast"},
	{netip.MustParsePrefix("240.0.0.0/4"), "reserved"},
	{netip.MustParsePrefix("::/128"), "unspecified"},
	{netip.MustParsePrefix("::1/128"), "loopback"},
	{netip.MustParsePrefix("64:ff9b::/96"), "NAT64"},
	{netip.MustParsePrefix("64:ff9b:1::/48"), "NAT64"},
	{netip.MustParsePrefix("2001::/32"), "Teredo"},
	{netip.MustParsePrefix("2001:2::/48"), "for benchmarks"},
	{netip.MustParsePrefix("2001::/23"), "for protocols"},
	{netip.MustParsePrefix("2001:db8::/32"), "for documentation"},
	{netip.MustParsePrefix("2002::/16"), "6to4"},
	{netip.MustParsePrefix("3fff::/20"), "for documentation"},
	{netip.MustParsePrefix("fc00::/7"), "private"},
	{netip.MustParsePrefix("fe80::/10"), "link-local"},
	{netip.MustParsePrefix("ff00::/8"), "multicast"},
}

type network struct {
	netip.Prefix
	what string
}

// assigned has all public addresses of IPv6.
var assigned = netip.MustParsePrefix("2000::/3")

// Check returns an error, which says what the address is, unless it belongs to the public internet.
func Check(a netip.Addr) error {
	if a.Zone() != "" {
		return fmt.Errorf("the address %s is link-local", a)
	}
	plain := a.Unmap() // the system dials the address of IPv4
	for _, n := range special {
		if n.Contains(plain) {
			return fmt.Errorf("the address %s is %s", a, n.what)
		}
	}
	if !plain.Is4() && !assigned.Contains(plain) {
		return fmt.Errorf("the address %s is not public", a)
	}
	return nil
}

// Control is the ControlContext of a net.Dialer that connects to public addresses only. The dialer calls
// it with each address that it is about to connect to, after DNS.
func Control(_ context.Context, _, address string, _ syscall.RawConn) error {
	a, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("the address %q is not an IP address with a port", address)
	}
	return Check(a.Addr())
}
