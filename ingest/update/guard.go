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
	"time"

	"relais/internal/publicnet"
)

// A guard keeps downloads on the public internet: a catalogue, redirect or name server
// must not make relais connect to machines of the user's network. Hosts that the user's
// own table names are exempt.
type guard struct {
	*http.Transport
	named  map[string]bool // hosts, in lower case
	dialer net.Dialer
	lookup func(ctx context.Context, network, host string) ([]netip.Addr, error)
}

func newGuard(named map[string]bool, l Limits) *guard {
	g := &guard{named: named, dialer: net.Dialer{Timeout: l.Connect}, lookup: net.DefaultResolver.LookupNetIP}
	g.Transport = &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: g.dialContext, TLSHandshakeTimeout: l.Connect,
		ResponseHeaderTimeout: l.Header, ForceAttemptHTTP2: true, MaxResponseHeaderBytes: 64 << 10,
		IdleConnTimeout: time.Minute,
	}
	return g
}

// A redirectError is a refused redirect or address.
type redirectError struct{ text string }

func (e redirectError) Error() string { return e.text }

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
		return refused(host, publicnet.Check(a))
	}
	all, err := g.lookup(ctx, "ip", host)
	if err != nil {
		return nil
	}
	for _, a := range all {
		if err := publicnet.Check(a); err != nil {
			return refused(host, err)
		}
	}
	return nil
}

// refused says how to allow a host whose address is not public.
func refused(host string, err error) error {
	if err == nil {
		return nil
	}
	return redirectError{fmt.Sprintf("%s: %v; to allow it, name the host in your own table (--sources)", host, err)}
}

// RoundTrip implements http.RoundTripper. It checks what dialContext does not see: the
// hosts that proxies connect to, and addresses of redirects.
func (g *guard) RoundTrip(r *http.Request) (*http.Response, error) {
	proxy, err := g.Proxy(r)
	if err != nil {
		return nil, err
	}
	if proxy != nil {
		if err := g.checkProxied(r.Context(), r.URL); err != nil {
			return nil, err
		}
		r = r.WithContext(context.WithValue(r.Context(), proxiedKey{}, true))
	}
	a, err := g.Transport.RoundTrip(r)
	if err != nil || a.StatusCode/100 != 3 {
		return a, err
	}
	// The error of net/http would contain the address, which may have a key.
	if _, err := r.URL.Parse(a.Header.Get("Location")); err != nil {
		a.Body.Close()
		return nil, redirectError{fmt.Sprintf("a redirect from %s whose address cannot be read", redacted(r.URL))}
	}
	return a, nil
}

func checkRedirect(r *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return redirectError{fmt.Sprintf("over %d redirects", maxRedirects)}
	}
	if _, err := parseAddress(r.URL.String()); err != nil {
		return redirectError{fmt.Sprintf("a redirect to %q, which is not an http or https address", redacted(r.URL))}
	}
	return checkSecure(via[len(via)-1].URL, r.URL)
}

// checkSecure returns an error for a change from https to http.
func checkSecure(from, to *url.URL) error {
	if from.Scheme == "https" && to.Scheme == "http" {
		return redirectError{fmt.Sprintf("%s leads away from https, to %s", redacted(from), redacted(to))}
	}
	return nil
}
