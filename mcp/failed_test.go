package mcp

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"relais/api"
	"relais/auth/account"
	"relais/internal/store"
	"relais/internal/store/logtest"
	"relais/internal/store/storetest"
	"relais/internal/tier"
	"relais/mcp/tools"
)

// While the accounts cannot be read, no valid token or key is called wrong, since programs
// would discard it. Anonymous callers are answered as usual.
func TestFailedAccounts(t *testing.T) {
	tier.Slow(t)
	w := serve(t, nil)
	token, key := w.token(t, "alice", account.Read, account.Write), w.issue(t, nil).APIKey
	w.tools.Failed = func(data string) error {
		return map[string]error{api.DataPeople: errors.New("/data/users.db is damaged")}[data]
	}
	for _, c := range []struct {
		name    string
		headers []string
		tool    string
		want    int
	}{
		{"a person", []string{"Authorization", token}, "me_whoami", http.StatusServiceUnavailable},
		{"a person who submits", []string{"Authorization", token}, "bug_submit", http.StatusServiceUnavailable},
		{"a person who reads", []string{"Authorization", token}, "capabilities_guide", http.StatusServiceUnavailable},
		{"an API client", []string{"X-API-Key", key}, "me_whoami", http.StatusServiceUnavailable},
		{"a wrong key", []string{"X-API-Key", key + "x"}, "me_whoami", http.StatusUnauthorized},
		{"an anonymous caller", nil, "capabilities_guide", http.StatusOK},
	} {
		t.Run(c.name, func(t *testing.T) {
			resp, text := post(t, w, callBody(c.tool, "{}"), c.headers...)
			if resp.StatusCode != c.want || strings.Contains(text, `"isError":true`) {
				t.Errorf("status = %d, want %d without isError: %.300s", resp.StatusCode, c.want, text)
			}
			if strings.Contains(text, "/data") {
				t.Errorf("the answer names a path of the server: %.300s", text)
			}
			failed := c.want == http.StatusServiceUnavailable
			if failed && !strings.Contains(text, "relais check") {
				t.Errorf("the answer does not name relais check: %.300s", text)
			}
			if retry := resp.Header.Get("Retry-After"); (retry != "") != failed {
				t.Errorf("Retry-After = %q, want one: %t", retry, failed)
			}
		})
	}
}

// serveFile is serve with accounts whose database the test can change.
func serveFile(t *testing.T) (w *world, db *store.DB, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "users.db")
	db = storetest.Open(t, path, account.Buckets...)
	return serveOf(t, db), db, path
}

// serveOf is serve with the accounts of a database.
func serveOf(t *testing.T, db *store.DB) *world {
	t.Helper()
	people, err := account.Open(db, time.Now)
	must(t, err)
	w := serve(t, func(o *Options) {
		reading := o.Reading
		o.Accounts = people
		o.Reading = func() *tools.Reading {
			r := reading()
			r.People = people
			return r
		}
	})
	w.people = people
	return w
}

// A person with a damaged record is told that it cannot be read, and not to sign in again.
// Other people can still sign in.
func TestLostAccount(t *testing.T) {
	w, db, _ := serveFile(t)
	lost, other := w.token(t, "alice", account.Read), w.token(t, "bob", account.Read)
	alice, err := w.people.Find("alice")
	must(t, err)
	storetest.Set(t, db, account.Buckets[0], alice.ID, []byte("{"))
	w.tools.Accounts, err = account.Open(db, time.Now)
	must(t, err)
	resp, text := post(t, w, initializeBody, "Authorization", lost)
	if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" {
		t.Errorf("the damaged account: status = %d, want 503 with Retry-After: %s", resp.StatusCode, text)
	}
	if resp, text := post(t, w, initializeBody, "Authorization", other); resp.StatusCode != http.StatusOK {
		t.Errorf("another account: status = %d, want 200: %s", resp.StatusCode, text)
	}
	key := w.issue(t, nil).APIKey // the damaged record may be this client's
	if resp, text := post(t, w, initializeBody, "X-API-Key", key); resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a client without an account: status = %d, want 503: %s", resp.StatusCode, text)
	}
}

// When the database of accounts becomes unreadable while the server runs, the tools that need
// it answer with an error for the assistant. Callers are still identified, from memory.
func TestUnreadableAccounts(t *testing.T) {
	w, _, path := serveFile(t)
	headers := []string{"Authorization", w.token(t, "alice", account.Read)}
	begin(t, w, headers...)
	call := func() (*http.Response, string) { return post(t, w, callBody("me_speedtests_list", "{}"), headers...) }
	if resp, text := call(); resp.StatusCode != http.StatusOK || strings.Contains(text, `"isError":true`) {
		t.Fatalf("before the damage: status = %d, want 200 without isError: %.300s", resp.StatusCode, text)
	}
	must(t, os.Truncate(path, 0))
	resp, text := call()
	if resp.StatusCode != http.StatusOK || !strings.Contains(text, `"isError":true`) ||
		!strings.Contains(text, "cannot read its data at the moment") || strings.Contains(text, path) {
		t.Errorf("status = %d, want 200 with isError and the reason: %.300s", resp.StatusCode, text)
	}
}

// While the database that servers share is away, tokens and keys that a server knows go on, and
// others are not called wrong.
func TestUnknownCredentialsWhileAway(t *testing.T) {
	log, db := logtest.New(), storetest.New(t, account.Buckets...)
	must(t, db.Share(t.Context(), log))
	w := serveOf(t, db)
	known := w.token(t, "alice", account.Read)
	unknown := known[:len(known)-1] + string('A'+('B'-known[len(known)-1])%2)
	for _, c := range []struct {
		name, token string
		away        bool
		want        int
	}{
		{"a known token", known, false, http.StatusOK},
		{"an unknown token", unknown, false, http.StatusUnauthorized},
		{"a known token while away", known, true, http.StatusOK},
		{"an unknown token while away", unknown, true, http.StatusServiceUnavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			log.SetAway(c.away)
			resp, text := post(t, w, callBody("me_sessions_list", "{}"), "Authorization", c.token)
			if resp.StatusCode != c.want || strings.Contains(text, `"isError":true`) {
				t.Errorf("status = %d, want %d without isError: %.300s", resp.StatusCode, c.want, text)
			}
			if retry := resp.Header.Get("Retry-After"); (retry != "") != (c.want == http.StatusServiceUnavailable) {
				t.Errorf("Retry-After = %q with status %d", retry, resp.StatusCode)
			}
		})
	}
}
