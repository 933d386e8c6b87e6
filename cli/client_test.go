package cli

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
)

func TestClientVisitors(t *testing.T) {
	dir := t.TempDir()
	run := func(verb string, code int, args ...string) string {
		t.Helper()
		out, errs, got := command(context.Background(), append([]string{"client", verb, "--data", dir}, args...)...)
		if got != code {
			t.Errorf("relais client %s %q: exit %d\n%s%s, want %d", verb, args, got, out, errs, code)
		}
		return out + errs
	}
	mobile := []string{"--mode", "mobile", "--scopes", "all-read", "--name"}
	page := []string{"--mode", "browser", "--origin", "https://map.example", "--scopes", "all-read", "--name"}
	backend := []string{"--mode", "server", "--cidr", "192.0.2.0/24", "--scopes", "all-read", "--name"}
	for _, tt := range []struct {
		name   string
		args   []string
		shared bool
	}{
		{"App", mobile, true},
		{"Map", page, true},
		{"Backend", backend, false},
		{"Known", append([]string{"--minute", "600", "--day", "20000"}, page...), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out := run("create", 0, append(tt.args[:len(tt.args):len(tt.args)], tt.name)...)
			says := strings.Contains(out, "share 60 requests a minute and 10000 a day") &&
				strings.Contains(out, "--visitor-minute") && strings.Contains(out, "--visitor-day")
			if says != tt.shared || !strings.Contains(out, "rk_") {
				t.Errorf("the note on shared limits is shown = %t, want %t, and a key: %s", says, tt.shared, out)
			}
		})
	}
	refused := run("create", 2, append(backend[:len(backend):len(backend)], "x", "--visitor-minute", "5")...)
	if !strings.Contains(refused, "SERVER") {
		t.Errorf("visitor limits of a server: %q, want SERVER named", refused)
	}
	type client struct{ Limits map[string]int }
	limits := func(out string) map[string]int {
		var c client
		if err := json.Unmarshal([]byte(out), &c); err != nil {
			t.Errorf("decode the client: %v: %s", err, out)
		}
		return c.Limits
	}
	made := limits(run("create", 0,
		append(page[:len(page):len(page)], "Limited", "--visitor-minute", "5", "--visitor-day=70", "--json")...))
	shown := limits(run("show", 0, "Limited", "--json"))
	for _, l := range []map[string]int{made, shown} {
		if len(l) != 4 || l["minute"] != 60 || l["day"] != 10000 || l["visitorMinute"] != 5 || l["visitorDay"] != 70 {
			t.Errorf("limits = %v, want 60, 10000, 5 and 70", l)
		}
	}
	if l := limits(run("show", 0, "App", "--json")); len(l) != 2 {
		t.Errorf("limits without visitors' = %v, want two", l)
	}
	if out := run("show", 0, "Limited"); !strings.Contains(out, "5 a minute, 70 a day") {
		t.Errorf("client show has no limits of visitors: %s", out)
	}
	if out := run("list", 0); !strings.Contains(out, "VISITOR DAY") {
		t.Errorf("client list has no VISITOR DAY: %s", out)
	}
}
