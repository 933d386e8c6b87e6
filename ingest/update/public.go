package update

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
)

// specialNetworks are the special-purpose networks of the IANA registries that net/netip
// does not know.
var specialNetworks = prefixes("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24",
	"198.18.0.0/15",
	"198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
	"64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16",
	"fec0::/10")

func prefixes(list ...string) (all []netip.Prefix) {
	for _, text := range list {
		all = append(all, netip.MustParsePrefix(text))
	}
	return all
}

// isPublic reports whether an address belongs to the public internet.
func isPublic(a netip.Addr) bool {
	if a.Zone() != "" {
		return false
	}
	a = a.Unmap()
	return a.IsGlobalUnicast() && !a.IsPrivate() &&
		!slices.ContainsFunc(specialNetworks, func(p netip.Prefix) bool { return p.Contains(a) })
}

// A guard keeps downloads on the public internet: a catalogue, redirect or name server
// must not make relais connect to machines of the user's network. Hosts that the user's
// own table names are exempt.
type guard struct {
	named  map[string]bool // hosts, in lower case
	dialer net.Dialer
	lookup func(ctx context.Context, network, host string) ([]netip.Addr, error)
}

func newGuard(named map[string]bool, dialer net.Dialer) *guard {
	return &guard{named, dialer, net.DefaultResolver.LookupNetIP}
}

type proxiedKey struct{}

// dialContext connects to a server or to the user's proxy.
func (g *guard) dialContext(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	d := g.dialer
	if ctx.Value(proxiedKey{}) == nil && !g.named[strings.ToLower(host)] {
		d.ControlContext = func(_ context.Context, _, reached string, _ syscall.RawConn) error {
			at, err := netip.ParseAddrPort(reached)
			if err != nil {
				return err
			}
			return checkPublic(host, at.Addr())
		}
	}
	return d.DialContext(ctx, network, address)
}

// checkProxied checks a host that a proxy will connect to. It accepts a name that cannot
// be resolved here: the proxy may know it.
func (g *guard) checkProxied(ctx context.Context, u *url.URL) error {
	host := strings.ToLower(u.Hostname())
	if g.named[host] {
		return nil
	}
	if a, err := netip.ParseAddr(host); err == nil {
		return checkPublic(host, a)
	}
	all, err := g.lookup(ctx, "ip", host)
	if err != nil {
		return nil
	}
	for _, a := range all {
		if err := checkPublic(host, a); err != nil {
			return err
		}
	}
	return nil
}

func checkPublic(host string, a netip.Addr) error {
	if isPublic(a) {
		return nil
	}
	return redirectError{fmt.Sprintf(
		"%s is at %s, which is not a public address; to allow it, name the host in your own table (--sources)",
		host, a)}
}

// A guarded transport checks the hosts that proxies connect to; the dialer of its guard
// checks other connections.
type guarded struct {
	*http.Transport
	guard *guard
}

// RoundTrip implements http.RoundTripper.
func (t guarded) RoundTrip(r *http.Request) (*http.Response, error) {
	if t.Proxy != nil {
		proxy, err := t.Proxy(r)
		if err != nil {
			return nil, err
		}
		if proxy != nil {
			if err := t.guard.checkProxied(r.Context(), r.URL); err != nil {
				return nil, err
			}
			r = r.WithContext(context.WithValue(r.Context(), proxiedKey{}, true))
		}
	}
	return t.Transport.RoundTrip(r)
}

// ownHosts returns the hosts that the user's own table names.
func (t *Table) ownHosts() map[string]bool {
	named := map[string]bool{}
	if !t.own {
		return named
	}
	for _, f := range t.Files {
		if u, err := parseAddress(f.URL); err == nil {
			named[strings.ToLower(u.Hostname())] = true
		}
	}
	return named
}
