package httpapi

import (
	"crypto/tls"
	"net/http/httptest"
	"testing"
)

// Browsers are told to use HTTPS alone by a server with a certificate of its operator, for names of the
// internet, in every kind of answer.
func TestRequireHTTPS(t *testing.T) {
	s := newServer(t)
	for _, tt := range []struct {
		host     string
		own, tls bool
		want     string
	}{
		{"antennas.example", true, true, "max-age=31536000"},
		{"Antennas.Example.:8443", true, true, "max-age=31536000"},
		{"antennas.example", true, false, ""}, // a handler of plain HTTP
		{"antennas.example", false, true, ""}, // relais demo --tls
		{"localhost", true, true, ""},
		{"localhost:8443", true, true, ""},
		{"relais.localhost", true, true, ""},
		{"nas.LOCAL", true, true, ""},
		{"nas.home.arpa", true, true, ""},
		{"server", true, true, ""},
		{"127.0.0.1:8443", true, true, ""},
		{"203.0.113.7", true, true, ""},
		{"[2001:db8::1]:8443", true, true, ""},
		{"[fe80::1%25eth0]", true, true, ""},
		{"", true, true, ""},
	} {
		t.Run(tt.host, func(t *testing.T) {
			s.OwnTLS = tt.own
			for path, status := range map[string]int{"/healthz": 200, "/openapi.json": 200, "/nothing": 404,
				"/external/v1/antennas": 401} {
				r := httptest.NewRequest("GET", "https://x.example"+path, nil)
				r.Host = tt.host
				if !tt.tls {
					r.TLS = nil
				} else if r.TLS == nil {
					r.TLS = &tls.ConnectionState{}
				}
				w := httptest.NewRecorder()
				s.ServeHTTP(w, r)
				if got := w.Header().Get("Strict-Transport-Security"); got != tt.want || w.Code != status {
					t.Errorf("%s: got %d with %q, want %d with %q", path, w.Code, got, status, tt.want)
				}
			}
		})
	}
}
