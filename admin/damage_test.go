package admin

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"relais/access"
	"relais/folder"
)

// A character that changed on the disk takes one client away, is named by the check, and
// nothing else: all of it was served as if it were true.
func TestChangedCharacter(t *testing.T) {
	dir := folder.Dir(t.TempDir())
	one := spec("one")
	one.Limits = access.Limits{Minute: 77, Day: 123456}
	damaged, sound := create(t, dir, one), create(t, dir, spec("two"))
	var compacted []Compacted
	if err := Call(context.Background(), dir, CompactStores{}, &compacted, quiet); err != nil { // each record is there once
		t.Fatal(err)
	}
	path := (&Stores{Dir: dir}).path(clientsFile)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(data, []byte("123456")); n != 1 {
		t.Fatalf("the limit stands %d times in the file", n)
	}
	if err := os.WriteFile(path, bytes.Replace(data, []byte("123456"), []byte("923456"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if list := problems(t, dir); len(list) != 1 || !strings.HasPrefix(list[0], clientsFile) || !strings.Contains(list[0], damaged.ID) {
		t.Errorf("check: %q", list)
	}
	s, _ := serve(t, dir)
	if _, err := s.Clients.Find(damaged.ID); !errors.Is(err, access.ErrNoClient) {
		t.Errorf("the client is served as it was changed: %v", err)
	}
	if c, err := s.Clients.Find(sound.ID); err != nil || c.Name != "two" {
		t.Errorf("the other client: %+v, %v", c, err)
	}
	if locked := s.Clients.Locked(); len(locked) != 1 {
		t.Errorf("it is not told: %v", locked)
	}
	if list := problems(t, dir); len(list) != 1 || !strings.HasPrefix(list[0], clientsFile) {
		t.Errorf("check of the server: %q", list)
	}
	create(t, dir, spec("three")) // others can still be made
}

// A store that the disk does not give back is told of once and in /readyz, and comes back
// without a restart.
func TestStoreComesBack(t *testing.T) {
	dir := folder.Dir(t.TempDir())
	create(t, dir, spec("one"))
	s, err := Open(dir, "test", quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	whole, err := os.ReadFile(s.path(CommunityFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(s.path(CommunityFile), 0); err != nil {
		t.Fatal(err)
	}
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
		t.Errorf("warnings %q", w)
	}
	if list := s.Clients.List(); len(list) != 1 {
		t.Errorf("%d clients", len(list))
	}
	f, err := os.OpenFile(s.path(CommunityFile), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(whole, 0); err != nil {
		t.Fatal(err)
	}
	f.Close()
	for end := time.Now().Add(10 * time.Second); len(s.Problems()) > 0 && time.Now().Before(end); {
		time.Sleep(50 * time.Millisecond) // it is tried once a second
	}
	watch()
	if _, _, err := s.Community.Bugs(true, 1, 0); err != nil || !strings.Contains(log.String(), "well again") || len(s.Warnings()) != 0 {
		t.Errorf("%v, %q, %s", err, s.Warnings(), &log)
	}
}
