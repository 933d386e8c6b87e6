//go:build linux

package people

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"relais/auth/account"
	"relais/internal/store/storetest"
)

// On a full disk a right password gets what an upload gets: 503, when to come back, and the reason.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=2m"); err != nil {
		t.Skip("no file system of its own to be had:", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, 0) })
	db := storetest.Open(t, filepath.Join(dir, "users.db"), account.Buckets...)
	accounts, err := account.Open(db, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	var logs bytes.Buffer
	w := newWorld(t, func(o *Options) {
		o.Accounts, o.Now, o.Log = accounts, time.Now, slog.New(slog.NewTextHandler(&logs, nil))
	})
	w.person("alice")
	filler := filepath.Join(dir, "filler")
	if err := os.WriteFile(filler, make([]byte, 3<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk is not full: %v, want syscall.ENOSPC", err)
	}
	for _, lang := range []struct{ name, says string }{{"en", "disk of this server is full"}, {"fr", "disque de ce serveur est plein"}} {
		status := http.StatusSeeOther
		for range 30 { // the file has some free pages
			got := w.ask(ask{path: "/sign-in?lang=" + lang.name, form: url.Values{"name": {"alice"}, "password": {good}}})
			if status = got.Code; status == http.StatusSeeOther {
				continue
			}
			if status != http.StatusServiceUnavailable || got.Header().Get("Retry-After") != "60" ||
				!strings.Contains(got.Body.String(), lang.says) || kept(got) != "" {
				t.Errorf("got %d, Retry-After %q, %s; want 503, 60 and %q", status, got.Header().Get("Retry-After"), got.Body,
					lang.says)
			}
			break
		}
		if status == http.StatusSeeOther {
			t.Fatal("the disk was never full: this shows nothing")
		}
	}
	if text := logs.String(); !strings.Contains(text, "waits for space on the disk") {
		t.Errorf("log = %s, want the reason", text)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	w.signIn("alice")
}
