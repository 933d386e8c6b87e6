//go:build linux

package e2e

import (
	"bytes"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"relais/test/relaistest"
)

// A client of a running server is changed by the first characters of its id, and its next request sees it.
func TestClientSet(t *testing.T) {
	c := makeCountry(t, 60)
	s := serve(t, c.dir)
	page := createClient(t, c.dir, "--name", "page", "--mode", "browser", "--origin", "https://a.example", "--scopes",
		"all-read")
	ask := func(want int, origin string) http.Header {
		t.Helper()
		a := s.getAs(page.APIKey, "/external/v1/markets", "Origin", origin)
		if a.status != want {
			t.Errorf("from %s: got %s, want %d", origin, a, want)
		}
		return a.header
	}
	ask(http.StatusForbidden, "https://b.example")
	if out := run(t, "client", "set", "--data", c.dir, page.ID[:len(page.ID)-1], "--add-origin", "https://b.example",
		"--minute", "7"); !strings.Contains(out, "https://a.example → https://a.example,https://b.example") {
		t.Errorf("client set prints %s", out)
	}
	ask(http.StatusOK, "https://b.example")
	var changed struct {
		Changed []struct{ Member string }
		Limits  struct{ Minute int }
	}
	command(t, &changed, "client", "set", "--data", c.dir, "page", "--remove-origin", "https://a.example")
	if len(changed.Changed) != 1 || changed.Changed[0].Member != "origins" || changed.Limits.Minute != 7 {
		t.Errorf("client set: got %+v, want origins changed, and 7 a minute", changed)
	}
	ask(http.StatusForbidden, "https://a.example")
	fails(t, 1, page.ID, "client", "create", "--data", c.dir, "--name", "page", "--mode", "mobile", "--scopes", "all-read")
	fails(t, 1, "BROWSER", "client", "set", "--data", c.dir, "page", "--cidr", "192.0.2.0/24")
}

// A folder that is served is written as an archive, which another machine restores.
func TestBackupArchive(t *testing.T) {
	c := makeCountry(t, 60)
	s := serve(t, c.dir)
	archive, errs, code := relais(t, "backup", "--data", c.dir, "-")
	if code != 0 || errs != "" {
		t.Fatalf("backup: exit %d: %s", code, errs)
	}
	s.stop()
	restored := filepath.Join(t.TempDir(), "restored")
	cmd := prepared(t, "restore", "-", "--data", restored)
	cmd.Stdin = strings.NewReader(archive)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("restore: %v: %s", err, out)
	}
	run(t, "check", "--data", restored)
	again := serve(t, restored)
	again.key = s.key
	again.ask("/markets")
	cut := prepared(t, "restore", "-", "--data", filepath.Join(t.TempDir(), "cut"))
	cut.Stdin = bytes.NewReader([]byte(archive[:len(archive)/2]))
	if out, err := cut.CombinedOutput(); err == nil {
		t.Errorf("half an archive was restored: %s", out)
	}
	fails(t, 2, "--keep", "backup", "--data", restored, "--keep", "2", "-")
}

// The doctor asks a running server, and exits with 1 when there is a problem.
func TestDoctor(t *testing.T) {
	c := makeCountry(t, 60)
	s := serve(t, c.dir)
	if out, errs, code := relais(t, "doctor", "--data", c.dir); code != 0 || !strings.Contains(out, s.base[len("http://"):]) {
		t.Errorf("exit %d, want 0 with the address of the server: %s%s", code, out, errs)
	}
	s.getAs(s.key, "/external/v1/markets", "X-Forwarded-For", "192.0.2.1")
	must(t, os.Chmod(filepath.Join(c.dir, "users.db"), 0o644))
	out, _, code := relais(t, "doctor", "--data", c.dir)
	for _, want := range []string{"chmod 600", "--trusted-proxy 127.0.0.1", "--base-url"} {
		if code != 1 || !strings.Contains(out, want) {
			t.Errorf("exit %d, want 1 with %q: %s", code, want, out)
		}
	}
}

// Who may not use a folder is told whose it is, and what helps.
func TestPermissions(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root runs commands as others")
	}
	c := makeCountry(t, 60)
	above, err := os.MkdirTemp("", "relais-permissions-") // others reach it
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(above) })
	dir, program := filepath.Join(above, "data"), filepath.Join(above, "relais")
	path, err := relaistest.Binary()
	if err == nil {
		err = errors.Join(os.Chmod(above, 0o755), exec.Command("cp", path, program).Run(),
			exec.Command("cp", "-r", c.dir, dir).Run(), os.Chmod(program, 0o755), os.Chmod(dir, 0o755))
	}
	must(t, err)
	for _, tt := range []struct {
		name string
		args []string
		says []string
	}{
		{"client", []string{"client", "list", "--data", dir}, nil},
		{"serve", []string{"serve", "--data", dir, "--listen", "127.0.0.1:0"}, nil},
		{"ingest", []string{"ingest", "--data", dir, "FR", filepath.Join(dir, "serve.lock")}, nil},
		{"backup", []string{"backup", "--data", dir, filepath.Join(above, "copy")},
			[]string{"belongs to root, and relais runs as nobody", "sudo install -d -o nobody " + filepath.Join(above, "copy")}},
		{"a missing folder", []string{"client", "create", "--data", filepath.Join(above, "new"), "--name", "x", "--mode",
			"mobile", "--scopes", "all-read"}, []string{"sudo install -d -o nobody " + filepath.Join(above, "new")}},
		{"another folder", []string{"doctor", "--data", dir}, []string{"root", " problems"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cmd := exec.Command(program, tt.args...)
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
			out, err := cmd.CombinedOutput()
			if cmd.ProcessState.ExitCode() != 1 {
				t.Fatalf("%v, want exit 1: %s", err, out)
			}
			says := tt.says
			if says == nil {
				says = []string{"belongs to root, and relais runs as nobody", "sudo chown -R nobody: " + dir}
			}
			for _, want := range says {
				if !strings.Contains(string(out), want) {
					t.Errorf("got %s, want %q", out, want)
				}
			}
		})
	}
}
