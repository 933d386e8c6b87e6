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

// special are networks of the registries of special-purpose addresses (IANA) that
// net/netip does not know as such: of providers, of tests and documentation, and those
// that stand for others.
var special = prefixes("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15",
	"198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
	"64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16",
	"fec0::/10")

func prefixes(list ...string) (all []netip.Prefix) {
	for _, text := range list {
		all = append(all, netip.MustParsePrefix(text))
	}
	return all
}

// public reports whether an address is one of the public internet.
func public(a netip.Addr) bool {
	if a.Zone() != "" {
		return false
	}
	a = a.Unmap()
	return a.IsGlobalUnicast() && !a.IsPrivate() &&
		!slices.ContainsFunc(special, func(p netip.Prefix) bool { return p.Contains(a) })
}

// A guard keeps downloads on the public internet: an authority's catalogue, redirect or
// name server must not make relais ask machines of the user's own network. Hosts that a
// table of the user's own names may be anywhere.
type guard struct {
	named  map[string]bool // hosts, in lower case
	dialer net.Dialer
	lookup func(ctx context.Context, network, host string) ([]netip.Addr, error)
}

func newGuard(named map[string]bool, dialer net.Dialer) *guard {
	return &guard{named, dialer, net.DefaultResolver.LookupNetIP}
}

type proxiedKey struct{}

// DialContext connects to a server, or to the proxy that the user has named.
func (g *guard) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
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
			return allow(host, at.Addr())
		}
	}
	return d.DialContext(ctx, network, address)
}

// checkProxied checks a host that a proxy will connect to. A name that is not known here
// may be known to the proxy.
func (g *guard) checkProxied(ctx context.Context, u *url.URL) error {
	host := strings.ToLower(u.Hostname())
	if g.named[host] {
		return nil
	}
	if a, err := netip.ParseAddr(host); err == nil {
		return allow(host, a)
	}
	all, err := g.lookup(ctx, "ip", host)
	if err != nil {
		return nil
	}
	for _, a := range all {
		if err := allow(host, a); err != nil {
			return err
		}
	}
	return nil
}

func allow(host string, a netip.Addr) error {
	if public(a) {
		return nil
	}
	return redirectError{fmt.Sprintf(
		"%s is at %s, which is no public address: name the host in a table of your own (--sources) if that is meant",
		host, a)}
}

// A guarded transport checks where proxies are to connect to; the dialer of its guard
// checks the rest.
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

// hosts are those that the table names, when it is the user's own.
func (t *Table) hosts() map[string]bool {
	named := map[string]bool{}
	if !t.own {
		return named
	}
	for _, f := range t.Files {
		if u, err := address(f.URL); err == nil {
			named[strings.ToLower(u.Hostname())] = true
		}
	}
	return named
}
