package httpapi

import (
	"net/netip"
	"strings"
	"testing"

	"relais/auth/access"
)

const local = "127.0.0.1:1"

// Metrics and the details of /readyz are for callers on the machine itself; whether the
// server is ready is for all.
func TestOnlyForOperators(t *testing.T) {
	s := newServer(t)
	for _, tt := range []struct {
		name, peer string
		headers    []string
		proxies    string
		own        bool
	}{
		{"the machine", local, nil, "", true},
		{"the machine over IPv6", "[::1]:1", nil, "", true},
		{"mapped", "[::ffff:127.0.0.1]:1", nil, "", true},
		{"another machine", "192.0.2.7:1", nil, "", false},
		{"another machine that says it is this one", "192.0.2.7:1", []string{"X-Forwarded-For", "127.0.0.1"}, "",
			false},
		{"a proxy that nobody trusts", local, []string{"X-Forwarded-For", "203.0.113.9"}, "", false},
		{"a proxy that nobody trusts, which says it is this machine", local, []string{"X-Forwarded-For", "127.0.0.1"},
			"", false},
		{"another header", local, []string{"Forwarded", "for=127.0.0.1"}, "", false},
		{"another header of a trusted proxy", local, []string{"X-Real-Ip", "127.0.0.1"}, "127.0.0.0/8", false},
		{"a host that was forwarded", local, []string{"X-Forwarded-Host", "localhost"}, "", false},
		{"a trusted proxy", local, []string{"X-Forwarded-For", "203.0.113.9"}, "127.0.0.0/8", false},
		{"a trusted proxy and a forged caller", local, []string{"X-Forwarded-For", "127.0.0.1, 203.0.113.9"},
			"127.0.0.0/8", false},
		{"a trusted proxy that names nobody", local, []string{"X-Forwarded-For", "unknown"}, "127.0.0.0/8", false},
		{"this machine by a trusted proxy", local, []string{"X-Forwarded-For", "127.0.0.1"}, "127.0.0.0/8", true},
		{"this machine by a proxy elsewhere", "192.0.2.7:1", []string{"X-Forwarded-For", "::1"}, "192.0.2.0/24", true},
	} {
		s.Proxies = nil
		if tt.proxies != "" {
			s.Proxies = access.Proxies{netip.MustParsePrefix(tt.proxies)}
		}
		headers := append([]string{"X-API-Key", "", "X-Test-Peer", tt.peer}, tt.headers...)
		if w := do(t, s, "GET", "/metrics", headers...); (w.Code == 200) != tt.own ||
			strings.Contains(w.Body.String(), "relais_build_info") != tt.own {
			t.Errorf("%s: got /metrics %d, want the page: %v", tt.name, w.Code, tt.own)
		} else if !tt.own {
			wantError(t, w, 403, "IP_NOT_ALLOWED", "--ops-listen")
		}
		o := parse(t, do(t, s, "GET", "/readyz", headers...), 200)
		if _, told := o["markets"]; told != tt.own || o["ready"] != true || !tt.own && len(o) != 1 {
			t.Errorf("%s: got /readyz %v, want ready, and the markets: %v", tt.name, o, tt.own)
		}
		if w := do(t, s.MonitoringHandler(), "GET", "/metrics", headers...); w.Code != 200 {
			t.Errorf("%s: %d at the address for it, want 200", tt.name, w.Code)
		}
	}
	if o := parse(t, do(t, empty(t), "GET", "/readyz"), 503); o["ready"] != false || len(o) != 1 {
		t.Errorf("while loading: %v, want ready = false and len(o) = 1", o)
	}
}

// A caller that a trusted proxy does not name is not the proxy.
func TestCallerThatNobodyKnows(t *testing.T) {
	s := newServer(t)
	s.Proxies = access.Proxies{netip.MustParsePrefix("127.0.0.1/32")}
	i, err := s.Gate.Clients.Create(access.Client{Name: "local", Mode: access.Server, Scopes: access.ReadScopes,
		CIDRs: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, Limits: manyRequests})
	must(t, err)
	for _, tt := range []struct {
		forwarded string
		status    int
	}{
		{"", 403},
		{"unknown", 403},
		{"1.2.3.4,", 403},
		{"1.2.3.4, x", 403},
		{"203.0.113.9", 403},
		{"127.0.0.1", 200},
		{"none", 200},
	} {
		t.Run(tt.forwarded, func(t *testing.T) {
			headers := []string{"X-API-Key", i.APIKey, "X-Test-Peer", local}
			if tt.forwarded != "none" {
				headers = append(headers, "X-Forwarded-For", tt.forwarded)
			}
			if w := get(t, s, "/markets", headers...); w.Code != tt.status {
				t.Errorf("X-Forwarded-For %q: %d %s, want %d", tt.forwarded, w.Code, w.Body, tt.status)
			}
		})
	}
}
