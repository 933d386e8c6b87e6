//go:build linux

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"relais/internal/filetest"
)

// fakeStick is a folder with the starter, and a script in the place of the program.
func fakeStick(t *testing.T, dir, program string, mode os.FileMode) {
	t.Helper()
	script, err := os.ReadFile("packtexts/open.sh")
	must(t, err)
	must(t, os.MkdirAll(filepath.Join(dir, "programs"), 0o700))
	filetest.Write(t, filepath.Join(dir, "open-relais.sh"), script)
	own := filepath.Join(dir, "programs", "relais-linux-"+runtime.GOARCH)
	filetest.Write(t, own, []byte("#!/bin/sh\n"+program))
	must(t, os.Chmod(own, mode))
}

// A window that is closed while a copy of the program is made or tried leaves nothing behind.
func TestStarterStopped(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGHUP, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			stick, temporary := t.TempDir(), t.TempDir()
			fakeStick(t, stick, "echo >\"$TMPDIR/tried\"; exec sleep 60\n", 0o600)
			c := exec.Command("sh", filepath.Join(stick, "open-relais.sh"))
			c.Env = append(os.Environ(), "TMPDIR="+temporary)
			c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // what a terminal signals
			must(t, c.Start())
			tried := filepath.Join(temporary, "tried")
			for range 2000 {
				if _, err := os.Stat(tried); err == nil {
					break
				}
				time.Sleep(5 * time.Millisecond)
			}
			must(t, os.Remove(tried))
			must(t, syscall.Kill(-c.Process.Pid, sig))
			if err := c.Wait(); c.ProcessState.ExitCode() != 130 {
				t.Errorf("the starter ended with %v, want code 130", err)
			}
			if left, _ := os.ReadDir(temporary); len(left) > 0 {
				t.Errorf("%v stay in the temporary folder", left)
			}
		})
	}
}

// A program that the system ends is a failure, unlike one that the person ends.
func TestStarterOfKilled(t *testing.T) {
	stick := t.TempDir()
	fakeStick(t, stick, "[ $1 = version ] || kill -KILL $$\n", 0o700)
	out, err := exec.Command("sh", filepath.Join(stick, "open-relais.sh")).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "The map could not be shown") {
		t.Errorf("got %v: %s, want an error that says so", err, out)
	}
}

// The stick is where the starter is, whatever other folders a shell looks in.
func TestStarterWithCDPATH(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	fakeStick(t, filepath.Join(dir, "stick"), "[ $1 = version ] || echo \"open <$2>\"\n", 0o700)
	must(t, os.Mkdir(filepath.Join(other, "stick"), 0o700))
	c := exec.Command("sh", "stick/open-relais.sh")
	c.Dir, c.Env = dir, append(os.Environ(), "CDPATH="+other)
	out, err := c.CombinedOutput()
	if want := "open <" + filepath.Join(dir, "stick") + ">\n"; err != nil || string(out) != want {
		t.Errorf("got %q, %v; want %q", out, err, want)
	}
}
