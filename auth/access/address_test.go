package access

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
)

var testProxies = Proxies{
	netip.MustParsePrefix("10.0.0.0/8"),
	netip.MustParsePrefix("fd00::/8"),
	netip.MustParsePrefix("fe80::/10"),
}

const peer = "10.0.0.1:4711"

var trustedHops = strings.Repeat("10.9.9.9,", maxHops)

var proxied = []struct {
	name, remote string
	forwarded    []string
	want         string
}{
	{"no header", peer, nil, "10.0.0.1"},
	{"untrustedHops peer", "198.51.100.7:4711", []string{"203.0.113.9"}, "198.51.100.7"},
	{"untrustedHops IPv6 peer", "[2001:db8::1]:4711", []string{"203.0.113.9"}, "2001:db8::1"},
	{"peer without a port", "10.0.0.1", []string{"203.0.113.9"}, "203.0.113.9"},
	{"mapped peer", "[::ffff:10.0.0.1]:4711", []string{"203.0.113.9"}, "203.0.113.9"},
	{"peer with a zone", "[fe80::1%eth0]:4711", []string{"203.0.113.9"}, "203.0.113.9"},
	{"peer with a zone is the client", "[fe80::1%eth0]:4711", nil, "fe80::1"},
	{"unix socket", "@", []string{"203.0.113.9"}, ""},
	{"no peer", "", []string{"203.0.113.9"}, ""},

	{"one", peer, []string{"203.0.113.9"}, "203.0.113.9"},
	{"forged to the left", peer, []string{"192.0.2.1, 203.0.113.9"}, "203.0.113.9"},
	{"chain of proxies", peer, []string{"192.0.2.1, 203.0.113.9, 10.0.0.3,10.0.0.2"}, "203.0.113.9"},
	{"several lines", peer, []string{"192.0.2.1", "203.0.113.9, 10.0.0.3", "10.0.0.2"}, "203.0.113.9"},
	{"forged line", peer, []string{"10.0.0.2", "203.0.113.9"}, "203.0.113.9"},
	{"all trustedHops", peer, []string{"10.0.0.4", "10.0.0.3, 10.0.0.2"}, "10.0.0.4"},

	{"mapped", peer, []string{"203.0.113.9, ::ffff:10.0.0.1"}, "203.0.113.9"},
	{"mapped client", peer, []string{"::ffff:203.0.113.9"}, "203.0.113.9"},
	{"mapped in hexadecimal", peer, []string{"::ffff:cb00:7109"}, "203.0.113.9"},
	{"IPv6", peer, []string{"2001:DB8::0:1, fd00::2"}, "2001:db8::1"},
	{"zone", peer, []string{"2001:db8::1, fe80::1%eth0"}, "2001:db8::1"},
	{"zone of the client", peer, []string{"2001:db8::1%25<b>"}, "2001:db8::1"},
	{"ports", peer, []string{"203.0.113.9:5, [fd00::2]:5"}, "203.0.113.9"},
	{"IPv6 with a port", peer, []string{"[2001:db8::1]:65535"}, "2001:db8::1"},
	{"brackets alone", peer, []string{"[2001:db8::1]"}, "2001:db8::1"},
	{"blanks", peer, []string{"192.0.2.1 ,\t203.0.113.9\t , 10.0.0.2 "}, "203.0.113.9"},

	{"empty line", peer, []string{""}, ""},
	{"empty line at the right", peer, []string{"203.0.113.9", ""}, ""},
	{"empty line at the left", peer, []string{"", "203.0.113.9"}, "203.0.113.9"},
	{"empty element", peer, []string{"203.0.113.9,, 10.0.0.2"}, ""},
	{"comma at the end", peer, []string{"203.0.113.9,"}, ""},
	{"unknown", peer, []string{"203.0.113.9, unknown"}, ""},
	{"unknown behind a proxy", peer, []string{"203.0.113.9, unknown, 10.0.0.2"}, ""},
	{"garbage ends it over lines", peer, []string{"203.0.113.9", "x", "10.0.0.3, 10.0.0.2"}, ""},
	{"garbage left of the client", peer, []string{"<script>\x00, 203.0.113.9"}, "203.0.113.9"},
	{"zero in front", peer, []string{"203.0.113.09"}, ""},
	{"port out of range", peer, []string{"203.0.113.9:65536"}, ""},
	{"no port after the colon", peer, []string{"203.0.113.9:"}, ""},
	{"IPv4 in brackets", peer, []string{"[203.0.113.9]:5"}, ""},
	{"open bracket", peer, []string{"[2001:db8::1"}, ""},
	{"closed bracket", peer, []string{"2001:db8::1]"}, ""},
	{"Forwarded", peer, []string{"for=203.0.113.9"}, ""},
	{"quoted", peer, []string{`"203.0.113.9"`}, ""},
	{"other separator", peer, []string{"203.0.113.9; 10.0.0.2"}, ""},
	{"other blank", peer, []string{"203.0.113.9\u00a0"}, ""},
	{"CIDR", peer, []string{"203.0.113.9/32"}, ""},
	{"a megabyte", peer, []string{strings.Repeat("1", 1<<20)}, ""},
	{"a megabyte of blanks", peer, []string{"203.0.113.9," + strings.Repeat(" ", 1<<20) + "10.0.0.2"}, ""},
	{"a megabyte to the left", peer, []string{strings.Repeat("1", 1<<20) + ",203.0.113.9"}, "203.0.113.9"},
	{"as many hops as are looked at", peer, []string{"203.0.113.9," + trustedHops[:len(trustedHops)-len("10.9.9.9,")-1]},
		"203.0.113.9"},
	{"a hop more", peer, []string{"203.0.113.9," + strings.TrimSuffix(trustedHops, ",")}, "10.9.9.9"},
	{"a hop more, in lines", peer, append([]string{"203.0.113.9"}, slices.Repeat([]string{"10.9.9.9"}, maxHops)...),
		"10.9.9.9"},
}

func TestProxiesClient(t *testing.T) {
	for _, tt := range proxied {
		t.Run(tt.name, func(t *testing.T) {
			want, _ := netip.ParseAddr(tt.want) // zero on error
			if got := testProxies.Client(tt.remote, tt.forwarded); got != want {
				t.Errorf("%v, want %v", got, want)
			}
		})
	}
}

// clientByList is Client in the plainest way.
func clientByList(p Proxies, remote string, forwarded []string) netip.Addr {
	client := parseHop(remote)
	if len(forwarded) == 0 {
		return client
	}
	list := strings.Split(strings.Join(forwarded, ","), ",")
	slices.Reverse(list)
	for _, element := range list[:min(maxHops, len(list))] {
		hop := parseHop(element)
		if !Contains(p, client) {
			return client
		}
		client = hop
	}
	return client
}

func FuzzProxiesClient(f *testing.F) {
	f.Add("10.0.0.1:1", "192.0.2.1, 203.0.113.9", "10.0.0.2", "x")
	f.Add("198.51.100.7:1", "203.0.113.9:5,[fd00::2]:5", "", "10.0.0.3")
	f.Add("[::ffff:10.0.0.1]:1", "fe80::1%eth0,unknown,,[::1]", "\t::ffff:10.0.0.1 ", ",")
	f.Add("[fe80::1%a]:1", strings.Repeat("10.0.0.9,", maxHops), "10.0.0.2", strings.Repeat("1", 100))
	f.Fuzz(func(t *testing.T, remote, first, second, left string) {
		p, lines := testProxies, []string{first, second}
		got := p.Client(remote, lines)
		if want := clientByList(p, remote, lines); got != want {
			t.Fatalf("%v, in the plainest way %v", got, want)
		}
		if got != canonical(got) {
			t.Fatalf("%v is not in plain form, want %v", got, canonical(got))
		}
		if peer, err := netip.ParseAddrPort(remote); err == nil && !Contains(p, peer.Addr()) &&
			got != canonical(peer.Addr()) {
			t.Fatalf("got %v for the untrusted peer %v, want the peer", got, peer)
		}
		for _, more := range [][]string{{left, first, second}, {left + "," + first, second}} {
			if again := p.Client(remote, more); !Contains(p, got) && again != got {
				t.Fatalf("%q to the left: got %v, want %v as without it", left, again, got)
			}
		}
		const client = "203.0.113.9"
		if got := p.Client("10.0.0.1:1", []string{left, first + "," + client}); got.String() != client {
			t.Fatalf("%v, want %s", got, client)
		}
	})
}

func TestParsePrefixes(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"192.0.2.0/24", "192.0.2.0/24"},
		{" 192.0.2.77/24 ", "192.0.2.0/24"},
		{"192.0.2.7", "192.0.2.7/32"},
		{"0.0.0.0/0", "0.0.0.0/0"},
		{"2001:DB8:1::/32", "2001:db8::/32"},
		{"2001:db8::1", "2001:db8::1/128"},
		{"::/0", "::/0"},
		{"::ffff:10.1.2.3", "10.1.2.3/32"},
		{"::ffff:10.1.2.3/104", "10.0.0.0/8"},
		{"::ffff:0:0/96", "0.0.0.0/0"},
	} {
		got, err := ParsePrefixes([]string{tt.in})
		if err != nil || len(got) != 1 || got[0].String() != tt.want {
			t.Errorf("%q: %v, %v, want %s", tt.in, got, err, tt.want)
		}
	}
	for _, in := range []string{
		"", " ", "x", "192.0.2.0/33", "192.0.2.0/", "192.0.2.0/-1", "192.0.2.0/08", "192.0.2.0/255.255.255.0",
		"192.0.2", "192.0.2.07", "192.0.2.7:80", "[2001:db8::1]", "fe80::1%eth0", "fe80::%eth0/64",
		"2001:db8::/129", "::ffff:10.1.2.3/95", "::ffff:10.1.2.3/8", "localhost", "192.0.2.1,192.0.2.2",
	} {
		got, err := ParsePrefixes([]string{"192.0.2.0/24", in})
		if err == nil || !strings.Contains(err.Error(), in) || got != nil {
			t.Errorf("%q: %v, %v, want none, an error and %q in it", in, got, err, in)
		}
	}
	if got, err := ParsePrefixes(nil); err != nil || len(got) != 0 {
		t.Errorf("none: %v, %v, want none and no error", got, err)
	}
}

func TestContains(t *testing.T) {
	for _, tt := range []struct {
		addr string
		want bool
	}{
		{"10.255.255.255", true},
		{"11.0.0.0", false},
		{"::ffff:10.0.0.1", true},
		{"::a00:1", false}, // the deprecated IPv4-compatible form
		{"fe80::1%eth0", true},
		{"fd00::1", true},
		{"2001:db8::1", false},
	} {
		if got := Contains(testProxies, netip.MustParseAddr(tt.addr)); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.addr, got, tt.want)
		}
	}
	everything := []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}
	if Contains(everything, netip.Addr{}) || Contains(nil, netip.MustParseAddr("10.0.0.1")) {
		t.Error("the zero Addr is somewhere, or an address is in nothing")
	}
	if Contains(everything[1:], netip.MustParseAddr("::ffff:10.0.0.1")) {
		t.Error("IPv4 is in ::/0")
	}
}

func TestShorten(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"203.0.113.9", "203.0.113.0/24"},
		{"::ffff:203.0.113.9", "203.0.113.0/24"},
		{"2001:db8:1:2:3:4:5:6", "2001:db8:1::/48"},
		{"fe80::1%eth0", "fe80::/48"},
		{"", "unknown"},
	} {
		addr, _ := netip.ParseAddr(tt.in) // zero on error
		if got := Shorten(addr); got != tt.want {
			t.Errorf("%q: %s, want %s", tt.in, got, tt.want)
		}
	}
}
