package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Impossible clients are wrong use, with a reason; nothing is made.
func TestWrongClients(t *testing.T) {
	dir := t.TempDir()
	good := []string{"--name", "x", "--mode", "server", "--cidr", "192.0.2.0/24", "--scopes", "all-read"}
	for _, tt := range []struct {
		flags    []string
		mentions string
	}{
		{[]string{"--mode", "robot"}, "BROWSER"}, {[]string{"--scopes", "antennas:write"}, "antennas:read"},
		{[]string{"--cidr", "192.0.2.300/24"}, "192.0.2.300"},
		{[]string{"--mode", "browser"}, "origin"}, {[]string{"--origin", "https://a.example"}, "BROWSER"},
		{[]string{"--origin", "a.example"}, "a.example"},
		{[]string{"--minute", "0"}, "limits"}, {[]string{"--minute=-5"}, "limits"}, {[]string{"--day", "0"}, "limits"},
		{[]string{"--day", "x"}, "day"},
		{[]string{"--expires", "0d"}, "expires"}, {[]string{"--expires", "-1d"}, "expires"},
		{[]string{"--expires", "tomorrow"}, "tomorrow"},
		{[]string{"--name", ""}, "name"}, {[]string{"--name", "  "}, "name"},
		{[]string{"--name", strings.Repeat("x", 101)}, "name"},
		{[]string{"--name", "a\u202eb"}, "name"}, {[]string{"--name", "a\x7fb"}, "name"},
		{[]string{"--name", "a\nb"}, "name"},
	} {
		out, errs, code := relais(t,
			append(append([]string{"client", "create", "--data", dir}, good...), tt.flags...)...)
		if code != 2 || out != "" || !strings.Contains(errs, tt.mentions) {
			t.Errorf("%q: exit %d, %q, %q", tt.flags, code, out, errs)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("refused clients left %v", left)
	}
}

// The answer of the contract's own example, to its members.
func TestClientAnswer(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made")
	out, errs, code := relais(t, "client", "create", "--data", dir, "--name", "Web map", "--mode", "server", "--scopes",
		"antennas:read,photos:write", "--cidr", "127.0.0.1/32", "--json")
	var made struct {
		ID, Name, Mode, APIKey string
		SigningSecret          *string
		Scopes                 []string
		Limits                 map[string]int
	}
	if code != 0 || json.Unmarshal([]byte(out), &made) != nil {
		t.Fatalf("exit %d: %s%s", code, out, errs)
	}
	if made.ID == "" || made.Name != "Web map" || made.Mode != "SERVER" || !strings.HasPrefix(made.APIKey, "rk_") ||
		made.SigningSecret != nil || len(made.Scopes) != 2 ||
		made.Limits["minute"] != 60 || made.Limits["day"] != 10000 {
		t.Errorf("wrong output %s", out)
	}
	if !strings.Contains(errs, dir) || !strings.Contains(errs, "partner") {
		t.Errorf("no word on the folder that was made, or that the client may not write: %s", errs)
	}
	out, _, _ = relais(t, "client", "usage", "--data", dir, "Web map", "--json")
	var used struct{ Minute, Day map[string]any }
	if err := json.Unmarshal([]byte(out), &used); err != nil || used.Minute["limit"] != 60.0 ||
		used.Day["remaining"] != 10000.0 || used.Day["reset"] == nil {
		t.Errorf("%v: %s", err, out)
	}
	// A whole key names what its prefix names, and the environment narrows nothing.
	t.Setenv("RELAIS_KEY", "rk_000000000000_x")
	if out, errs, code := relais(t, "client", "revoke", "--data", dir, "Web map", "--key", made.APIKey,
		"--json"); code != 0 || !strings.Contains(out, `"revoked":"`) {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
}

// A backup into the copied folder is refused, and so is restoring a folder that is not a backup.
func TestBackupOfNothing(t *testing.T) {
	dir, empty := t.TempDir(), t.TempDir()
	createClient(t, dir, "--name", "x", "--mode", "server", "--cidr", "127.0.0.1/32", "--scopes", "all-read")
	if err := os.WriteFile(filepath.Join(empty, "a.txt"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"backup", "--data", dir, filepath.Join(dir, "bk")}, {"backup", "--data", dir, dir},
		{"backup", "--data", filepath.Join(empty, "none"), filepath.Join(empty, "bk")},
		{"restore", empty, "--data", filepath.Join(empty, "new")},
		{"restore", filepath.Join(empty, "none"), "--data", filepath.Join(empty, "new")},
		{"restore", dir, "--data", dir},
	} {
		if out, errs, code := relais(t, args...); code != 1 || out != "" || errs == "" {
			t.Errorf("%q: exit %d, %q, %q", args, code, out, errs)
		}
	}
	for _, made := range []string{filepath.Join(dir, "bk"), filepath.Join(empty, "new"), filepath.Join(empty, "bk")} {
		if _, err := os.Stat(made); err == nil {
			t.Errorf("%s was made", made)
		}
	}
}

// Requests that no client could send are not signed.
func TestWrongSigning(t *testing.T) {
	for _, args := range [][]string{{"GET", "antennas"}, {"G ET", "http://h/"}, {"", "http://h/"}, {"GET", "ftp://h/"},
		{"GET", "http:///x"}} {
		if out, _, code := relais(t, append([]string{"client", "sign", "--secret", "s"}, args...)...); code != 2 ||
			out != "" {
			t.Errorf("%q: exit %d, %q", args, code, out)
		}
	}
	if out, _, code := relais(t, "client", "sign", "--secret", "", "GET", "http://h/"); code != 2 || out != "" {
		t.Errorf("an empty secret: exit %d, %q", code, out)
	}
	var headers map[string]string
	out, _, _ := relais(t, "client", "sign", "--secret", "s", "--key", "k", "--json", "GET", "http://h")
	if err := json.Unmarshal([]byte(out), &headers); err != nil || headers["Authorization"] != "Bearer k" ||
		!strings.HasPrefix(headers["X-Sq-Signature"], "t=") {
		t.Errorf("%v: %s", err, out)
	}
}
