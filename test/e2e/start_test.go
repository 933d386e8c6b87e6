//go:build linux

package e2e

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// readOnly takes the locks out of a folder and everybody's leave to write to it, and
// returns what starts a program as somebody for which that holds.
func readOnly(t *testing.T, dir string) func(*exec.Cmd) {
	t.Helper()
	for _, name := range []string{"serve.lock", "ingest.lock"} {
		os.Remove(filepath.Join(dir, name))
	}
	var folders []string
	must(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			folders = append(folders, path)
			return os.Chmod(path, 0o555)
		}
		return os.Chmod(path, 0o444)
	}))
	t.Cleanup(func() { // who is not root could not remove what is in them
		for _, path := range folders {
			os.Chmod(path, 0o755)
		}
	})
	if os.Getuid() != 0 {
		return func(*exec.Cmd) {}
	}
	// Root writes everywhere: the programs run as somebody else.
	for above := dir; above != "/" && above != os.TempDir(); above = filepath.Dir(above) {
		if info, err := os.Stat(above); err == nil && info.Mode().Perm()&0o005 != 0o005 {
			os.Chmod(above, info.Mode().Perm()|0o055)
		}
	}
	must(t, os.Chmod(filepath.Dir(prepared(t).Path), 0o755))
	return func(cmd *exec.Cmd) {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
}

// as runs a command as somebody, and returns its exit code and all that it prints.
func as(t *testing.T, somebody func(*exec.Cmd), args ...string) (code int, text string) {
	t.Helper()
	cmd := prepared(t, args...)
	somebody(cmd)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// A folder that the server may not write to is served even so, by several servers at
// once. It cannot be kept fresh, and serve says so at once.
func TestReadOnlyFolder(t *testing.T) {
	c := makeCountry(t, 200)
	nobody := readOnly(t, c.dir)
	for range 2 {
		s := start(t, nobody, "serve", "--data", c.dir)
		s.isLoaded(c.dir)
		s.one("/antennas/90000010")
		if !strings.Contains(s.log.String(), "the folder cannot be written to") {
			t.Errorf("log: got %s, want that the folder cannot be written to", s.log)
		}
	}
	for _, tt := range []struct {
		name, want string
		args       []string
	}{
		{"serve", "cannot be written to", []string{"serve", "--listen", "127.0.0.1:0", "--update-every", "24h"}},
		{"update", "permission denied", []string{"update"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, text := as(t, nobody, append(tt.args, "--data", c.dir)...)
			if code != 1 || !strings.Contains(text, tt.want) || !strings.Contains(text, "permission denied") {
				t.Errorf("got exit %d, want 1 with %q and why: %s", code, tt.want, text)
			}
		})
	}
}

// A port that is in use is noticed before anything is made, and the message says what to
// do: stop the program that has it, or use another flag.
func TestBusyPort(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer busy.Close()
	address := busy.Addr().String()
	dir := filepath.Join(t.TempDir(), "demo")
	_, errs, code := relais(t, "demo", "--data", dir, "--listen", address)
	if code != 1 || strings.Contains(errs, "Making") {
		t.Errorf("demo: got exit %d, want 1 before anything is made: %s", code, errs)
	}
	for _, want := range []string{address + " is in use", "--listen 127.0.0.1:"} {
		if !strings.Contains(errs, want) {
			t.Errorf("demo: got %s, want %q", errs, want)
		}
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("demo: got a folder, want none where it cannot serve: %v", err)
	}
	must(t, os.Mkdir(dir, 0o755))
	fails(t, 1, address+" is in use by another program", "serve", "--data", dir, "--listen", address)
	if made, err := filepath.Glob(filepath.Join(dir, "*.db")); err != nil || len(made) > 0 {
		t.Errorf("serve: got the stores %q, %v; want none where it cannot serve", made, err)
	}
	fails(t, 1, "--ops-listen 127.0.0.1:", "serve", "--data", dir, "--listen", "127.0.0.1:0", "--ops-listen", address)
	s := serve(t, dir)
	// It was told to listen on port 0, so it is not known by its address.
	fails(t, 1, "is in use by another program", "serve", "--data", dir, "--listen",
		strings.TrimPrefix(s.base, "http://"))
}

// What is denied in a folder of somebody else says whose it is, and the command that mends
// it.
func TestFolderOfAnother(t *testing.T) {
	c := makeCountry(t, 200)
	nobody := readOnly(t, c.dir)
	must(t, os.Chmod(filepath.Join(c.dir, "clients.db"), 0o600))
	const foreign = "/var/lib/relais of a test"
	for _, tt := range []struct {
		name, whose, mend string
		args              []string
	}{
		{"made", "/var/lib belongs to root", " '" + foreign + "'",
			[]string{"ingest", "--data", foreign, "fr,drom", c.files[0]}},
		{"used", c.dir + " belongs to root", "sudo chown -R nobody: " + c.dir,
			[]string{"serve", "--data", c.dir, "--listen", "127.0.0.1:0"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.name == "used" && os.Getuid() != 0 {
				t.Skip("the folder is its own")
			}
			code, text := as(t, nobody, tt.args...)
			for _, want := range []string{"denied", tt.whose, tt.mend} {
				if code == 0 || !strings.Contains(text, want) {
					t.Errorf("got exit %d, want another than 0 with %q: %s", code, want, text)
				}
			}
		})
	}
}
