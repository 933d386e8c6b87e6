package e2e

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A port that is in use is noticed before anything is made, and the message says what to
// do: stop the program that has it, or use another flag.
func TestBusyPort(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	address := busy.Addr().String()
	dir := filepath.Join(t.TempDir(), "demo")
	_, errs, code := relais(t, "demo", "--data", dir, "--listen", address)
	if code != 1 || !strings.Contains(errs, address+" is in use") || !strings.Contains(errs, "--listen 127.0.0.1:") ||
		strings.Contains(errs, "Making") {
		t.Errorf("demo: exit %d %s", code, errs)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("demo made its folder although it could not serve: %v", err)
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	fails(t, 1, address+" is in use by another program", "serve", "--data", dir, "--listen", address)
	if made, err := filepath.Glob(filepath.Join(dir, "*.db")); err != nil || len(made) > 0 {
		t.Errorf("serve opened its stores first: %q %v", made, err)
	}
	fails(t, 1, "--ops-listen 127.0.0.1:", "serve", "--data", dir, "--listen", "127.0.0.1:0", "--ops-listen", address)
	s := serve(t, nil, "serve", "--data", dir)
	// It was told to listen on port 0, so it is not known by its address.
	fails(t, 1, "is in use by another program", "serve", "--data", dir, "--listen",
		strings.TrimPrefix(s.base, "http://"))
}

// What is denied in a folder of somebody else says whose it is, and the command that mends
// it.
func TestFolderOfAnother(t *testing.T) {
	c := makeCountry(t, 200)
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	as := readOnly(t, c.dir) // as somebody who is not root
	denied := func(whose, command string, args ...string) {
		t.Helper()
		cmd := exec.Command(path, args...)
		as(cmd)
		out, err := cmd.CombinedOutput()
		for _, want := range []string{"denied", whose, command} {
			if err == nil || !strings.Contains(string(out), want) {
				t.Errorf("relais %q: %v %s, want %q", args, err, out, want)
			}
		}
	}
	denied("/var/lib belongs to root", " '/var/lib/relais of a test'", "ingest", "--data", "/var/lib/relais of a test",
		"fr,drom", c.files[0])
	if os.Getuid() == 0 { // else the folder is its own
		if err := os.Chmod(filepath.Join(c.dir, "clients.db"), 0o600); err != nil {
			t.Fatal(err)
		}
		denied(c.dir+" belongs to root", "sudo chown -R nobody: "+c.dir, "serve", "--data", c.dir, "--listen",
			"127.0.0.1:0")
	}
}
