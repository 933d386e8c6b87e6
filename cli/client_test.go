package cli

import (
	"context"
	"encoding/json"
	"path/filepath"
	"regexp"
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
			var made struct {
				APIKey       string
				SharedLimits *bool
			}
			out = run("create", 0, append(tt.args[:len(tt.args):len(tt.args)], tt.name+" in JSON", "--json")...)
			if err := json.Unmarshal([]byte(out), &made); err != nil || made.APIKey == "" || made.SharedLimits == nil ||
				*made.SharedLimits != (tt.name != "Backend") {
				t.Errorf("in JSON: %s, %v; want a key, and sharedLimits except for the server", out, err)
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
	list := run("list", 0)
	for _, want := range []string{"  all-read  60, 10000  5, 70  ", "  all-read  600, 20000  any, any  "} {
		if !strings.Contains(regexp.MustCompile(" {3,}").ReplaceAllString(list, "  "), want) {
			t.Errorf("client list has no %q: %s", want, list)
		}
	}
	if out := run("show", 0, "limited", "--json"); len(limits(out)) != 4 {
		t.Errorf("the name in lower case: %s, want the client", out)
	}
	if out := run("show", 1, "Limitted"); !strings.Contains(out, `no such client: "Limitted"; the nearest name is "Limited"`) {
		t.Errorf("a misspelt name: %s, want the nearest", out)
	}
}

// The answer of the contract's own example, to its members; of usage and of revocation too.
func TestClientAnswers(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made")
	run := func(v any, args ...string) (errs string) {
		t.Helper()
		out, errs, code := command(t.Context(), append(args, "--data", dir, "--json")...)
		if err := json.Unmarshal([]byte(out), v); code != exitDone || err != nil {
			t.Fatalf("relais %q: exit %d, %v: %s%s", args, code, err, out, errs)
		}
		return errs
	}
	var made struct {
		ID, APIKey string
		Name, Mode string
		Scopes     []string
		Limits     map[string]int

		SigningSecret *string
	}
	errs := run(&made, "client", "create", "--name", "Web map", "--mode", "server", "--scopes",
		"antennas:read,photos:write", "--cidr", "127.0.0.1/32")
	for _, want := range []string{dir, "partner"} { // the folder that was made, and that the client may not write
		if !strings.Contains(errs, want) {
			t.Errorf("notes: got %q, want %q", errs, want)
		}
	}
	key := made.APIKey
	if made.ID == "" || !strings.HasPrefix(key, "rk_") || made.SigningSecret != nil {
		t.Errorf("got id %q, key %q, secret %v; want the first two", made.ID, key, made.SigningSecret)
	}
	if made.Name != "Web map" || made.Mode != "SERVER" || len(made.Scopes) != 2 || made.Limits["minute"] != 60 ||
		made.Limits["day"] != 10000 {
		t.Errorf("got %+v, want SERVER Web map with two scopes and the default limits", made)
	}
	var used struct{ Minute, Day map[string]any }
	run(&used, "client", "usage", "Web map")
	if used.Minute["limit"] != 60.0 || used.Day["remaining"] != 10000.0 || used.Day["reset"] == nil {
		t.Errorf("usage: got %+v, want 60 a minute, all of 10000 a day, and when it ends", used)
	}
	// A whole key names what its prefix names, and the environment narrows nothing.
	t.Setenv("RELAIS_KEY", "rk_000000000000_x")
	var revoked struct{ Keys []struct{ Revoked string } }
	run(&revoked, "client", "revoke", "Web map", "--key", key)
	if len(revoked.Keys) != 1 || revoked.Keys[0].Revoked == "" {
		t.Errorf("revoke: got %+v, want one key that is revoked", revoked)
	}
}

// Requests that no client could send are not signed.
func TestClientSign(t *testing.T) {
	for _, args := range [][]string{{"s", "GET", "antennas"}, {"s", "G ET", "http://h/"}, {"s", "", "http://h/"},
		{"s", "GET", "ftp://h/"}, {"s", "GET", "http:///x"}, {"", "GET", "http://h/"}} {
		if out, errs, code := command(t.Context(), append([]string{"client", "sign", "--secret"}, args...)...); code != exitUsage ||
			out != "" {
			t.Errorf("%q: got exit %d, %q; want %d: %s", args, code, out, exitUsage, errs)
		}
	}
	out, _, _ := command(t.Context(), "client", "sign", "--secret", "s", "--key", "k", "--json", "GET", "http://h")
	var headers map[string]string
	if err := json.Unmarshal([]byte(out), &headers); err != nil || headers["Authorization"] != "Bearer k" ||
		!strings.HasPrefix(headers["X-Sq-Signature"], "t=") {
		t.Errorf("got %s, %v; want the key and a signature", out, err)
	}
}

// A client is changed by its name or the first characters of its id, and says what is different.
func TestClientSet(t *testing.T) {
	dir := t.TempDir()
	run := func(code int, args ...string) (out, errs string) {
		t.Helper()
		out, errs, got := command(context.Background(), append([]string{"client", args[0], "--data", dir}, args[1:]...)...)
		if got != code {
			t.Errorf("relais client %q: exit %d\n%s%s, want %d", args, got, out, errs, code)
		}
		return out, errs
	}
	var made struct{ ID string }
	text, _ := run(0, "create", "--name", "Map", "--mode", "browser", "--origin", "https://a.example", "--scopes",
		"antennas:read", "--json")
	must(t, json.Unmarshal([]byte(text), &made))
	for _, tt := range []struct {
		name string
		args []string
		code int
		want string // of both outputs
	}{
		{"an origin more", []string{"Map", "--add-origin", "https://b.example/"}, 0,
			"origins  https://a.example → https://a.example,https://b.example"},
		{"limits by a prefix", []string{made.ID[:20], "--minute", "600", "--day=70000", "--visitor-minute=9"}, 0,
			"limits.minute         60 → 600"},
		{"nothing new", []string{made.ID, "--minute", "600"}, 0, "is as it was"},
		{"no flag", []string{"Map"}, 2, "nothing to change"},
		{"an end", []string{"Map", "--expires", "90d"}, 0, "expires  never → 20"},
		{"no end", []string{"Map", "--expires", "never"}, 0, "→ never"},
		{"an end before now", []string{"Map", "--expires", "0d"}, 2, "want a time from now"},
		{"not a CIDR", []string{"Map", "--add-cidr", "192.0.2"}, 2, "192.0.2"},
		{"not an origin", []string{"Map", "--origin", "map.example/path"}, 2, "map.example/path"},
		{"not a scope", []string{"Map", "--add-scopes", "nosuch"}, 2, "nosuch"},
		{"CIDRs of a page", []string{"Map", "--cidr", "192.0.2.0/24"}, 1, "BROWSER"},
		{"the last origin", []string{"Map", "--remove-origin", "https://a.example", "--remove-origin", "https://b.example"},
			1, "at least one origin"},
		{"a partner", []string{"Map", "--partner"}, 0, "partner  false → true"},
		{"no partner", []string{"Map", "--no-partner"}, 0, "partner  true → false"},
		{"a name", []string{"Map", "--name", "Web map"}, 0, "name  Map → Web map"},
		{"the old name", []string{"Map", "--name", "x"}, 1, "no such client"},
		{"JSON", []string{"Web map", "--scopes", "stats:read,antennas:read", "--json"}, 0,
			`"changed":[{"member":"scopes","from":["antennas:read"],"to":["stats:read","antennas:read"]}]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, errs := run(tt.code, append([]string{"set"}, tt.args...)...)
			if !strings.Contains(out+errs, tt.want) {
				t.Errorf("output %s%s, want %q in it", out, errs, tt.want)
			}
		})
	}
	_, errs := run(1, "create", "--name", "Web map", "--mode", "mobile", "--scopes", "all-read")
	if !strings.Contains(errs, made.ID) {
		t.Errorf("a second client of one name: %q, want the id of the first", errs)
	}
}
