package admin

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// Files that the user may not look at are named, and do not hide the others.
func TestDoctorLooksOn(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can look as another user")
	}
	d := healthy(t)
	in := func(name string) string { return filepath.Join(string(d.dir), name) }
	for dir := string(d.dir); dir != filepath.Clean(os.TempDir()); dir = filepath.Dir(dir) {
		must(t, os.Chmod(dir, 0o755))
	}
	must(t, errors.Join(os.Mkdir(in("a folder that is shut"), 0o700),
		os.Chmod(in("snapshots"), 0o744), os.Chmod(in("users.db"), 0o666)))
	d.Diagnosis = &Diagnosis{OK: true}
	runtime.LockOSThread() // Setfsuid concerns one thread
	must(t, syscall.Setfsuid(65534))
	c := d.contents()
	must(t, syscall.Setfsuid(0))
	runtime.UnlockOSThread()
	d.modes(c)
	for _, want := range []string{"a folder that is shut: permission denied", "FR.snap: permission denied",
		"others may write to " + in("users.db")} {
		if !slices.ContainsFunc(d.Findings, func(f Finding) bool { return strings.Contains(f.Text, want) && f.Severity == Wrong }) {
			t.Errorf("findings %+v, want %q", d.Findings, want)
		}
	}
	for range mostNamedFiles {
		c.unreadable = append(c.unreadable, fs.ErrPermission)
	}
	d.modes(c)
	if last := d.Findings[len(d.Findings)-1]; last.Text != "and 2 more that cannot be looked at" {
		t.Errorf("the last of many is %+v, want 2 more", last)
	}
}

// A key that nobody could look for is not fine.
func TestDoctorOfAShutFolder(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can look as another user")
	}
	d := healthy(t)
	d.Diagnosis = &Diagnosis{OK: true}
	runtime.LockOSThread() // Setfsuid concerns one thread
	must(t, syscall.Setfsuid(65534))
	d.files()
	must(t, syscall.Setfsuid(0))
	runtime.UnlockOSThread()
	if slices.ContainsFunc(d.Findings, func(f Finding) bool { return f.Check == sealFile && f.Severity == Fine }) {
		t.Errorf("findings %+v, want none that the key is fine", d.Findings)
	}
}
