package cli

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestHealth(t *testing.T) {
	status := http.StatusOK
	answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/healthz" && r.URL.Path != "/antennas/healthz" {
			t.Errorf("got a request for %s", r.URL.Path)
		}
		w.WriteHeader(status)
	})
	plain, secure := httptest.NewServer(answer), httptest.NewTLSServer(answer)
	defer plain.Close()
	defer secure.Close()
	gone := httptest.NewServer(answer)
	gone.Close()
	_, port, err := net.SplitHostPort(plain.Listener.Addr().String())
	must(t, err)
	for _, tt := range []struct {
		name   string
		env    map[string]string
		args   []string
		status int
		want   int
	}{
		{"named", nil, []string{plain.URL}, 200, exitDone},
		{"as a flag", nil, []string{"--url", plain.URL}, 200, exitDone},
		{"as a flag in one word", nil, []string{"--url=" + plain.URL}, 200, exitDone},
		{"prefix", nil, []string{plain.URL + "/antennas/"}, 200, exitDone},
		{"environment", map[string]string{"RELAIS_LISTEN": plain.Listener.Addr().String()}, nil, 200, exitDone},
		{"every address", map[string]string{"RELAIS_LISTEN": "0.0.0.0:" + port}, nil, 200, exitDone},
		{"every interface", map[string]string{"RELAIS_LISTEN": ":" + port}, nil, 200, exitDone},
		{"address apart", map[string]string{"RELAIS_LISTEN": "192.0.2.1:1",
			"RELAIS_OPS_LISTEN": plain.Listener.Addr().String()}, nil, 200, exitDone},
		{"TLS", map[string]string{"RELAIS_LISTEN": secure.Listener.Addr().String(), "RELAIS_TLS_CERT": "c.pem"},
			nil, 200, exitDone},
		{"wrong certificate", nil, []string{secure.URL}, 200, exitFailed},
		{"ill", nil, []string{plain.URL}, 500, exitFailed},
		{"nothing there", nil, []string{gone.URL}, 200, exitFailed},
		{"not a URL", nil, []string{"localhost"}, 200, exitUsage},
		{"not an address", map[string]string{"RELAIS_LISTEN": "8080"}, nil, 200, exitUsage},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for k, v := range tt.env {
				t.Setenv(k, v)
			}
			status = tt.status
			var out, errs bytes.Buffer
			got := Main(context.Background(), append([]string{"health"}, tt.args...), Streams{&out, &errs})
			if got != tt.want || (got == exitDone) != strings.Contains(out.String(), "200 OK") {
				t.Errorf("got exit code %d, %s%s, want %d", got, &out, &errs, tt.want)
			}
		})
	}
}
