//go:build linux

package e2e

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A copy that lacks a file is told from a whole one, and is not restored.
func TestBackupList(t *testing.T) {
	c := makeCountry(t, 60)
	copied, restored := filepath.Join(t.TempDir(), "copy"), filepath.Join(t.TempDir(), "restored")
	run(t, "backup", "--data", c.dir, copied)
	if out := run(t, "check", "--backup", copied); !strings.Contains(out, "snapshots/FR.snap") {
		t.Errorf("check of a whole copy: got %s, want a line for FR.snap", out)
	}
	must(t, os.Remove(filepath.Join(copied, "snapshots", "FR.snap")))
	if out, _, code := relais(t, "check", "--backup", copied); code != 1 || !strings.Contains(out, "WRONG") {
		t.Errorf("check of a copy that lacks a file: got exit %d, want 1: %s", code, out)
	}
	fails(t, 1, "FR.snap", "restore", copied, "--data", restored)
}

// A backup into the copied folder is refused, and so is restoring a folder that is not a
// backup. Nothing is made.
func TestBackupOfNothing(t *testing.T) {
	dir, empty := newFolder(t), t.TempDir()
	for _, tt := range []struct {
		name string
		args []string
		made string // must not exist
	}{
		{"into itself", []string{"backup", "--data", dir, filepath.Join(dir, "bk")}, filepath.Join(dir, "bk")},
		{"over itself", []string{"backup", "--data", dir, dir}, filepath.Join(dir, "backup.json")},
		{"of no folder", []string{"backup", "--data", filepath.Join(empty, "none"), filepath.Join(empty, "bk")},
			filepath.Join(empty, "bk")},
		{"from an empty folder", []string{"restore", empty, "--data", filepath.Join(empty, "new")},
			filepath.Join(empty, "new")},
		{"over a folder in use", []string{"restore", dir, "--data", dir}, filepath.Join(dir, "backup.json")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fails(t, 1, "relais: ", tt.args...)
			if _, err := os.Stat(tt.made); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s was made: %v", tt.made, err)
			}
		})
	}
}

// A backup and a restore that are killed at any moment are not taken for complete.
func TestKilledBackup(t *testing.T) {
	c := makeCountry(t, 60)
	whole := filepath.Join(t.TempDir(), "whole")
	run(t, "backup", "--data", c.dir, whole)
	for i := range 12 {
		dest := filepath.Join(t.TempDir(), "dest")
		if i%2 == 0 {
			must(t, os.Mkdir(dest, 0o755))
		}
		args, verify := []string{"backup", "--data", c.dir, dest}, []string{"check", "--backup", dest}
		if i%4 > 1 {
			args, verify = []string{"restore", whole, "--data", dest}, []string{"check", "--data", dest}
		}
		cmd := prepared(t, args...)
		must(t, cmd.Start())
		time.AfterFunc(rand.N(200*time.Millisecond), func() { cmd.Process.Kill() })
		ended := cmd.Wait() == nil
		_, errs, code := relais(t, verify...)
		files, err := filepath.Glob(filepath.Join(dest, "[^.]*")) // a temporary file alone is an empty folder
		must(t, err)
		_, snap := os.Stat(filepath.Join(dest, "snapshots", "FR.snap"))
		switch complete := code == 0 && len(files) > 0; {
		case ended && !complete:
			t.Errorf("%q ended: got a copy that is not complete: %s", args, errs)
		case complete && snap != nil:
			t.Errorf("%q was killed: got %q taken for complete, want FR.snap in it", args, files)
		}
	}
}
