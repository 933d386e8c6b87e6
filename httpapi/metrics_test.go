package httpapi

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"relais/auth/access"
	"relais/hook"
)

// page reads /metrics: the value of each line, by its name with labels.
func page(t *testing.T, s *Server) map[string]string {
	t.Helper()
	w := do(t, s, "GET", "/metrics", "X-API-Key", "", "X-Test-Peer", "127.0.0.1:1")
	if w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") ||
		w.Header().Get("Cache-Control") != "no-store" {
		t.Fatalf("status %d, header %v; want 200, text/plain and no-store", w.Code, w.Header())
	}
	values := map[string]string{}
	for line := range strings.Lines(w.Body.String()) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "} "); ok {
			values[name+"}"] = value
		} else if name, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			values[name] = value
		}
	}
	return values
}

func TestMetrics(t *testing.T) {
	withinMinute()
	s := newServer(t)
	i := newClient(t, s, access.Server, []access.Scope{access.AntennasRead}, access.Limits{Minute: 3, Day: 10})
	poor := newClient(t, s, access.Server, []access.Scope{access.AntennasRead}, access.Limits{Minute: 3, Day: 1})
	for _, target := range []string{"/markets", "/antennas/0", "/stats/departments", "/markets"} {
		get(t, s, target, clientHeaders(i, "")...)
	}
	get(t, s, "/markets", clientHeaders(poor, "")...)
	get(t, s, "/markets", clientHeaders(poor, "")...)
	do(t, s, "GET", "/nowhere")
	for range 31 {
		get(t, s, "/markets", "X-API-Key", "rk_x", "X-Test-Peer", "203.0.113.7:1")
	}
	values := page(t, s)
	for _, tt := range []struct{ name, want string }{
		{`relais_requests_total{code="200",route="/external/v1/markets"}`, "2"},
		{`relais_requests_total{code="401",route="/external/v1/markets"}`, "30"},
		{`relais_requests_total{code="429",route="/external/v1/markets"}`, "3"},
		{`relais_requests_total{code="404",route="/external/v1/antennas/{id}"}`, "1"},
		{`relais_requests_total{code="403",route="/external/v1/stats/departments"}`, "1"},
		{`relais_requests_total{code="404",route="unknown"}`, "1"},
		{`relais_request_duration_seconds_count{route="/external/v1/markets"}`, "35"},
		{`relais_quota_refusals_total{limit="minute"}`, "1"},
		{`relais_quota_refusals_total{limit="day"}`, "1"},
		{`relais_quota_refusals_total{limit="address"}`, "1"},
		{`relais_reloads_total`, "1"},
		{`relais_data_problems`, "0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if values[tt.name] != tt.want {
				t.Errorf("%s: %q, want %s", tt.name, values[tt.name], tt.want)
			}
		})
	}
	ready := parse(t, do(t, s, "GET", "/readyz", "X-Test-Peer", "[::1]:1"), 200)["markets"].(object)
	for market, m := range ready {
		m := m.(object)
		if sites := values[`relais_data_sites{market="`+market+`"}`]; sites != fmt.Sprint(m["sites"]) {
			t.Errorf("%s has %s sites, want %s", market, sites, m["sites"])
		}
		if values[`relais_data_info{market="`+market+`",source_date="`+m["sourceDate"].(string)+`",version="`+
			m["version"].(string)+`"}`] != "1" {
			t.Errorf("%s: version %v is not in relais_data_info, want it there with 1", market, m["version"])
		}
	}
	for _, name := range []string{"go_goroutines", "process_resident_memory_bytes",
		`relais_build_info{version="test"}`} {
		if values[name] == "" {
			t.Errorf("the page lacks %s", name)
		}
	}
}

// The paths for the operator of the server can be kept from the public.
func TestSeparateMonitoring(t *testing.T) {
	s := newServer(t)
	apart, err := New(Options{BaseURL: "http://relais.test", Log: s.Log, Requests: s.Requests, Gate: s.Gate,
		SeparateMonitoring: true})
	must(t, err)
	apart.SetData(s.set.Load())
	for _, target := range []string{"/healthz", "/readyz", "/metrics"} {
		if w := do(t, s, "GET", target, "X-Test-Peer", "127.0.0.1:1"); w.Code != 200 {
			t.Errorf("together: %s: %d, want 200", target, w.Code)
		}
		wantError(t, do(t, apart, "GET", target), 404, "NOT_FOUND")
		for _, server := range []*Server{s, apart} {
			if w := do(t, server.MonitoringHandler(), "GET", target); w.Code != 200 {
				t.Errorf("apart: %s: %d, want 200", target, w.Code)
			}
		}
	}
	wantError(t, do(t, apart.MonitoringHandler(), "GET", mount+"/markets"), 404, "NOT_FOUND")
}

func TestHookMetrics(t *testing.T) {
	now := time.Now()
	hooks := []hook.Hook{{ID: "hook-a", Pending: 7, Done: 5, Dropped: 2, Failures: 3}, {ID: "hook-b", DisabledAt: &now},
		{ID: "hook-\xff", Damaged: true}}
	s := newServer(t)
	s.Hooks = func() []hook.Hook { return hooks }
	values := page(t, s)
	for name, want := range map[string]string{`relais_hook_pending{hook="hook-a"}`: "7",
		`relais_hook_delivered_total{hook="hook-a"}`: "5", `relais_hook_dropped_total{hook="hook-a"}`: "2",
		`relais_hook_failures{hook="hook-a"}`: "3", `relais_hook_enabled{hook="hook-a"}`: "1",
		`relais_hook_enabled{hook="hook-b"}`: "0"} {
		if values[name] != want {
			t.Errorf("%s is %q, want %s", name, values[name], want)
		}
	}
}
