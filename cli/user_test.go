package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"relais/auth/account"
	"relais/internal/filetest"
	"relais/internal/store/storetest"
	"relais/internal/tier"
)

// stdin makes the text the standard input of the test.
func stdin(t *testing.T, text string) {
	t.Helper()
	path := filetest.New(t, "stdin", text)
	f, err := os.Open(path)
	must(t, err)
	before := os.Stdin
	os.Stdin = f
	t.Cleanup(func() { os.Stdin = before; f.Close() })
}

func TestUser(t *testing.T) {
	tier.Slow(t)
	dir := t.TempDir()
	run := func(args ...string) (string, string, int) {
		return command(t.Context(), append(args, "--data", dir)...)
	}
	login := func(name, password string) error {
		t.Helper()
		db := storetest.Open(t, filepath.Join(dir, "users.db"), account.Buckets...)
		defer db.Close()
		s, err := account.Open(db, time.Now)
		must(t, err)
		_, err = s.Login(context.Background(), name, password, netip.MustParseAddr("192.0.2.1"))
		return err
	}
	stdin(t, "correct horse battery\r\nanother line\n")
	out, errs, code := run("user", "create", "Élodie", "--password-stdin")
	if code != 0 || !strings.Contains(out, "may sign in") || strings.Contains(out, "horse") ||
		login("elodie", "correct horse battery") != nil {
		t.Errorf("create: got %d %s%s, want 0, may sign in, and no password", code, out, errs)
	}
	var made struct {
		ID, Name, Password string
		Disabled           bool
	}
	stdin(t, "")
	out, _, code = run("user", "passwd", "élodie", "--json") // no terminal: one is made
	if err := json.Unmarshal([]byte(out), &made); err != nil || code != 0 || len(made.Password) < 20 ||
		login("elodie", made.Password) != nil || login("elodie", "correct horse battery") == nil {
		t.Errorf("passwd: got %d %s, %v, want 0 and a new password in place of the old", code, out, err)
	}
	for _, tt := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"user", "list"}, 0, "Élodie"},
		{[]string{"user", "list"}, 0, "member"},
		{[]string{"user", "role", "elodie", "moderator"}, 0, "has the role moderator"},
		{[]string{"user", "role", "elodie", "admin", "--json"}, 0, `"role":"admin"`},
		{[]string{"user", "role", "elodie", "root"}, 2, "member"},
		{[]string{"user", "role", "nobody", "admin"}, 1, "no such account"},
		{[]string{"user", "list"}, 0, "admin"},
		{[]string{"user", "disable", "elodie"}, 0, "disabled"},
		{[]string{"user", "list", "--json"}, 0, `"disabled":true`},
		{[]string{"user", "disable", "elodie", "--undo", "--json"}, 0, `"disabled":false`},
		{[]string{"user", "create", "bob", "--generate"}, 0, "Keep it now"},
		{[]string{"user", "create", "BOB", "--generate"}, 1, "has this name"},
		{[]string{"user", "create", "bob@example.org", "--generate"}, 2, "e-mail"},
		{[]string{"user", "create", "carol", "--password-stdin"}, 2, "10 characters"},
		{[]string{"user", "create", "carol", "--password-stdin", "--generate"}, 2, "--generate"},
		{[]string{"user", "passwd", "nobody", "--generate"}, 1, "no such account"},
		{[]string{"user", "delete", "elodie", "--json"}, 0, made.ID},
		{[]string{"user", "delete", "bob"}, 0, "deleted"},
		{[]string{"user", "delete", "bob"}, 1, "no such account"},
		{[]string{"user", "list", "--json"}, 0, `{"users":[]}`},
	} {
		out, errs, code := run(tt.args...)
		if code != tt.code || !strings.Contains(out+errs, tt.says) {
			t.Errorf("relais %q: exit %d, want %d with %q\n%s%s", tt.args, code, tt.code, tt.says, out, errs)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "users.db"))
	if err != nil || bytes.Contains(text, []byte("lodie")) { // without a server it leaves the disk at once
		t.Errorf("users.db has the deleted name, or cannot be read: %v", err)
	}
}
