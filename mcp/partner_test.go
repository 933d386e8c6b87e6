package mcp

import (
	"bytes"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"relais/access"
	"relais/account"
	"relais/store"
)

// The key of a client that is no partner reads, that of a partner submits, and that of a
// page does neither, also when an older version gave it the scope.
func TestOnlyPartnersSubmit(t *testing.T) {
	var log lockedBuffer
	dir := t.TempDir()
	db, err := store.Open(filepath.Join(dir, "clients.db"), access.Bucket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	sealer := access.OpenSealer(filepath.Join(dir, "secret.key"))
	clients, err := access.OpenClients(db, sealer, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	page, err := clients.Create(access.Client{Name: "A page", Mode: access.Browser, Origins: []string{"http://localhost:3000"},
		Scopes: []access.Scope{access.AntennasRead}, Limits: access.DefaultLimits})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *store.Tx) error { // as an older version wrote it
		b := tx.Bucket([]byte(access.Bucket))
		text := bytes.Clone(b.Get([]byte(page.ID)))
		old := bytes.Replace(text, []byte(`"antennas:read"`), []byte(`"internal:ai"`), 1)
		if bytes.Equal(old, text) {
			t.Errorf("no scope in %s", text)
		}
		return b.Put([]byte(page.ID), old)
	})
	if err != nil {
		t.Fatal(err)
	}
	w := serve(t, func(o *Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	reader := w.issue(t, nil)
	partner := w.issue(t, func(c *access.Client) { c.Partner = true })
	of := func(key string) []string { return []string{"X-API-Key", key} }
	for _, c := range []struct {
		name    string
		headers []string
		tool    string
		status  int
	}{
		{"a reader", of(reader.APIKey), "me_whoami", http.StatusOK},
		{"a reader", of(reader.APIKey), "bug_submit", http.StatusForbidden},
		{"a partner", of(partner.APIKey), "me_whoami", http.StatusOK},
		{"a partner", of(partner.APIKey), "bug_submit", http.StatusOK}, // with an error of the tool's, without arguments
		{"a person", []string{"Authorization", w.token(t, "alice", account.Write)}, "bug_submit", http.StatusOK},
	} {
		id := session(t, w, c.headers...)
		resp, text := post(t, w, callBody(c.tool, "{}"), append(c.headers, "Mcp-Session-Id", id)...)
		if resp.StatusCode != c.status || c.status == http.StatusForbidden && !strings.Contains(text, "--partner") {
			t.Errorf("%s, %s: %d, want %d: %.200s", c.name, c.tool, resp.StatusCode, c.status, text)
		}
	}
	if w.tools.Gate.Clients, err = access.OpenClients(db, sealer, time.Now); err != nil {
		t.Fatal(err)
	}
	resp, text := post(t, w, initializeBody, "X-API-Key", page.APIKey, "Origin", "http://localhost:3000")
	if resp.StatusCode != http.StatusForbidden || !strings.Contains(text, "BROWSER") || !strings.Contains(log.String(), page.ID) {
		t.Errorf("a page: %d %s; the log: %s", resp.StatusCode, text, log.String())
	}
	if n := len(w.people.List()); n != 3 { // the person's and those of two clients
		t.Errorf("%d accounts", n)
	}
}
