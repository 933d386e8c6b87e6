package e2e

import (
	"maps"
	"strings"
	"testing"
	"time"
)

// Keys are accepted or refused with the right code. TestKeyHeaders of package access has more headers.
func TestKeys(t *testing.T) {
	c := makeCountry(t, 40)
	s := serve(t, nil, "serve", "--data", c.dir)
	if !waitFor(func() bool { return s.version("FR") != "" }) {
		t.Fatalf("not ready: %s", s.log)
	}
	const path = "/external/v1/antennas?limit=1"
	backend := func(name string, flags ...string) issued {
		t.Helper()
		return createClient(t, c.dir,
			append([]string{"--name", name, "--mode", "server", "--cidr", "127.0.0.0/8", "--scopes", "antennas:read"},
				flags...)...)
	}
	one, two, brief := backend("one"), backend("two"), backend("brief", "--expires", "4s")
	far := createClient(t, c.dir, "--name", "far", "--mode", "server", "--cidr", "192.0.2.0/24", "--scopes",
		"antennas:read")
	app := createClient(t, c.dir, "--name", "app", "--mode", "mobile", "--scopes", "antennas:read")
	x := func(i issued) string { return "X-API-Key: " + i.APIKey }
	bearer := func(i issued) string { return "Authorization: Bearer " + i.APIKey }
	a := newAsker(t, s)

	a.accepts("a key that ends soon", "GET", path, x(brief))
	a.accepts("X-API-Key", "GET", path, x(one))
	a.accepts("Authorization", "GET", path, bearer(one))
	a.accepts("a key, and another in the query", "GET", path+"&api_key="+two.APIKey, x(one))

	short := one.APIKey[:len("rk_000000000000_")]
	for _, tt := range []struct {
		what, code string
		headers    []string
		query      string
	}{
		{"no key", "API_KEY_REQUIRED", nil, ""},
		{"the key in the query", "API_KEY_REQUIRED", nil, "&api_key=" + one.APIKey},
		{"X-API-Key twice", "INVALID_API_KEY", []string{x(one), x(one)}, ""},
		{"no key at all", "INVALID_API_KEY", []string{"X-API-Key: hello"}, ""},
		{"the public part only", "INVALID_API_KEY", []string{"X-API-Key: " + short}, ""},
		{"one more character", "INVALID_API_KEY", []string{x(one) + "A"}, ""},
	} {
		a.refuses(tt.what, 401, tt.code, path+tt.query, tt.headers...)
	}
	a.refuses("from elsewhere", 403, "IP_NOT_ALLOWED", path, x(far))
	a.refuses("without the scope", 403, "INSUFFICIENT_SCOPE", "/external/v1/stats/departments", x(one))
	for _, wrong := range changes(one.APIKey) {
		a.refuses("a changed key", 401, "INVALID_API_KEY", path, "X-API-Key: "+wrong)
	}
	notTold(t, a, path, short+strings.Repeat("A", 43), "rk_000000000000_"+strings.Repeat("A", 43))

	// What a command changes holds from the next request on.
	command := func(args ...string) {
		t.Helper()
		if _, errs, code := relais(t, append([]string{"client"}, append(args, "--data", c.dir)...)...); code != 0 {
			t.Fatalf("client %s: %d %s", args, code, errs)
		}
	}
	a.accepts("before it is revoked", "GET", path, x(two))
	command("revoke", "two")
	a.refuses("revoked just now", 401, "INVALID_API_KEY", path, x(two))
	command("rotate", "one", "--overlap", "1h")
	a.accepts("rotated, within the overlap", "GET", path, x(one))
	command("rotate", "one", "--overlap", "0")
	a.refuses("rotated without an overlap", 401, "INVALID_API_KEY", path, x(one))
	command("delete", "app")
	a.refuses("of a deleted client", 401, "INVALID_API_KEY", path, bearer(app))
	if !waitFor(func() bool { return a.send("127.0.3.1", "HEAD", path, x(brief)).status == 401 }) {
		t.Error("a key does not end")
	}
	a.refuses("a key that has ended", 401, "INVALID_API_KEY", path, x(brief))

	tooMany(t, s, path, "X-API-Key: hello", "X-API-Key: "+s.key)
	keepsSecrets(t, s, c.dir, one, two, brief, far, app, issued{APIKey: s.key})
}

// notTold makes sure that nobody learns from an answer whether a key's public part
// is one.
func notTold(t *testing.T, a *asker, path, known, unknown string) {
	t.Helper()
	seen := func(from, key string) answer {
		got := a.send(from, "GET", path, "X-API-Key: "+key)
		got.body = strings.ReplaceAll(got.body, got.header.Get("X-Request-Id"), "")
		for _, moves := range []string{"X-Request-Id", "Date", "Ratelimit", "X-Ratelimit-Reset"} { // with the clock
			got.header.Del(moves)
		}
		return got
	}
	one, other := seen("127.0.2.1", known), seen("127.0.2.2", unknown)
	if one.status != other.status || one.body != other.body ||
		!maps.EqualFunc(one.header, other.header,
			func(a, b []string) bool { return strings.Join(a, "\n") == strings.Join(b, "\n") }) {
		t.Errorf("a wrong secret: %+v\nan unknown key: %+v", one, other)
	}
}

// tooMany makes sure that the thirty-first failure of a minute is told to wait,
// and that a key which is right goes on from the same address.
func tooMany(t *testing.T, s *server, path, wrong, right string) {
	t.Helper()
	a := newAsker(t, s)
	if second := time.Now().Second(); second > 50 { // the minute must not end meanwhile
		time.Sleep(time.Duration(60-second) * time.Second)
	}
	for i := range 35 {
		got, want := a.send("127.0.0.1", "GET", path, wrong), 401
		if i >= 30 {
			want = 429
		}
		if got.status != want ||
			got.status == 429 && (got.code != "RATE_LIMITED" || got.header.Get("Retry-After") == "") {
			t.Errorf("failure %d: %d %s %v", i+1, got.status, got.body, got.header)
		}
	}
	if got := a.send("127.0.0.1", "GET", path, right); got.status != 200 {
		t.Errorf("a right key after wrong ones: %d %s", got.status, got.body)
	}
	if got := a.send("127.0.2.9", "GET", path, wrong); got.status != 401 {
		t.Errorf("another address: %d %s", got.status, got.body)
	}
}
