package admin

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"relais/admin/inventory"
	"relais/internal/filetest"
	"relais/internal/folder"
	"relais/market"
)

// What a check finds in a folder: leftovers and torn counts are worth a note, the rest is a
// problem of its file.
func TestCheckFolder(t *testing.T) {
	const count = "*5\r\n$3\r\nset\r\n$5\r\nday:x\r\n$7\r\n20000:5\r\n$2\r\nae\r\n$10\r\n4000000000\r\n"
	other := strings.ReplaceAll(count, "day:x", "day:y")
	for _, tt := range []struct {
		name, file, text string
		mode             os.FileMode
		note, problem    string
	}{
		{"nothing", "", "", 0, "", ""},
		{"somebody's file", "notes.txt", "mine", 0o600, "notes.txt: ", ""},
		{"a leftover", ".clients.db.tmp-1", "x", 0o600, "temporary", ""},
		{"a running import's", "coverage/.unpacked-1/a.gpkg", "x", 0o600, "coverage/.unpacked-1: temporary files", ""},
		{"damaged before", "quota.db.damaged", "y", 0o600, "put aside", ""},
		{"torn counts", quotaFile, count + "*5\r\n$3\r\nset\r\n$5\r\nday" + strings.Repeat("\x00", 500), 0o600, "520 bytes",
			""},
		{"counts damaged in the middle", quotaFile, count + "junk" + other, 0o600, "", "4 bytes"},
		{"a file for a folder", "photos", "x", 0o600, "", "not a folder"},
		{"a short key", sealFile, "31 bytes, which are one too few", 0o600, "", "32 bytes"},
		{"a key that others may read", sealFile, "32 bytes, as many as a key needs", 0o644, "", "chmod 600"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := folder.Dir(t.TempDir())
			if tt.file != "" {
				path := filepath.Join(string(dir), tt.file)
				must(t, os.MkdirAll(filepath.Dir(path), 0o700))
				must(t, errors.Join(os.WriteFile(path, []byte(tt.text), tt.mode), os.Chmod(path, tt.mode)))
			}
			r, err := CheckFolder(context.Background(), dir)
			must(t, err)
			if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, tt.note) || (notes == "") != (tt.note == "") {
				t.Errorf("notes: got %q, want %q", notes, tt.note)
			}
			problem := ""
			for _, f := range r.Files {
				if f.Path == tt.file {
					problem = f.Problem
				}
			}
			if !strings.Contains(problem, tt.problem) || r.OK != (tt.problem == "") {
				t.Errorf("problem: got %q, ok %t; want %q", problem, r.OK, tt.problem)
			}
		})
	}
	if _, err := CheckFolder(context.Background(), "none"); err == nil {
		t.Error("a missing folder: got no error")
	}
}

// A lost snapshot is one finding, although stores.json and its sources show it.
func TestCheckNamesALostSnapshotOnce(t *testing.T) {
	dir := folder.Dir(t.TempDir())
	lost := dir.Snapshot(string(market.FR))
	must(t, os.MkdirAll(dir.Sources(string(market.FR)), 0o700))
	filetest.Write(t, filepath.Join(dir.Sources(string(market.FR)), folder.ManifestName), `[]`)
	for _, tt := range []struct{ name, noted, want string }{
		{"noted", "snapshots/FR.snap", "the folder had it"},
		{"not noted", "snapshots/CH.snap", "its sources are there"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			noted := inventory.New()
			noted.Files = []string{tt.noted}
			must(t, noted.Write(dir))
			r, err := CheckFolder(context.Background(), dir)
			must(t, err)
			var said []string
			for _, f := range r.Files {
				if f.Path == r.below(lost) {
					said = append(said, f.Problem)
				}
			}
			if len(said) != 1 || !strings.Contains(said[0], tt.want) {
				t.Errorf("said %q, want once %q", said, tt.want)
			}
		})
	}
}
