package admin

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"relais/auth/access"
	"relais/internal/filetest"
	"relais/internal/folder"
	"relais/internal/store"
	"relais/market"
)

// A store that is damaged takes what needs it away, and nothing else.
func TestFailedStore(t *testing.T) {
	ctx := context.Background()
	uses := map[string]func(s *Stores) error{
		ClientsFile:   func(s *Stores) error { _, err := NewCommands(s).Do(ctx, ListClients{}); return err },
		PhotosFile:    func(s *Stores) error { _, err := NewCommands(s).Do(ctx, ListPhotos{}); return err },
		CommunityFile: func(s *Stores) error { _, err := NewCommands(s).Do(ctx, ListBugs{}); return err },
		UsersFile:     func(s *Stores) error { _, err := NewCommands(s).Do(ctx, ListUsers{}); return err },
		ArchivesFile:  func(s *Stores) error { _, err := NewCommands(s).Do(ctx, ListArchives{}); return err },
	}
	damages := map[string]func(path string) error{
		"empty": func(path string) error { return os.Truncate(path, 0) },
		"cut":   func(path string) error { return os.Truncate(path, 5000) },
		"junk":  func(path string) error { return os.WriteFile(path, bytes.Repeat([]byte("junk"), 8192), 0o600) },
	}
	for file := range uses {
		for how, damage := range damages {
			t.Run(file+" "+how, func(t *testing.T) {
				dir := folder.Dir(t.TempDir())
				must(t, errors.Join(Call(ctx, dir, spec("app"), new(access.Issued), quiet),
					damage(filepath.Join(string(dir), file))))
				before := filetest.Read(t, filepath.Join(string(dir), file))
				var logs bytes.Buffer
				s, err := Open(dir, "test", slog.New(slog.NewTextHandler(&logs, nil)))
				must(t, err)
				for other, use := range uses {
					if err := use(s); (err != nil) != (other == file) ||
						err != nil && !strings.Contains(err.Error(), file) {
						t.Errorf("what needs %s: got %v, want an error that names %s for it alone", other, err, file)
					}
				}
				if text := logs.String(); strings.Count(text, "level=ERROR") != 1 || !strings.Contains(text, file) {
					t.Errorf("got log %s, want one error, of %s", text, file)
				}
				if w := s.Warnings(); len(w) != 1 || !strings.Contains(w[0], file) {
					t.Errorf("got warnings %q, want one of %s", w, file)
				}
				if err := s.compactDeleted(); err != nil {
					t.Errorf("compact: %v", err)
				}
				files, _, err := s.check(true)
				for _, f := range files {
					if (f.Problem != "") != (f.Path == file) {
						t.Errorf("check: got %+v, want a problem of %s alone", f, file)
					}
				}
				if err != nil || len(files) < len(uses) {
					t.Errorf("check: %d files, %v, want at least %d and no error", len(files), err, len(uses))
				}
				must(t, errors.Join(s.note(), s.Close()))
				if err := Backup(ctx, dir, filepath.Join(t.TempDir(), "copy"), true, quiet); err == nil ||
					!strings.Contains(err.Error(), file) {
					t.Errorf("backup: %v, want an error with %q", err, file)
				}
				if after, err := os.ReadFile(filepath.Join(string(dir), file)); err != nil ||
					!bytes.Equal(before, after) {
					t.Errorf("the file was changed: got %d bytes, %v, want the %d before", len(after), err,
						len(before))
				}
			})
		}
	}
}

// A comparison says that archives.db cannot be read, and not that it has no edition.
func TestFailedArchives(t *testing.T) {
	dir, ctx := folder.Dir(t.TempDir()), context.Background()
	must(t, errors.Join(Call(ctx, dir, spec("app"), new(access.Issued), quiet),
		os.Truncate(filepath.Join(string(dir), ArchivesFile), 5000)))
	s, err := Open(dir, "test", quiet)
	must(t, err)
	for _, c := range []Command{DiffEditions{market.FR, "2026-01-08", "2026-01-15"}, NoteEditions{}} {
		if _, err := NewCommands(s).Do(ctx, c); !errors.Is(err, store.ErrDamaged) {
			t.Errorf("%T: %v, want store.ErrDamaged", c, err)
		}
	}
	must(t, s.Close())
}

// While the clients cannot be read nobody is told that a key is wrong.
func TestFailedClients(t *testing.T) {
	dir, ctx := folder.Dir(t.TempDir()), context.Background()
	var made access.Issued
	must(t, errors.Join(Call(ctx, dir, spec("app"), &made, quiet),
		os.Truncate(filepath.Join(string(dir), ClientsFile), 5000)))
	s, err := Open(dir, "test", quiet)
	must(t, err)
	g := &access.Gate{Clients: s.Clients, Failures: access.NewFailures()}
	for range access.MaxFailures + 1 {
		if _, err := g.Check(&access.Request{Method: "GET", Path: "/x", APIKey: []string{made.APIKey},
			Scope: access.AntennasRead}); !errors.Is(err, access.ErrUnavailable) {
			t.Fatalf("a key: %v, want access.ErrUnavailable", err)
		}
	}
	if _, err := g.Check(&access.Request{Method: "GET", Path: "/x", Scope: access.AntennasRead}); !errors.Is(err,
		access.ErrKeyRequired) {
		t.Errorf("no key: %v, want access.ErrKeyRequired", err)
	}
	if _, err := NewCommands(s).Do(ctx, spec("another")); err == nil || !strings.Contains(err.Error(), ClientsFile) {
		t.Errorf("a client was made: %v, want an error with %q", err, ClientsFile)
	}
	must(t, s.Close())
}

// What a server that was killed left of its socket is swept by the next one.
func TestSocketFoldersAreSwept(t *testing.T) {
	dir := folder.Dir(t.TempDir())
	left, mine := filepath.Join(string(dir), ".s123456789"), filepath.Join(string(dir), ".ssh")
	must(t, errors.Join(os.Mkdir(left, 0o700), os.WriteFile(filepath.Join(left, "s"), nil, 0o600),
		os.Mkdir(mine, 0o700)))
	s, err := Open(dir, "test", quiet)
	must(t, err)
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is still there: %v, want os.ErrNotExist", err)
	}
	if _, err := os.Stat(mine); err != nil {
		t.Errorf("another folder: %v", err)
	}
	must(t, s.Close())
}
