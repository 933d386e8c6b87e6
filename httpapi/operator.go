package httpapi

import (
	"net/http"
	"strings"

	"relais/auth/access"
)

// FromMachine reports whether a request comes from the machine itself. A forwarded request must come through a
// trusted proxy, which names the client.
func (s *Server) FromMachine(r *http.Request) bool {
	forwarded := false
	for name := range r.Header {
		forwarded = forwarded || strings.HasPrefix(name, "X-Forwarded-") || forwardingHeaders[name]
	}
	if forwarded && !(r.Header["X-Forwarded-For"] != nil &&
		access.Contains(s.Proxies, s.Proxies.Client(r.RemoteAddr, nil))) {
		return false
	}
	return s.Proxies.Client(r.RemoteAddr, r.Header["X-Forwarded-For"]).IsLoopback()
}

// forwardingHeaders are the headers, in addition to X-Forwarded-…, that proxies add to what they forward.
var forwardingHeaders = map[string]bool{"Forwarded": true, "Via": true, "X-Real-Ip": true, "X-Client-Ip": true,
	"True-Client-Ip": true, "Cf-Connecting-Ip": true}
