package publicnet_test

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"

	"relais/internal/publicnet"
)

// The blocks of the IANA registries of special-purpose addresses of IPv4 and IPv6 (October 2025) that are not
// globally reachable, and others that must not be dialled: multicast, the addresses that lead to one of
// IPv4, and site-local ones. Both ends of each block are refused, and what each is is said.
func TestBlocks(t *testing.T) {
	for _, tt := range []struct{ first, last, what string }{
		{"0.0.0.0", "0.255.255.255", "this network"},
		{"10.0.0.0", "10.255.255.255", "private"},
		{"100.64.0.0", "100.127.255.255", "shared"},
		{"127.0.0.0", "127.255.255.255", "loopback"},
		{"169.254.0.0", "169.254.255.255", "link-local"},
		{"169.254.169.254", "169.254.169.254", "link-local"}, // metadata of clouds
		{"172.16.0.0", "172.31.255.255", "private"},
		{"192.0.0.0", "192.0.0.255", "for protocols"},
		{"192.0.2.0", "192.0.2.255", "for documentation"},
		{"192.88.99.0", "192.88.99.255", "6to4"},
		{"192.168.0.0", "192.168.255.255", "private"},
		{"198.18.0.0", "198.19.255.255", "for benchmarks"},
		{"198.51.100.0", "198.51.100.255", "for documentation"},
		{"203.0.113.0", "203.0.113.255", "for documentation"},
		{"224.0.0.0", "239.255.255.255", "multicast"},
		{"240.0.0.0", "255.255.255.255", "reserved"},
		{"::", "::", "unspecified"},
		{"::1", "::1", "loopback"},
		{"::2", "::ffff:ffff", "not public"}, // IPv4-compatible
		{"::ffff:0.0.0.0", "::ffff:0.255.255.255", "this network"},
		{"::ffff:10.0.0.0", "::ffff:10.255.255.255", "private"},
		{"::ffff:127.0.0.0", "::ffff:127.255.255.255", "loopback"},
		{"::ffff:169.254.0.0", "::ffff:169.254.255.255", "link-local"},
		{"64:ff9b::", "64:ff9b::ffff:ffff", "NAT64"},
		{"64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", "NAT64"},
		{"100::", "100::ffff:ffff:ffff:ffff", "not public"},
		{"100:0:0:1::", "100::1:ffff:ffff:ffff:ffff", "not public"},
		{"2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff", "Teredo"},
		{"2001:2::", "2001:2:0:ffff:ffff:ffff:ffff:ffff", "for benchmarks"},
		{"2001:1::1", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "for protocols"},
		{"2001:10::", "2001:2f:ffff:ffff:ffff:ffff:ffff:ffff", "for protocols"}, // ORCHID
		{"2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "for documentation"},
		{"2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "6to4"},
		{"3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "for documentation"},
		{"5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "not public"},
		{"fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "private"},
		{"fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "link-local"},
		{"fe80::1%eth0", "fe80::1%eth0", "link-local"},
		{"2606:4700::1%eth0", "2606:4700::1%eth0", "link-local"},
		{"fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "not public"},
		{"ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "multicast"},
	} {
		t.Run(tt.first, func(t *testing.T) {
			for _, text := range []string{tt.first, tt.last} {
				err := publicnet.Check(netip.MustParseAddr(text))
				if err == nil || !strings.Contains(err.Error(), text) || !strings.Contains(err.Error(), "is "+tt.what) {
					t.Errorf("%s: got %v, want that it is %s", text, err, tt.what)
				}
			}
		})
	}
}

// The neighbours of the blocks, and hosts that everybody knows, are public.
func TestPublic(t *testing.T) {
	for _, text := range []string{"1.0.0.0", "1.1.1.1", "8.8.8.8", "93.184.216.34", "9.255.255.255", "11.0.0.0",
		"100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0",
		"172.15.255.255", "172.32.0.0", "192.0.1.0", "192.0.3.0", "192.88.98.255", "192.88.100.0", "192.167.255.255",
		"192.169.0.0", "198.17.255.255", "198.20.0.0", "198.51.99.255", "198.51.101.0", "203.0.112.255", "203.0.114.0",
		"223.255.255.255", "::ffff:1.1.1.1", "::ffff:8.8.8.8", "2000::", "2001:200::", "2001:db7:ffff::", "2001:db9::",
		"2001:ffff::", "2003::1", "2606:2800:220:1::1", "2606:4700:4700::1111", "2a01:e0a::1", "3ffe:ffff::", "3fff:1000::"} {
		if err := publicnet.Check(netip.MustParseAddr(text)); err != nil {
			t.Errorf("%s: got %v, want that it is public", text, err)
		}
	}
	if publicnet.Check(netip.Addr{}) == nil {
		t.Error("the zero address is public")
	}
}

// A dialer with Control connects to no other address, whatever leads to it.
func TestControl(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	for _, host := range []string{"localhost", "127.0.0.1", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "0.0.0.0"} {
		c, err := (&net.Dialer{ControlContext: publicnet.Control}).DialContext(t.Context(), "tcp", host+":"+port)
		if err == nil {
			c.Close()
			t.Errorf("%s: got a connection", host)
			continue
		}
		if text := fmt.Sprint(err); !strings.Contains(text, "is loopback") && !strings.Contains(text, "is this network") {
			t.Errorf("%s: got %v, want that it is not public", host, err)
		}
	}
	if err := publicnet.Control(t.Context(), "unix", "/run/x.sock", nil); err == nil {
		t.Error("a socket file is public")
	}
}
