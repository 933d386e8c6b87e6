package httpapi

import (
	"strings"

	"relais/access"
)

// byOperator reports whether somebody asks who runs the server: at the address that is
// for them, or from the machine itself. A request that was forwarded is judged by whom a
// trusted proxy names; from anybody else it could come from everywhere.
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
