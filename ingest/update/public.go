package update

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"

	"relais/internal/publicnet"
)

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
		d.ControlContext = func(ctx context.Context, network, reached string, c syscall.RawConn) error {
			return refused(host, publicnet.Control(ctx, network, reached, c))
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

func checkPublic(host string, a netip.Addr) error { return refused(host, publicnet.Check(a)) }

// refused says how to allow a host whose address is not public.
func refused(host string, err error) error {
	if err == nil {
		return nil
	}
	return redirectError{fmt.Sprintf("%s: %v; to allow it, name the host in your own table (--sources)", host, err)}
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
