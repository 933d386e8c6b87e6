package mcp

import (
	"bytes"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"relais/auth/access"
	"relais/auth/account"
	"relais/internal/store"
)

// withOldPage opens clients, among them a page with a scope of an older version.
func withOldPage(t *testing.T) (db *store.DB, sealer *access.Sealer, page *access.Issued) {
	t.Helper()
	dir := t.TempDir()
	db, err := store.Open(filepath.Join(dir, "clients.db"), access.Bucket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	sealer = access.OpenSealer(filepath.Join(dir, "secret.key"))
	clients, err := access.OpenClients(db, sealer, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	page, err = clients.Create(access.Client{
		Name: "A page", Mode: access.Browser, Origins: []string{"http://localhost:3000"},
		Scopes: []access.Scope{access.AntennasRead}, Limits: access.DefaultLimits,
	})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *store.Tx) error { // as an older version wrote it
		b := tx.Bucket([]byte(access.Bucket))
		text := bytes.Clone(b.Get([]byte(page.ID)))
		old := bytes.Replace(text, []byte(`"antennas:read"`), []byte(`"internal:ai"`), 1)
		if bytes.Equal(old, text) {
			t.Errorf("the record has no scope to replace: %s", text)
		}
		return b.Put([]byte(page.ID), old)
	})
	if err != nil {
		t.Fatal(err)
	}
	return db, sealer, page
}

// The key of a partner may submit, that of another client may only read, and that of a page may
// do neither, even when an older version gave it the scope.
func TestOnlyPartnersSubmit(t *testing.T) {
	var log lockedBuffer
	db, sealer, page := withOldPage(t)
	w := serve(t, func(o *Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	reader := w.issue(t, nil)
	partner := w.issue(t, func(c *access.Client) { c.Partner = true })
	withKey := func(key string) []string { return []string{"X-API-Key", key} }
	for _, c := range []struct {
		name    string
		headers []string
		tool    string
		want    int
	}{
		{"reader reads", withKey(reader.APIKey), "me_whoami", http.StatusOK},
		{"reader submits", withKey(reader.APIKey), "bug_submit", http.StatusForbidden},
		{"partner reads", withKey(partner.APIKey), "me_whoami", http.StatusOK},
		{"partner submits", withKey(partner.APIKey), "bug_submit", http.StatusOK}, // the tool's error without arguments
		{"person submits", []string{"Authorization", w.token(t, "alice", account.Write)}, "bug_submit", http.StatusOK},
	} {
		t.Run(c.name, func(t *testing.T) {
			begin(t, w, c.headers...)
			resp, text := post(t, w, callBody(c.tool, "{}"), c.headers...)
			if resp.StatusCode != c.want {
				t.Errorf("status = %d, want %d: %.200s", resp.StatusCode, c.want, text)
			}
			if c.want == http.StatusForbidden && !strings.Contains(text, "--partner") {
				t.Errorf("the refusal does not name --partner: %.200s", text)
			}
		})
	}
	var err error
	if w.tools.Gate.Clients, err = access.OpenClients(db, sealer, time.Now); err != nil {
		t.Fatal(err)
	}
	resp, text := post(t, w, initializeBody, "X-API-Key", page.APIKey, "Origin", "http://localhost:3000")
	if resp.StatusCode != http.StatusForbidden || !strings.Contains(text, "BROWSER") {
		t.Errorf("a page: status = %d, want 403 and BROWSER: %s", resp.StatusCode, text)
	}
	if !strings.Contains(log.String(), page.ID) {
		t.Errorf("the log does not name the client %s of the page: %s", page.ID, log.String())
	}
	if n := len(w.people.List()); n != 3 { // a person and two clients
		t.Errorf("%d accounts, want 3", n)
	}
}
