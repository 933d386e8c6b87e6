package hook

import (
	"fmt"
	"net/netip"
	"syscall"
)

// notPublic are the ranges to which nothing is sent without --hook-private, with what they are: from
// the IANA registries of special-purpose addresses.
var notPublic = []struct{ prefix, what string }{
	{"0.0.0.0/8", "this network"},
	{"10.0.0.0/8", "private"},
	{"100.64.0.0/10", "shared by a provider's customers"},
	{"127.0.0.0/8", "loopback"},
	{"169.254.0.0/16", "link-local"},
	{"172.16.0.0/12", "private"},
	{"192.0.0.0/24", "of protocols"},
	{"192.0.2.0/24", "for documentation"},
	{"192.88.99.0/24", "6to4"},
	{"192.168.0.0/16", "private"},
	{"198.18.0.0/15", "for benchmarks"},
	{"198.51.100.0/24", "for documentation"},
	{"203.0.113.0/24", "for documentation"},
	{"224.0.0.0/4", "multicast"},
	{"240.0.0.0/4", "reserved"},
	{"64:ff9b::/96", "NAT64"},
	{"64:ff9b:1::/48", "NAT64"},
	{"2001::/23", "of protocols, such as Teredo"},
	{"2001:db8::/32", "for documentation"},
	{"2002::/16", "6to4"},
	{"3fff::/20", "for documentation"},
}

// global has all public addresses of IPv6.
var global = netip.MustParsePrefix("2000::/3")

var refused = func() (list []netip.Prefix) {
	for _, r := range notPublic {
		list = append(list, netip.MustParsePrefix(r.prefix))
	}
	return list
}()

// checkPublic returns an error for an address that is not on the public internet.
func checkPublic(a netip.Addr) error {
	if a.Zone() != "" {
		return fmt.Errorf("the address %s is link-local", a)
	}
	if a.Is4In6() { // the system would dial the address of IPv4
		a = a.Unmap()
	}
	for i, p := range refused {
		if p.Contains(a) {
			return fmt.Errorf("the address %s is %s", a, notPublic[i].what)
		}
	}
	if a.Is6() && !global.Contains(a) {
		return fmt.Errorf("the address %s is not public", a)
	}
	return nil
}

// control refuses addresses that are not public. The dialer calls it with each address that it is
// about to connect to, after DNS.
func control(_, address string, _ syscall.RawConn) error {
	a, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("the address %q is not one of IP", address)
	}
	return checkPublic(a.Addr())
}
