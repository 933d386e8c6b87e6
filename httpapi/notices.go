package httpapi

import (
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"

	"relais/auth/access"
	"relais/internal/fold"
)

// notices look at requests for signs of a wrong set-up, and warn once of each.
type notices struct {
	host      string // of the base URL, as callers send it
	hostSeen  atomic.Bool
	hostTold  atomic.Bool
	proxyTold atomic.Bool
}

func (n *notices) setBase(base string) {
	if u, err := url.Parse(base); err == nil {
		n.host = withoutDefaultPort(u.Scheme, u.Host)
	}
}

// withoutDefaultPort returns a host as clients send it.
func withoutDefaultPort(scheme, host string) string {
	return strings.TrimSuffix(host, map[string]string{"https": ":443", "http": ":80"}[scheme])
}

// notice looks at a request that was answered.
func (s *Server) notice(w *answer) {
	r := w.request
	if r.monitoring || r.forMonitoring() {
		return
	}
	s.noticeProxy(r)
	if s.notices.hostSeen.Load() || s.notices.hostTold.Load() {
		return
	}
	switch host := r.Host; {
	case fold.EqualASCII(host, s.notices.host):
		s.notices.hostSeen.Store(true)
	case w.status < 400 && !isLoopback(host) && s.notices.hostTold.CompareAndSwap(false, true):
		s.Log.Warn("a request names another host than the addresses in answers have, and none has named theirs yet: "+
			"set --base-url to the address that people call", "host", firstBytes(host), "baseUrl", s.BaseURL)
	}
}

// noticeProxy warns of a proxy that is not trusted. It is on this machine or in its network: others
// send the header only to be somebody else.
func (s *Server) noticeProxy(r *request) {
	if len(r.Header["X-Forwarded-For"]) == 0 || s.notices.proxyTold.Load() {
		return
	}
	peer := access.Proxies(nil).Client(r.RemoteAddr, nil)
	if (peer.IsLoopback() || peer.IsPrivate()) && !access.Contains(s.Proxies, peer) &&
		s.notices.proxyTold.CompareAndSwap(false, true) {
		s.Log.Warn("a request was forwarded from an address that is not trusted, and counts as that address's own: "+
			"if it is your proxy's, name it with --trusted-proxy", "address", peer.String())
	}
}

// isLoopback reports whether a host, with or without a port, is this machine.
func isLoopback(host string) bool {
	u := url.URL{Host: host}
	addr, err := netip.ParseAddr(u.Hostname())
	return fold.EqualASCII(u.Hostname(), "localhost") || err == nil && addr.IsLoopback()
}

// firstBytes returns the beginning of a text that may be as long as a header.
func firstBytes(text string) string { return text[:min(len(text), 100)] }
