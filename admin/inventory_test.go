package admin

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"relais/admin/inventory"
	"relais/auth/access"
	"relais/internal/filetest"
	"relais/internal/folder"
)

// A used folder has a client that signs, a person, a photo and a snapshot, and is closed.
type used struct {
	t   *testing.T
	dir folder.Dir
}

func newUsed(t *testing.T) used {
	t.Helper()
	u := used{t, folder.Dir(t.TempDir())}
	snap := u.dir.Snapshot("FR")
	must(t, errors.Join(os.Mkdir(filepath.Dir(snap), 0o755),
		os.WriteFile(snap, []byte("a snapshot"), 0o644)))
	u.open(func(s *Stores) {
		ctx := context.Background()
		if _, err := NewCommands(s).Do(ctx,
			CreateClient{access.Client{Name: "app", Mode: access.Mobile, Scopes: access.ReadScopes}}); err != nil {
			t.Fatal(err)
		}
		must(t, errorOf(NewCommands(s).Do(ctx, CreateUser{"alice", "correct horse battery"})))
		addPhoto(t, s, "image")
	})
	return u
}

func (u used) path(name string) string { return filepath.Join(string(u.dir), name) }

// open opens the folder, as a server does, and returns what it logged.
func (u used) open(while func(s *Stores)) (logs string) {
	u.t.Helper()
	var b bytes.Buffer
	s, err := Open(u.dir, "test", slog.New(slog.NewTextHandler(&b, nil)))
	must(u.t, err)
	while(s)
	must(u.t, s.Close())
	return b.String()
}

// wrong are the paths that a check finds something wrong with.
func (u used) wrong() (paths []string) {
	u.t.Helper()
	for _, problem := range problems(u.t, u.dir) {
		path, _, _ := strings.Cut(problem, ": ")
		paths = append(paths, path)
	}
	return paths
}

func (u used) remove(names ...string) {
	u.t.Helper()
	for _, name := range names {
		must(u.t, os.Remove(u.path(name)))
	}
}

func (u used) isMissing(name string) bool {
	_, err := os.Stat(u.path(name))
	return errors.Is(err, os.ErrNotExist)
}

// A store that is missing is not made again, at however many starts, until that is
// accepted.
func TestMissingStore(t *testing.T) {
	for _, file := range []string{ClientsFile, PhotosFile, CommunityFile, UsersFile, ArchivesFile} {
		u := newUsed(t)
		if got := u.wrong(); len(got) != 0 {
			t.Fatalf("wrong before: %q, want none", got)
		}
		u.remove(file)
		for range 2 {
			if got := u.wrong(); !slices.Contains(got, file) {
				t.Errorf("without %s: got wrong %q, want it among them", file, got)
			}
			logs := u.open(func(s *Stores) {
				if s.Failed(file) == nil {
					t.Errorf("%s is in use", file)
				}
			})
			if !strings.Contains(logs, "level=ERROR") || !strings.Contains(logs, file) || !u.isMissing(file) {
				t.Errorf("without %s: got made again %v, log %s, want it missing, and an error in the log", file,
					!u.isMissing(file), logs)
			}
		}
		var a Accepted
		if err := Call(context.Background(), u.dir, Accept{}, &a, quiet); err != nil ||
			!slices.Equal(a.Files, []string{file}) {
			t.Errorf("accepted: %q, %v, want %q and no error", a.Files, err, []string{file})
		}
		u.open(func(s *Stores) {
			if err := s.Failed(file); err != nil || u.isMissing(file) {
				t.Errorf("after it was accepted: got %v, missing %v, want neither", err, u.isMissing(file))
			}
		})
	}
}

// Without the file of clients no key is called wrong.
func TestMissingClients(t *testing.T) {
	u := newUsed(t)
	u.remove(ClientsFile)
	u.open(func(s *Stores) {
		g := &access.Gate{Clients: s.Clients, Failures: access.NewFailures()}
		_, err := g.Check(&access.Request{Method: "GET", Path: "/x",
			Authorization: []string{"Bearer rk_0123456789ab_secret"}, Scope: access.AntennasRead})
		if !errors.Is(err, access.ErrUnavailable) {
			t.Error(err)
		}
	})
}

// A store in the state of an earlier day is seen, until that is accepted.
func TestOlderStore(t *testing.T) {
	u := newUsed(t)
	early := filetest.Read(t, u.path(UsersFile))
	u.open(func(s *Stores) {
		must(t, errorOf(NewCommands(s).Do(context.Background(), CreateUser{"bob", "correct horse battery"})))
	})
	filetest.Write(t, u.path(UsersFile), early)
	for range 2 {
		if got := u.wrong(); !slices.Equal(got, []string{UsersFile}) {
			t.Errorf("wrong are %q, want %q", got, []string{UsersFile})
		}
		u.open(func(s *Stores) {
			if err := s.Failed(UsersFile); err == nil || !strings.Contains(err.Error(), "older") {
				t.Errorf("got %v, want an error with older", err)
			}
		})
	}
	must(t, Call(context.Background(), u.dir, Accept{}, new(Accepted), quiet))
	if got := u.wrong(); len(got) != 0 {
		t.Errorf("after it was accepted: %q, want none", got)
	}
	u.open(func(s *Stores) {
		if list := s.Accounts.List(); len(list) != 1 {
			t.Errorf("%d accounts, want 1", len(list))
		}
	})
}

// What is missing next to the stores is named.
func TestOtherFiles(t *testing.T) {
	u := newUsed(t)
	u.remove(sealFile, "snapshots/FR.snap")
	if got := u.wrong(); !slices.Contains(got, sealFile) || !slices.Contains(got, "snapshots/FR.snap") {
		t.Errorf("got wrong %q, want %s and snapshots/FR.snap among them", got, sealFile)
	}
}

// A folder without stores.json gets one.
func TestFirstInventory(t *testing.T) {
	u := used{t, folder.Dir(t.TempDir())}
	u.open(func(*Stores) {})
	u.remove(inventory.Name)
	if got := u.wrong(); len(got) != 0 {
		t.Errorf("wrong are %q, want none", got)
	}
	logs := u.open(func(s *Stores) {
		for _, d := range databases {
			must(t, s.Failed(d.file))
		}
	})
	noted, err := inventory.Read(u.dir)
	if err != nil || len(noted.Stores) != ordinary() || strings.Contains(logs, "ERROR") {
		t.Errorf("%+v, %v: %s, want no error, no ERROR in it and len(noted.Stores) = %v", noted, err, logs,
			ordinary())
	}
}

// Stores that are missing together with stores.json are noticed by what else is there.
func TestLostInventory(t *testing.T) {
	for _, tt := range []struct {
		remove []string
		lost   string
	}{
		{[]string{ClientsFile}, ClientsFile},
		{[]string{UsersFile}, UsersFile},
		{[]string{ArchivesFile}, ArchivesFile},
		{[]string{PhotosFile, CommunityFile, UsersFile, ArchivesFile, "measures.db"}, PhotosFile},
		// secret.key
		{[]string{ClientsFile, PhotosFile, CommunityFile, UsersFile, ArchivesFile, "measures.db"}, ClientsFile},
	} {
		u := newUsed(t)
		u.remove(append(tt.remove, inventory.Name)...)
		if got := u.wrong(); !slices.Contains(got, tt.lost) {
			t.Errorf("without %q: got wrong %q, want %s among them", tt.remove, got, tt.lost)
		}
		u.open(func(s *Stores) {
			if s.Failed(tt.lost) == nil || !u.isMissing(tt.lost) {
				t.Errorf("without %q: %s was made again", tt.remove, tt.lost)
			}
		})
	}
}

// Without a readable stores.json nobody misses the stores that most folders never have.
func TestLostInventoryOfOrdinaryFolder(t *testing.T) {
	for _, tt := range []struct {
		name string
		lose func(u used)
		want []string
	}{
		{"removed", func(u used) { u.remove(inventory.Name) }, nil},
		{"unreadable", func(u used) { must(u.t, os.WriteFile(u.path(inventory.Name), []byte("{"), 0o600)) },
			[]string{inventory.Name}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			u := newUsed(t)
			tt.lose(u)
			if got := u.wrong(); !slices.Equal(got, tt.want) {
				t.Errorf("wrong are %q, want %q", got, tt.want)
			}
		})
	}
}

// The file of a month is not made again by the next photo.
func TestMissingMonth(t *testing.T) {
	u := newUsed(t)
	month := month(t, u.dir)
	u.remove(month)
	if got := u.wrong(); !slices.Contains(got, month) {
		t.Errorf("got wrong %q, want %s among them", got, month)
	}
	logs := u.open(func(s *Stores) {
		if w := s.Warnings(); len(w) != 1 || !strings.Contains(w[0], month) {
			t.Errorf("got warnings %q, want one of %s", w, month)
		}
		if _, err := s.Photos.Add(context.Background(), newPhoto("another")); err == nil {
			t.Error("a photo was added")
		}
	})
	if !u.isMissing(month) || !strings.Contains(logs, month) {
		t.Errorf("got made again %v, log %s, want %s missing, and in the log", !u.isMissing(month), logs, month)
	}
}

// What is removed under a server is seen by a check that asks it.
func TestRemovedWhileServed(t *testing.T) {
	u := newUsed(t)
	serve(t, u.dir)
	u.remove(UsersFile)
	if got := u.wrong(); !slices.Equal(got, []string{UsersFile}) {
		t.Errorf("wrong are %q, want %q", got, []string{UsersFile})
	}
}

// A restored folder is as its backup was, also where that is older.
func TestRestoreNotes(t *testing.T) {
	u, ctx := newUsed(t), context.Background()
	copied, restored := filepath.Join(t.TempDir(), "copy"), used{t, folder.Dir(filepath.Join(t.TempDir(), "restored"))}
	must(t, errors.Join(Backup(ctx, u.dir, copied, true, quiet), Restore(ctx, copied, restored.dir)))
	if got := restored.wrong(); !slices.Equal(got, u.wrong()) {
		t.Errorf("wrong are %q, want %q", got, u.wrong())
	}
	restored.open(func(s *Stores) {
		if w := s.Warnings(); len(w) != 0 {
			t.Errorf("warnings: %q, want none", w)
		}
	})
	restored.remove(CommunityFile)
	if got := restored.wrong(); !slices.Contains(got, CommunityFile) {
		t.Errorf("got wrong %q, want %s among them", got, CommunityFile)
	}
}
