package httpapi

import (
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// onlyHTTPS has browsers use HTTPS alone for a name, for a year (RFC 6797). Names below it are others'.
var onlyHTTPS = []string{"max-age=31536000"}

// requireHTTPS says so to a client that asks a server with a certificate of its own for a name of the internet. Names
// of one machine or network may be another server's tomorrow, and browsers ignore it for addresses.
func (s *Server) requireHTTPS(h http.Header, r *http.Request) {
	if s.OwnTLS && r.TLS != nil && isPublicName(r.Host) {
		h["Strict-Transport-Security"] = onlyHTTPS
	}
}

// localNames are the ends of names that are not of the internet: RFC 6761, 6762, 8375 and ICANN's
// resolution 2024.07.29.06.
var localNames = []string{".localhost", ".local", ".home.arpa", ".internal"}

// isPublicName reports whether a host, with or without a port, may be a name of the internet.
func isPublicName(host string) bool {
	name := strings.ToLower(strings.TrimSuffix((&url.URL{Host: host}).Hostname(), "."))
	if _, err := netip.ParseAddr(name); err == nil || !strings.Contains(name, ".") {
		return false
	}
	for _, end := range localNames {
		if strings.HasSuffix(name, end) {
			return false
		}
	}
	return true
}
