package admit

import (
	"net/netip"
	"testing"
)

func TestNetworks(t *testing.T) {
	for _, tt := range []struct{ in, subscriber, network, provider string }{
		{"203.0.113.9", "203.0.113.9", "203.0.113.0/24", "203.0.0.0/16"},
		{"::ffff:203.0.113.9", "203.0.113.9", "203.0.113.0/24", "203.0.0.0/16"},
		{"2001:db8:1:2:3:4:5:6%eth0", "2001:db8:1:2::", "2001:db8:1::/48", "2001:db8::/32"},
		{"::1", "::", "::/48", "::/32"}, // the /64 in which IPv4-mapped addresses lie is not IPv4
	} {
		t.Run(tt.in, func(t *testing.T) {
			addr := netip.MustParseAddr(tt.in)
			line := Line(addr)
			network := Network(line)
			if s := Subscriber(addr).String(); s != tt.subscriber || network.String() != tt.network {
				t.Errorf("got %s in %s, want %s in %s", s, network, tt.subscriber, tt.network)
			}
			if a, b := Provider(line).String(), Provider(network).String(); a != tt.provider || b != tt.provider {
				t.Errorf("got providers %s and %s, want %s", a, b, tt.provider)
			}
		})
	}
	if p := Provider(Network(Line(netip.Addr{}))); p.IsValid() {
		t.Errorf("the zero address has the provider %s, want none", p)
	}
}
