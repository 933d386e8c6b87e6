package mcp

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"relais/account"
	"relais/ops"
	"relais/store"
	"relais/tools"
)

// While the accounts cannot be read nobody is told that his token or key is wrong, which
// would make programs throw them away; who brings none is answered as ever.
func TestFailedAccounts(t *testing.T) {
	w := serve(t, nil)
	token, key := w.token(t, "alice", account.Read, account.Write), w.issue(t, nil).APIKey
	w.tools.Failed = map[string]error{ops.DataPeople: errors.New("/data/users.db is damaged")}
	for _, c := range []struct {
		name    string
		headers []string
		tool    string
		status  int
	}{
		{"a person", []string{"Authorization", token}, "me_whoami", http.StatusServiceUnavailable},
		{"a person who submits", []string{"Authorization", token}, "bug_submit", http.StatusServiceUnavailable},
		{"a person who reads", []string{"Authorization", token}, "capabilities_guide", http.StatusServiceUnavailable},
		{"an API client", []string{"X-API-Key", key}, "me_whoami", http.StatusServiceUnavailable},
		{"a wrong key", []string{"X-API-Key", key + "x"}, "me_whoami", http.StatusUnauthorized},
		{"nobody known", []string{"Mcp-Session-Id", session(t, w)}, "capabilities_guide", http.StatusOK},
	} {
		resp, text := post(t, w, callBody(c.tool, "{}"), c.headers...)
		if resp.StatusCode != c.status || strings.Contains(text, "/data") || strings.Contains(text, `"isError":true`) {
			t.Errorf("%s: %d, want %d: %.300s", c.name, resp.StatusCode, c.status, text)
		}
		failed := c.status == http.StatusServiceUnavailable
		if failed && !strings.Contains(text, "relais check") || (resp.Header.Get("Retry-After") != "") != failed {
			t.Errorf("%s: Retry-After %q: %.300s", c.name, resp.Header.Get("Retry-After"), text)
		}
	}
}

// serveFile is serve with the file of the accounts.
func serveFile(t *testing.T) (w *world, db *store.DB, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "users.db")
	db, err := store.Open(path, account.Buckets...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	people, err := account.Open(db, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	w = serve(t, func(o *Options) {
		reading := o.Reading
		o.Accounts = people
		o.Reading = func() *tools.Reading {
			r := reading()
			r.People = people
			return r
		}
	})
	w.people = people
	return w, db, path
}

// Who has an account whose record is damaged is told that it cannot be read, and not to sign
// in anew. Others go on.
func TestLostAccount(t *testing.T) {
	w, db, _ := serveFile(t)
	lost, other := w.token(t, "alice", account.Read), w.token(t, "bob", account.Read)
	alice, err := w.people.Find("alice")
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *store.Tx) error {
		return tx.Bucket([]byte(account.Buckets[0])).Put([]byte(alice.ID), []byte("{"))
	})
	if err != nil {
		t.Fatal(err)
	}
	if w.tools.Accounts, err = account.Open(db, time.Now); err != nil {
		t.Fatal(err)
	}
	resp, text := post(t, w, initializeBody, "Authorization", lost)
	if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" {
		t.Errorf("%d %s", resp.StatusCode, text)
	}
	if resp, text := post(t, w, initializeBody, "Authorization", other); resp.StatusCode != http.StatusOK {
		t.Errorf("another: %d %s", resp.StatusCode, text)
	}
	key := w.issue(t, nil).APIKey // the damaged record may be this client's
	if resp, text := post(t, w, initializeBody, "X-API-Key", key); resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a client without an account: %d %s", resp.StatusCode, text)
	}
}

// A file of accounts that the disk does not give back while a server runs is an error of the
// tools that need it, for the assistant to read: who calls is known from memory.
func TestUnreadableAccounts(t *testing.T) {
	w, _, path := serveFile(t)
	headers := []string{"Authorization", w.token(t, "alice", account.Read)}
	headers = append(headers, "Mcp-Session-Id", session(t, w, headers...))
	call := func() (*http.Response, string) { return post(t, w, callBody("me_speedtests_list", "{}"), headers...) }
	if resp, text := call(); resp.StatusCode != http.StatusOK || strings.Contains(text, `"isError":true`) {
		t.Fatalf("%d %.300s", resp.StatusCode, text)
	}
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	resp, text := call()
	if resp.StatusCode != http.StatusOK || !strings.Contains(text, `"isError":true`) ||
		!strings.Contains(text, "cannot read its data at the moment") || strings.Contains(text, path) {
		t.Errorf("%d %.300s", resp.StatusCode, text)
	}
}
