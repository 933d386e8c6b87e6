package admin

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/admin/backup"
	"relais/auth/access"
	"relais/internal/folder"
)

// names lists a folder.
func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// Old copies are removed by their order, whatever the clock says, and nothing else is.
func TestBackupKeep(t *testing.T) {
	ctx, shelf := context.Background(), filepath.Join(t.TempDir(), "shelf")
	dir, _ := backedUp(t)
	other, _ := backedUp(t)
	copyOf := func(dir folder.Dir, at string, keep int) *KeptBackup {
		t.Helper()
		now, err := time.Parse(time.DateOnly, at)
		must(t, err)
		r, err := BackupKeep(ctx, dir, shelf, keep, true, now, quiet)
		must(t, err)
		if c, err := CheckBackup(ctx, r.Backup); err != nil || !c.OK {
			t.Fatalf("%s: %+v, %v, want a whole copy", r.Backup, c, err)
		}
		return r
	}
	copyOf(other, "2020-01-01", 1)
	plain := filepath.Join(shelf, "mine")
	must(t, errors.Join(Backup(ctx, dir, plain, true, quiet), os.Mkdir(filepath.Join(shelf, "photos"), 0o700)))
	untouched := []string{"2020-01-01T00-00-00Z", "mine", "photos"}
	for _, tt := range []struct {
		name, at string
		keep     int
		want     []string // in addition to the untouched
	}{
		{"the first", "2026-11-01", 3, []string{"2026-11-01"}},
		{"the second", "2026-11-02", 3, []string{"2026-11-01", "2026-11-02"}},
		{"the third", "2026-11-03", 3, []string{"2026-11-01", "2026-11-02", "2026-11-03"}},
		{"the fourth", "2026-11-04", 3, []string{"2026-11-02", "2026-11-03", "2026-11-04"}},
		{"a clock of 1970", "1970-01-01", 3, []string{"1970-01-01", "2026-11-03", "2026-11-04"}},
		{"a clock of 2099", "2099-01-01", 3, []string{"1970-01-01", "2026-11-04", "2099-01-01"}},
		{"the right clock again", "2026-11-05", 3, []string{"1970-01-01", "2026-11-05", "2099-01-01"}},
		{"the next", "2026-11-06", 3, []string{"2026-11-05", "2026-11-06", "2099-01-01"}},
		{"fewer", "2026-11-07", 1, []string{"2026-11-07"}},
		{"the same second", "2026-11-07", 2, []string{"2026-11-07", "2026-11-07-2"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := copyOf(dir, tt.at, tt.keep)
			want := slices.Clone(untouched)
			for _, day := range tt.want {
				name, again := strings.CutSuffix(day, "-2")
				name += "T00-00-00Z"
				if again {
					name += "-2"
				}
				want = append(want, name)
			}
			slices.Sort(want)
			if got := names(t, shelf); !slices.Equal(got, want) || r.Kept != len(tt.want) {
				t.Errorf("the folder has %v, %d kept; want %v", got, r.Kept, want)
			}
		})
	}
}

// Copies that are not whole count for nothing: neither as a copy that is kept, nor as one to remove.
func TestBackupKeepIncomplete(t *testing.T) {
	ctx, shelf := context.Background(), t.TempDir()
	dir, _ := backedUp(t)
	made := func(day int) string {
		t.Helper()
		r, err := BackupKeep(ctx, dir, shelf, 2, true, time.Date(2026, 11, day, 0, 0, 0, 0, time.UTC), quiet)
		must(t, err)
		return filepath.Base(r.Backup)
	}
	first, second := made(1), made(2)
	must(t, os.Remove(filepath.Join(shelf, second, "snapshots", "FR.snap")))
	for _, name := range []string{".2026-10-01T00-00-00Z.tmp-123", ".2026-10-02T00-00-00Z.tmp-removed"} { // of killed processes
		must(t, os.Mkdir(filepath.Join(shelf, name), 0o700))
		must(t, os.WriteFile(filepath.Join(shelf, name, backup.Name), []byte(`{"format":1,"complete":false,"files":[]}`), 0o600))
	}
	third := made(3)
	if got, want := names(t, shelf), []string{first, second, third}; !slices.Equal(got, want) {
		t.Errorf("the folder has %v, want %v: the first is one of two whole copies", got, want)
	}
	fourth := made(4)
	if got, want := names(t, shelf), []string{second, third, fourth}; !slices.Equal(got, want) {
		t.Errorf("the folder has %v, want %v: the damaged one is left to its owner", got, want)
	}
}

func TestBackupKeepRefuses(t *testing.T) {
	dir, copied := backedUp(t)
	for _, tt := range []struct{ name, shelf, says string }{
		{"a copy", copied, "is a copy itself"},
		{"inside", filepath.Join(string(dir), "copies"), "name one outside"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := BackupKeep(context.Background(), dir, tt.shelf, 3, true, time.Now(), quiet)
			if err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error = %v, want %q", err, tt.says)
			}
		})
	}
}

// An archive is restored to the same folder, whether a server has the stores or not. One that is cut or
// changed is refused, and leaves nothing.
func TestBackupTar(t *testing.T) {
	ctx := context.Background()
	for _, served := range []bool{false, true} {
		dir, _ := backedUp(t)
		if served {
			serve(t, dir)
		}
		var archive bytes.Buffer
		must(t, BackupTar(ctx, dir, &archive, true, quiet))
		restored := folder.Dir(filepath.Join(t.TempDir(), "restored"))
		must(t, RestoreTar(ctx, bytes.NewReader(archive.Bytes()), restored))
		var list []*access.Client
		if err := Call(ctx, restored, ListClients{}, &list, quiet); err != nil || len(list) != 1 || list[0].Name != "app" {
			t.Errorf("served %v: clients %v, %v, want app", served, list, err)
		}
		if text, err := os.ReadFile(restored.Snapshot("FR")); err != nil || string(text) != "a snapshot" {
			t.Errorf("served %v: the snapshot is %q, %v", served, text, err)
		}
		if err := RestoreTar(ctx, bytes.NewReader(archive.Bytes()), restored); err == nil ||
			!strings.Contains(err.Error(), "is not empty") {
			t.Errorf("over a folder that is not empty: %v, want an error", err)
		}
		changed := bytes.Replace(archive.Bytes(), []byte("a snapshot"), []byte("b snapshot"), 1)
		evil := bytes.ReplaceAll(archive.Bytes(), []byte("stores.json\x00"), []byte("../res.json\x00"))
		for name, text := range map[string][]byte{"nothing": nil, "half": archive.Bytes()[:archive.Len()/2],
			"without its list": archive.Bytes()[:archive.Len()-3000], "changed": changed, "compressed": []byte("\x1f\x8b\x08"),
			"outside": evil} {
			if name != "nothing" && bytes.Equal(text, archive.Bytes()) {
				t.Fatalf("%s: the archive is as it was", name)
			}
			at := folder.Dir(filepath.Join(t.TempDir(), "new"))
			if err := RestoreTar(ctx, bytes.NewReader(text), at); err == nil {
				t.Errorf("served %v, %s: no error", served, name)
			}
			if left := names(t, filepath.Dir(string(at))); len(left) > 0 {
				t.Errorf("served %v, %s: left over: %v", served, name, left)
			}
		}
	}
}
