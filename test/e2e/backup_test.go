package e2e

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A copy says whether it is whole.
func TestBackupList(t *testing.T) {
	c := makeCountry(t, 60)
	copied, restored := filepath.Join(t.TempDir(), "copy"), filepath.Join(t.TempDir(), "restored")
	if _, errs, code := relais(t, "backup", "--data", c.dir, copied); code != 0 {
		t.Fatalf("backup: %d %s", code, errs)
	}
	if out, errs, code := relais(t, "check", "--backup", copied); code != 0 ||
		!strings.Contains(out, "snapshots/FR.snap") {
		t.Errorf("a whole copy: %d %s%s", code, out, errs)
	}
	snap := filepath.Join(copied, "snapshots", "FR.snap")
	if err := os.Rename(snap, copied+".aside"); err != nil {
		t.Fatal(err)
	}
	if out, _, code := relais(t, "check", "--backup", copied); code != 1 || !strings.Contains(out, "WRONG") {
		t.Errorf("a copy that lacks a file: %d %s", code, out)
	}
	if _, errs, code := relais(t, "restore", copied, "--data", restored); code != 1 ||
		!strings.Contains(errs, "FR.snap") {
		t.Errorf("restored with a file less: %d %s", code, errs)
	}
	if err := os.Rename(copied+".aside", snap); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(copied, "backup.json")); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"check", "--backup", copied}, {"restore", copied, "--data", restored}} {
		if _, errs, code := relais(t, args...); code != 1 || !strings.Contains(errs, "backup.json") {
			t.Errorf("%q without a list: %d %s", args, code, errs)
		}
	}
	if _, _, code := relais(t, "check"); code != 2 {
		t.Errorf("check of nothing: %d", code)
	}
}

// A backup and a restore that are killed at any moment are not taken for complete.
func TestKilledBackup(t *testing.T) {
	c := makeCountry(t, 60)
	program, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	whole := filepath.Join(t.TempDir(), "whole")
	if _, errs, code := relais(t, "backup", "--data", c.dir, whole); code != 0 {
		t.Fatalf("backup: %d %s", code, errs)
	}
	for i := range 12 {
		dest := filepath.Join(t.TempDir(), "dest")
		if i%2 == 0 {
			if err := os.Mkdir(dest, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		args := []string{"backup", "--data", c.dir, dest}
		if i%4 > 1 {
			args = []string{"restore", whole, "--data", dest}
		}
		cmd := exec.Command(program, args...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(rand.N(200*time.Millisecond), func() { cmd.Process.Kill() })
		ended := cmd.Wait() == nil
		verify := []string{"check", "--backup", dest}
		if args[0] == "restore" {
			verify = []string{"check", "--data", dest}
		}
		_, errs, code := relais(t, verify...)
		files, err := filepath.Glob(filepath.Join(dest, "[^.]*")) // a temporary file alone is an empty folder
		if err != nil {
			t.Fatal(err)
		}
		_, snap := os.Stat(filepath.Join(dest, "snapshots", "FR.snap"))
		switch complete := code == 0 && len(files) > 0; {
		case ended && !complete:
			t.Errorf("%q ended, and is not complete: %s", args, errs)
		case complete && snap != nil:
			t.Errorf("%q was killed and is taken for complete: %q", args, files)
		}
	}
}
