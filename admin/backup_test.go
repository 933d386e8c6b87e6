package admin

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"relais/admin/backup"
	"relais/admin/inventory"
	"relais/auth/access"
	"relais/community"
	"relais/geo"
	"relais/internal/folder"
	"relais/market"
)

// backedUp makes a folder with a client and a snapshot, and a copy of it.
func backedUp(t *testing.T) (dir folder.Dir, copied string) {
	t.Helper()
	dir, copied = folder.Dir(t.TempDir()), filepath.Join(t.TempDir(), "backup")
	snap := dir.Snapshot("FR")
	err := errors.Join(Call(context.Background(), dir, spec("app"), new(access.Issued), quiet),
		os.Mkdir(filepath.Dir(snap), 0o755), os.WriteFile(snap, []byte("a snapshot"), 0o644),
		Backup(context.Background(), dir, copied, true, quiet))
	must(t, err)
	return dir, copied
}

func removing(names ...string) func(dir string) error {
	return func(dir string) (err error) {
		for _, name := range names {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, name)))
		}
		return err
	}
}

var backups = []struct {
	name   string
	change func(dir string) error
	says   string // "" for a copy that is restored
}{
	{"whole", func(string) error { return nil }, ""},
	{"a file is missing", removing("snapshots/FR.snap"), "snapshots/FR.snap is missing"},
	{"a store is missing", removing("users.db"), "users.db is missing"},
	{"no list", removing(backup.Name), "has no backup.json"},
	{"an empty list", func(dir string) error { return os.Truncate(filepath.Join(dir, backup.Name), 0) }, "damaged"},
	{"not finished", func(dir string) error {
		return os.WriteFile(filepath.Join(dir, backup.Name), []byte(`{"format":1,"complete":false,"files":[]}`),
			0o600)
	}, "not finished"},
}

// A copy that lacks something, or may lack something, is not restored.
func TestRestoreOfPart(t *testing.T) {
	for _, tt := range backups {
		t.Run(tt.name, func(t *testing.T) {
			_, copied := backedUp(t)
			must(t, tt.change(copied))
			restored := folder.Dir(filepath.Join(t.TempDir(), "restored"))
			err := Restore(context.Background(), copied, restored)
			if tt.says != "" {
				if _, there := os.Stat(string(restored)); err == nil || !strings.Contains(err.Error(), tt.says) ||
					there == nil {
					t.Errorf("got %v, %v, want an error, %q in it and a value", err, there, tt.says)
				}
				return
			}
			must(t, err)
			if text, err := os.ReadFile(restored.Snapshot("FR")); string(text) != "a snapshot" {
				t.Errorf("got %q, %v, want text = a snapshot", text, err)
			}
			if _, err := os.Stat(filepath.Join(string(restored), backup.Name)); err == nil {
				t.Error("the folder has a list of a backup")
			}
			var list []*access.Client
			if err := Call(context.Background(), restored, ListClients{}, &list, quiet); err != nil || len(list) != 1 {
				t.Errorf("got %d clients, %v, want 1", len(list), err)
			}
		})
	}
}

// A folder that a restore was begun in and not finished is neither served nor copied nor
// restored to.
func TestUnfinishedFolder(t *testing.T) {
	dir, copied := backedUp(t)
	there := folder.Dir(t.TempDir())
	unfinished := errors.New("killed")
	if err := backup.Fill(string(there), func(to string) error {
		if err := copyFile(filepath.Join(copied, ClientsFile), filepath.Join(to, ClientsFile)); err != nil {
			return err
		}
		_, open := Open(there, "test", quiet)
		into, again := Backup(context.Background(), dir, string(there), true, quiet), Restore(context.Background(), copied,
			there)
		from := Backup(context.Background(), there, filepath.Join(t.TempDir(), "copy"), true, quiet)
		for _, tt := range []struct {
			what string
			err  error
		}{
			{"open", open},
			{"backup into it", into},
			{"backup of it", from},
			{"restore into it", again},
		} {
			t.Run(tt.what, func(t *testing.T) {
				if !errors.Is(tt.err, backup.ErrUnfinished) {
					t.Errorf("%s: %v, want backup.ErrUnfinished", tt.what, tt.err)
				}
			})
		}
		return unfinished
	}); !errors.Is(err, unfinished) {
		t.Error(err)
	}
	if err := Restore(context.Background(), copied, there); err != nil {
		t.Errorf("after it was emptied: %v", err)
	}
}

// After a restore the same number of commits is of other content, and the version that
// clients see is another. It is the same after a restart.
func TestVersionsAfterRestore(t *testing.T) {
	ctx, dir := context.Background(), folder.Dir(t.TempDir())
	copied, restored := filepath.Join(t.TempDir(), "backup"), folder.Dir(filepath.Join(t.TempDir(), "restored"))
	change := func(dir folder.Dir, reason string) (version string) {
		t.Helper()
		s, err := Open(dir, "test", quiet)
		must(t, err)
		n := community.NewReport{Market: market.FR, Operator: "orange", At: geo.Point{Lat: 48.8585, Lng: 2.2946},
			Reason: reason, User: "one"}
		if reason != "" {
			_, _, err = s.Community.AddReport(n)
		}
		version = s.Community.Outages().Version() + " " + s.Photos.Version()
		must(t, errors.Join(err, s.Close()))
		return version
	}
	change(dir, "first")
	must(t, errors.Join(Backup(ctx, dir, copied, true, quiet), Restore(ctx, copied, restored)))
	histories := map[string]bool{}
	for _, d := range []folder.Dir{dir, restored} {
		noted, err := inventory.Read(d)
		must(t, err)
		histories[noted.History] = true
	}
	if len(histories) != 2 || histories[""] {
		t.Errorf("got histories %v, want two with names", histories)
	}
	before := change(dir, "second")
	if again := change(dir, ""); again != before {
		t.Errorf("%s, and %s after a restart", before, again)
	}
	after := change(restored, "third")
	for i, version := range strings.Fields(after) {
		if version == strings.Fields(before)[i] {
			t.Errorf("%s with one content and %s with another", before, after)
		}
	}
}
