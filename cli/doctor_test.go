package cli

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// A base URL leads to a server whose /healthz is elsewhere (--ops-listen), and not to one without the API.
func TestLeadsHere(t *testing.T) {
	for _, tt := range []struct {
		name string
		path string // the only one that is answered
		want bool
	}{
		{"with a separate address for monitoring", "/openapi.json", true},
		{"another server", "/index.html", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			mux := http.NewServeMux()
			mux.HandleFunc(tt.path, func(http.ResponseWriter, *http.Request) {})
			s := httptest.NewServer(mux)
			defer s.Close()
			if err := leadsHere(t.Context(), s.URL); (err == nil) != tt.want {
				t.Errorf("leadsHere: got %v, want no error: %v", err, tt.want)
			}
		})
	}
}
