package admin

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"relais/auth/access"
	"relais/auth/account"
	"relais/internal/filetest"
	"relais/internal/folder"
	"relais/internal/tier"
)

// A character that changed on the disk takes one client away, is named by the check, and
// nothing else: all of it was served as if it were true.
func TestChangedCharacter(t *testing.T) {
	dir := folder.Dir(t.TempDir())
	one := spec("one")
	one.Limits = access.Limits{Minute: 77, Day: 123456}
	damaged, sound := create(t, dir, one), create(t, dir, spec("two"))
	var compacted []Compacted
	if err := Call(context.Background(), dir, CompactStores{}, &compacted,
		quiet); err != nil { // each record is there once
		t.Fatal(err)
	}
	path := (&Folder{Dir: dir}).path(ClientsFile)
	data := filetest.Read(t, path)
	if n := bytes.Count(data, []byte("123456")); n != 1 {
		t.Fatalf("the limit stands %d times in the file, want 1", n)
	}
	filetest.Write(t, path, bytes.Replace(data, []byte("123456"), []byte("923456"), 1))
	if list := problems(t, dir); len(list) != 1 || !strings.HasPrefix(list[0], ClientsFile) ||
		!strings.Contains(list[0], damaged.ID) {
		t.Errorf("check: got %q, want %s of %s alone", list, damaged.ID, ClientsFile)
	}
	s, _ := serve(t, dir)
	if _, err := s.Clients.Find(damaged.ID); !errors.Is(err, access.ErrNoClient) {
		t.Errorf("the client is served as it was changed: %v, want access.ErrNoClient", err)
	}
	if c, err := s.Clients.Find(sound.ID); err != nil || c.Name != "two" {
		t.Errorf("the other client: %+v, %v, want no error and Name = two", c, err)
	}
	if locked := s.Clients.Locked(); len(locked) != 1 {
		t.Errorf("it is not told: %v, want len(locked) = 1", locked)
	}
	if list := problems(t, dir); len(list) != 1 || !strings.HasPrefix(list[0], ClientsFile) {
		t.Errorf("check of the server: got %q, want one of %s", list, ClientsFile)
	}
	create(t, dir, spec("three")) // others can still be made
}

// A character that changed on the disk takes one account away, and /readyz and the check say
// so. The others go on, and it can be deleted.
func TestLostAccount(t *testing.T) {
	tier.Slow(t)
	dir, ctx := folder.Dir(t.TempDir()), context.Background()
	var alice, bob account.Account
	for _, tt := range []struct {
		name string
		a    *account.Account
	}{
		{"alicealice", &alice},
		{"bob", &bob},
	} {
		t.Run(tt.name, func(t *testing.T) {
			must(t, Call(ctx, dir, CreateUser{tt.name, "correct horse battery"}, tt.a, quiet))
		})
	}
	must(t, Call(ctx, dir, CompactStores{}, new([]Compacted), quiet))
	path := (&Folder{Dir: dir}).path(UsersFile)
	data := filetest.Read(t, path)
	if n := bytes.Count(data, []byte("alicealice")); n != 1 {
		t.Fatalf("the name stands %d times in the file, want 1", n)
	}
	filetest.Write(t, path, bytes.Replace(data, []byte("alicealice"), []byte("malicalice"), 1))
	s, log := open(t, dir)
	if w := s.Warnings(); len(w) != 1 || !strings.HasPrefix(w[0], "users.db: 1 record ") || s.Failed(UsersFile) != nil {
		t.Errorf("got warnings %q, failed %v, want one record of users.db, and it opened", w, s.Failed(UsersFile))
	}
	if !strings.Contains(log.String(), alice.ID) {
		t.Errorf("the log does not name the account: %s", log)
	}
	if _, err := s.Accounts.Login(ctx, "bob", "correct horse battery", netip.MustParseAddr("192.0.2.1")); err != nil {
		t.Errorf("another: %v", err)
	}
	wrong := func() (list []string) {
		files, _, err := s.check(true)
		must(t, err)
		return problemsOf(files)
	}
	if list := wrong(); len(list) != 1 || !strings.HasPrefix(list[0], UsersFile) ||
		!strings.Contains(list[0], alice.ID) {
		t.Errorf("check: got %q, want %s of %s alone", list, alice.ID, UsersFile)
	}
	must(t, errorOf(NewCommands(s).Do(ctx, DeleteUser{User: alice.ID})))
	if list := wrong(); len(list) != 0 || len(s.Warnings()) != 0 {
		t.Errorf("after it was deleted: %q, %q, want none and none", list, s.Warnings())
	}
}

// A store that the disk does not give back is told of once and in /readyz, and comes back
// without a restart.
func TestStoreComesBack(t *testing.T) {
	tier.Slow(t)
	dir := folder.Dir(t.TempDir())
	create(t, dir, spec("one"))
	s, _ := open(t, dir)
	whole := filetest.Read(t, s.path(CommunityFile))
	must(t, os.Truncate(s.path(CommunityFile), 0))
	if _, _, err := s.Community.Bugs(true, 1, 0); err == nil {
		t.Fatal("bugs are read from nothing")
	}
	var log bytes.Buffer
	watch := s.watch(slog.New(slog.NewTextHandler(&log, nil)))
	for range 3 {
		watch()
	}
	if n := strings.Count(log.String(), "file=community.db"); n != 1 {
		t.Errorf("%d lines, want 1: %s", n, &log)
	}
	if w := s.Warnings(); len(w) != 1 || !strings.HasPrefix(w[0], "community.db: ") {
		t.Errorf("got warnings %q, want one of community.db", w)
	}
	if list := s.Clients.List(); len(list) != 1 {
		t.Errorf("%d clients, want 1", len(list))
	}
	f, err := os.OpenFile(s.path(CommunityFile), os.O_WRONLY, 0)
	must(t, err)
	must(t, errorOf(f.WriteAt(whole, 0)))
	f.Close()
	for end := time.Now().Add(time.Minute); len(s.problems()) > 0 && time.Now().Before(end); {
		time.Sleep(50 * time.Millisecond) // it is tried once a second
	}
	watch()
	if _, _, err := s.Community.Bugs(true, 1, 0); err != nil || !strings.Contains(log.String(), "recovered") ||
		len(s.Warnings()) != 0 {
		t.Errorf("got %v, %q, %s, log %v, want no error, none and recovered in log", err, s.Warnings(), &log,
			log.String())
	}
}
