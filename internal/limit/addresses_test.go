package limit

import (
	"encoding/binary"
	"net/netip"
	"testing"
	"time"
)

func TestSubscriber(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"203.0.113.9", "203.0.113.9"},
		{"::ffff:203.0.113.9", "203.0.113.9"},
		{"2001:db8:1:2:3:4:5:6%eth0", "2001:db8:1:2::"},
		{"::1", "::"},
	} {
		t.Run(tt.in, func(t *testing.T) {
			if got := Subscriber(netip.MustParseAddr(tt.in)); got.String() != tt.want {
				t.Errorf("Subscriber(%s) = %s, want %s", tt.in, got, tt.want)
			}
		})
	}
	if Subscriber(netip.Addr{}).IsValid() {
		t.Error("the zero address has a subscriber, want none")
	}
}

func TestNetworks(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want [2]string
	}{
		{"203.0.113.9", [2]string{"203.0.113.0/24", "203.0.0.0/16"}},
		{"::ffff:203.0.113.9", [2]string{"203.0.113.0/24", "203.0.0.0/16"}},
		{"2001:db8:1:2:3:4:5:6", [2]string{"2001:db8:1::/48", "2001:db8::/32"}},
	} {
		t.Run(tt.in, func(t *testing.T) {
			line := Line(netip.MustParseAddr(tt.in))
			if got := Network(line).String(); got != tt.want[0] {
				t.Errorf("Network of %s = %s, want %s", tt.in, got, tt.want[0])
			}
			for _, p := range []netip.Prefix{line, Network(line)} {
				if got := Provider(p).String(); got != tt.want[1] {
					t.Errorf("Provider of %s = %s, want %s", p, got, tt.want[1])
				}
			}
		})
	}
	if p := Provider(Network(Line(netip.Addr{}))); p.IsValid() {
		t.Errorf("the zero address has the provider %s, want none", p)
	}
}

// lineOf is a /64 in the i-th /48 of 2001:db8::/32.
func lineOf(i, j int) netip.Addr {
	b := [16]byte{0x20, 0x01, 0x0d, 0xb8}
	binary.BigEndian.PutUint16(b[4:], uint16(i))
	binary.BigEndian.PutUint16(b[6:], uint16(j))
	return netip.AddrFrom16(b)
}

// mustHave asks how often an address is counted, without counting it.
func mustHave(t *testing.T, a *Addresses, addr string, want int) {
	t.Helper()
	if n := a.Count(netip.MustParseAddr(addr), noon); n != want {
		t.Errorf("%s has %d, want %d", addr, n, want)
	}
}

// A flood from one /48 is counted together, and as the average of its addresses: others,
// and newcomers, are counted as if it were not there.
func TestFloodFromANetwork(t *testing.T) {
	a := NewAddresses(time.Minute)
	for range 7 {
		a.Add(netip.MustParseAddr("203.0.113.9"), noon)
		a.Add(netip.MustParseAddr("2001:db8:7777:1::1"), noon)
	}
	for j := range 1 << 16 {
		for range 3 {
			a.Add(lineOf(0, j), noon)
		}
	}
	if n := len(a.counter.counts); n > 10 {
		t.Errorf("%d keys are kept, want the flood's together", n)
	}
	mustHave(t, a, "203.0.113.9", 7)
	mustHave(t, a, "2001:db8:7777:1::1", 7)
	mustHave(t, a, "203.0.113.10", 0)
	mustHave(t, a, "2001:db8:7777:2::1", 0)
	mustHave(t, a, "2001:db8:0:1::1", 4) // what came after the count was full is counted, too
	for range 10 << 16 {
		a.Add(lineOf(0, 1), noon)
	}
	if n := a.Count(lineOf(0, 2), noon); n < 12 || n > 14 {
		t.Errorf("the flood's network has %d, want the average of its addresses, 13", n)
	}
	mustHave(t, a, "203.0.113.9", 7)
	mustHave(t, a, "203.0.113.10", 0)
}

// A flood from many /48s of one provider is counted together at last, and so is one of
// IPv4.
func TestFloodFromAProvider(t *testing.T) {
	a := NewAddresses(time.Minute)
	for range 7 {
		a.Add(netip.MustParseAddr("2a01:e0a:1:1::1"), noon)
		a.Add(netip.MustParseAddr("192.0.2.9"), noon)
	}
	for i := range 3 << 15 {
		if n := a.Add(lineOf(i, i>>16), noon); n > 3 {
			t.Fatalf("address %d of the flood has %d, want at most 3", i, n)
		}
		b := [4]byte{10, 20 + byte(i>>16), byte(i >> 8), byte(i)}
		a.Add(netip.AddrFrom4(b), noon)
		if n := len(a.counter.counts); n > maxKeys {
			t.Fatalf("%d keys are kept, want at most 65536", n)
		}
	}
	mustHave(t, a, "2a01:e0a:1:1::1", 7)
	mustHave(t, a, "2a01:e0a:1:2::1", 0)
	mustHave(t, a, "192.0.2.9", 7)
	mustHave(t, a, "192.0.2.10", 0)
	if n := a.Count(netip.MustParseAddr("2001:db8:ffff:ffff::"), noon); n < 1 || n > 3 {
		t.Errorf("a newcomer in the flood has %d, want its average, 1 to 3", n)
	}
}

// Addresses of as many providers as there are keys share nothing.
func TestFloodFromEverywhere(t *testing.T) {
	a := NewAddresses(time.Minute)
	for range 7 {
		a.Add(netip.MustParseAddr("192.0.2.9"), noon)
	}
	for i := range 2 * maxKeys {
		b := [16]byte{0: 0x20}
		binary.BigEndian.PutUint32(b[:], uint32(0x20000000+i))
		if n := a.Add(netip.AddrFrom16(b), noon); n != 1 {
			t.Fatalf("address %d has %d, want 1", i, n)
		}
	}
	mustHave(t, a, "192.0.2.9", 7)
	mustHave(t, a, "192.0.2.10", 0)
}

// Lines share nothing, also when there are more than fit: those with the smallest counts are
// forgotten.
func TestManyLines(t *testing.T) {
	a := NewLines(time.Minute)
	for range 7 {
		a.Add(netip.MustParseAddr("10.0.0.9"), noon) // in the network of the others
	}
	for i := range 100_000 {
		b := [4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}
		if b == [4]byte{10, 0, 0, 9} {
			continue
		}
		if n := a.Add(netip.AddrFrom4(b), noon); n != 1 {
			t.Fatalf("address %d has %d, want 1", i, n)
		}
		if n := len(a.counter.counts); n > maxKeys {
			t.Fatalf("%d keys are kept, want at most %d", n, maxKeys)
		}
	}
	mustHave(t, a, "10.0.0.9", 7)
}
