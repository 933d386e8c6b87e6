package mcp

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"relais/fold"
)

// A guard knows under which hosts the tool server is reached, and from which origins:
// a page elsewhere whose name is made to lead here is neither.
type guard struct {
	stated  bool     // hosts are stated; else it is reached under loopback addresses only
	hosts   []string // with a port, or for any
	origins []string // of pages besides those of the hosts
}

var defaultPorts = map[string]string{"https": ":443", "http": ":80"}

// newGuard takes the base URL, which may be that of a loopback address, and hosts.
func newGuard(base string, hosts []string) *guard {
	g := &guard{hosts: hosts, stated: len(hosts) > 0}
	if u, err := url.Parse(base); err == nil && u.Host != "" {
		host := strings.TrimSuffix(u.Host, defaultPorts[u.Scheme]) // clients leave out the default port
		g.hosts = append(g.hosts[:len(g.hosts):len(g.hosts)], host)
		g.origins = append(g.origins, u.Scheme+"://"+host)
		g.stated = g.stated || !loopback(host)
	}
	return g
}

// allows tells whether the request came under a host and from an origin of ours; where
// not, why.
func (g *guard) allows(r *http.Request) (why string, ok bool) {
	if !g.host(r.Host) {
		return "this host name is not one of the service: whoever runs it names it with --base-url or --mcp-host", false
	}
	switch origins := r.Header["Origin"]; {
	case len(origins) == 0:
		return "", true
	case len(origins) > 1 || !g.origin(origins[0]):
		return "pages of this origin may not ask: whoever runs the service names its host with --mcp-host", false
	}
	return "", true
}

func (g *guard) host(host string) bool {
	if loopback(host) {
		return true
	}
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	for _, h := range g.hosts {
		if fold.EqualASCII(h, host) || fold.EqualASCII(h, name) {
			return true
		}
	}
	return false
}

func (g *guard) origin(origin string) bool {
	for _, o := range g.origins {
		if fold.EqualASCII(o, origin) {
			return true
		}
	}
	scheme, host, ok := strings.Cut(origin, "://")
	return ok && (scheme == "https" || scheme == "http") && !strings.ContainsAny(host, "/@?#") && g.host(host)
}

// loopback tells whether a host is this machine's own.
func loopback(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	if fold.EqualASCII(name, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(name)
	return err == nil && addr.IsLoopback()
}
