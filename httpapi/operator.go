package httpapi

import (
	"strings"

	"relais/auth/access"
)

// byOperator reports whether the request comes from the operator of the server: on the
// monitoring address, or from the machine itself. A forwarded request must come through a
// trusted proxy, which names the client.
func (x *exchange) byOperator() bool {
	if x.viaMonitoring {
		return true
	}
	forwarded := false
	for name := range x.r.Header {
		forwarded = forwarded || strings.HasPrefix(name, "X-Forwarded-") || forwardingHeaders[name]
	}
	if forwarded && !(x.r.Header["X-Forwarded-For"] != nil &&
		access.Contains(x.server.Proxies, x.server.Proxies.Client(x.r.RemoteAddr, nil))) {
		return false
	}
	return x.address.IsLoopback()
}

// forwardingHeaders are the headers, besides X-Forwarded-…, that proxies add to what they forward.
var forwardingHeaders = map[string]bool{"Forwarded": true, "Via": true, "X-Real-Ip": true, "X-Client-Ip": true,
	"True-Client-Ip": true, "Cf-Connecting-Ip": true}
