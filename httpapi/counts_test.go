package httpapi

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"relais/auth/access"
)

// Refusals are counted by their reason, requests by the name of the client, calls by tool.
func TestCounts(t *testing.T) {
	withinMinute()
	s := newServer(t)
	i := newClient(t, s, access.Server, []access.Scope{access.AntennasRead}, access.Limits{Minute: 3, Day: 10})
	for _, target := range []string{"/markets", "/antennas/0", "/stats/departments", "/markets"} {
		get(t, s, target, clientHeaders(i, "")...)
	}
	get(t, s, "/markets", "X-API-Key", "")
	get(t, s, "/markets", "X-API-Key", "rk_x")
	page1 := newClient(t, s, access.Browser, access.ReadScopes, access.DefaultLimits)
	get(t, s, "/markets", "X-API-Key", page1.APIKey, "Origin", "https://foreign.example")
	do(t, s, http.MethodOptions, mount+"/markets", "Origin", "https://foreign.example", "Access-Control-Request-Method", "GET")
	s.CountTool("site_get", true)
	s.CountTool("site_get", false)
	values := page(t, s)
	for _, tt := range []struct{ name, want string }{
		{`relais_refusals_total{reason="limit"}`, "1"},
		{`relais_refusals_total{reason="scope"}`, "1"},
		{`relais_refusals_total{reason="key_missing"}`, "1"},
		{`relais_refusals_total{reason="key_invalid"}`, "1"},
		{`relais_refusals_total{reason="origin"}`, "1"},
		{`relais_refusals_total{reason="preflight"}`, "1"},
		{`relais_refusals_total{reason="signature"}`, "0"},
		{`relais_refusals_total{reason="other"}`, "0"},
		{`relais_client_requests_total{class="2xx",client="` + i.Name + `"}`, "1"},
		{`relais_tool_calls_total{result="ok",tool="site_get"}`, "1"},
		{`relais_tool_calls_total{result="error",tool="site_get"}`, "1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if values[tt.name] != tt.want {
				t.Errorf("got %q, want %s", values[tt.name], tt.want)
			}
		})
	}
}

// The names of many clients do not fill the metrics.
func TestClientNamesAreBounded(t *testing.T) {
	c := newClientCounter()
	for n := range 10 * maxClientNames {
		c.count(fmt.Sprint("client ", n%(2*maxClientNames)), 200)
	}
	if len(c.names) != maxClientNames {
		t.Errorf("got %d names, want %d", len(c.names), maxClientNames)
	}
}

// The age of each market's data is its source's date, as /readyz has it.
func TestAges(t *testing.T) {
	s := newServer(t)
	values := page(t, s)
	for m := range s.set.Load().Loaded() {
		day, err := time.Parse(time.DateOnly, m.Snap.SourceDate)
		must(t, err)
		name := fmt.Sprintf(`relais_data_source_timestamp_seconds{market="%s"}`, m.Table.Code)
		var got float64
		if _, err := fmt.Sscan(values[name], &got); err != nil || got != float64(day.Unix()) {
			t.Errorf("%s: got %q, want %d, %s", name, values[name], day.Unix(), m.Snap.SourceDate)
		}
	}
}

// What monitoring asks for is for debugging; a refused preflight says why; the line has the name of a client too.
func TestLevelsInTheLog(t *testing.T) {
	s := newServer(t)
	i := newClient(t, s, access.Server, access.ReadScopes, access.DefaultLimits)
	for _, tt := range []struct {
		level  slog.Level
		method string
		target string
		header []string
		want   []string // none: no line
	}{
		{slog.LevelInfo, "GET", "/healthz", nil, nil},
		{slog.LevelInfo, "GET", "/readyz", nil, nil},
		{slog.LevelDebug, "GET", "/healthz", nil, []string{"level=DEBUG", "route=/healthz"}},
		{slog.LevelInfo, "GET", "/metrics", []string{"X-Test-Peer", "203.0.113.5:1"}, []string{"level=INFO", "status=403"}},
		{slog.LevelInfo, "GET", mount + "/markets", clientHeaders(i, ""), []string{"client=" + i.ID, "name="}},
		{slog.LevelWarn, "GET", mount + "/markets", clientHeaders(i, ""), nil},
		{slog.LevelInfo, "OPTIONS", mount + "/markets", []string{"Origin", "http://127.0.0.1:3000",
			"Access-Control-Request-Method", "GET"}, []string{"status=204", "refused=", "http://127.0.0.1:3000"}},
	} {
		t.Run(fmt.Sprint(tt.level, tt.method, tt.target), func(t *testing.T) {
			var text bytes.Buffer
			s.Requests = slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{Level: tt.level}))
			do(t, s, tt.method, tt.target, tt.header...)
			if (text.Len() > 0) != (len(tt.want) > 0) {
				t.Fatalf("got %q, want %q", &text, tt.want)
			}
			for _, want := range tt.want {
				if !strings.Contains(text.String(), want) {
					t.Errorf("got %s, want %s", &text, want)
				}
			}
		})
	}
}

// A set-up that is probably wrong is warned of once.
func TestNotices(t *testing.T) {
	const base = "https://antennas.example"
	type request struct{ host, peer, forwarded, target string }
	for _, tt := range []struct {
		name     string
		requests []request
		want     []string // in the warnings, one each
	}{
		{"the base URL's host", []request{{"antennas.example", "", "", "/openapi.json"},
			{"198.51.100.1", "", "", "/openapi.json"}}, nil},
		{"another host", []request{{"www.example", "", "", "/openapi.json"}, {"ftp.example", "", "", "/openapi.json"}},
			[]string{"host=www.example"}},
		{"loopback and monitoring", []request{{"localhost:8080", "", "", "/openapi.json"},
			{"127.0.0.1", "", "", "/openapi.json"}, {"10.0.0.7:8080", "", "", "/healthz"}}, nil},
		{"what is not there", []request{{"www.example", "", "", "/wp-login.php"}}, nil},
		{"a proxy that is not trusted", []request{{"antennas.example", "10.0.0.7:1", "203.0.113.9", "/openapi.json"},
			{"antennas.example", "10.0.0.8:1", "203.0.113.9", "/openapi.json"}}, []string{"address=10.0.0.7"}},
		{"one that is", []request{{"antennas.example", "127.0.0.1:1", "203.0.113.9", "/openapi.json"}}, nil},
		{"a caller who forges", []request{{"antennas.example", "203.0.113.8:1", "203.0.113.9", "/openapi.json"}}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t)
			s.notices.setBase(base)
			s.Proxies, _ = access.ParsePrefixes([]string{"127.0.0.1"})
			var text bytes.Buffer
			s.Log = slog.New(slog.NewTextHandler(&text, nil))
			for _, r := range tt.requests {
				header := []string{"X-Test-Host", r.host}
				if r.peer != "" {
					header = append(header, "X-Test-Peer", r.peer, "X-Forwarded-For", r.forwarded)
				}
				do(t, s, "GET", r.target, header...)
			}
			if got := strings.Count(text.String(), "\n"); got != len(tt.want) {
				t.Fatalf("got %d warnings, want %d: %s", got, len(tt.want), &text)
			}
			for _, want := range tt.want {
				if !strings.Contains(text.String(), want) {
					t.Errorf("got %s, want %s", &text, want)
				}
			}
		})
	}
}
