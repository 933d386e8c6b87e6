package mcp

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"relais/auth/access"
	"relais/internal/fold"
)

// A guard knows the hosts of the tool server, and the origins of pages that may call it. It
// keeps out pages whose own host name was pointed at the server (DNS rebinding).
type guard struct {
	hasHosts bool     // some host is stated; otherwise only loopback addresses are allowed
	hosts    []string // with a port, or without for any port
	origins  []string // in addition to those of the hosts
}

var defaultPorts = map[string]string{"https": ":443", "http": ":80"}

// newGuard returns the guard for a base URL, whose host may be a loopback address, and for
// other hosts.
func newGuard(base string, hosts []string) *guard {
	g := &guard{hosts: hosts, hasHosts: len(hosts) > 0}
	if u, err := url.Parse(base); err == nil && u.Host != "" {
		host := strings.TrimSuffix(u.Host, defaultPorts[u.Scheme]) // clients leave out the default port
		g.hosts = append(g.hosts[:len(g.hosts):len(g.hosts)], host)
		g.origins = append(g.origins, u.Scheme+"://"+host)
		g.hasHosts = g.hasHosts || !isLoopback(host)
	}
	return g
}

// allows returns an error if the host or the origin of a request is not allowed: an access.ErrHost or
// access.ErrOrigin for the log, and a reason for the caller.
func (g *guard) allows(r *http.Request) (reason string, err error) {
	if !g.allowsHost(r.Host) {
		return "this host name is not allowed: the operator of the service sets it with --base-url or --mcp-host",
			fmt.Errorf("%w: %.100q: set it with --base-url or --mcp-host", access.ErrHost, r.Host)
	}
	switch origins := r.Header["Origin"]; {
	case len(origins) == 0:
		return "", nil
	case len(origins) > 1 || !g.allowsOrigin(origins[0]):
		return "pages of this origin are not allowed: the operator of the service sets their host with --mcp-host",
			fmt.Errorf("%w: %.100q: set its host with --mcp-host", access.ErrOrigin, origins)
	}
	return "", nil
}

func (g *guard) allowsHost(host string) bool {
	if isLoopback(host) {
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

func (g *guard) allowsOrigin(origin string) bool {
	for _, o := range g.origins {
		if fold.EqualASCII(o, origin) {
			return true
		}
	}
	scheme, host, ok := strings.Cut(origin, "://")
	return ok && (scheme == "https" || scheme == "http") && !strings.ContainsAny(host, "/@?#") && g.allowsHost(host)
}

// isLoopback reports whether a host, with or without a port, is this machine.
func isLoopback(host string) bool {
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
