package admin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"relais/auth/access"
	"relais/internal/errtest"
	"relais/internal/folder"
	"relais/internal/system"
)

var quiet = slog.New(slog.DiscardHandler)

// must ends the test on an error of what it needs.
var must = errtest.Must

func spec(name string) CreateClient {
	return CreateClient{access.Client{Name: name, Mode: access.Server,
		CIDRs: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}, Scopes: access.ReadScopes}}
}

// serve has the stores open, as a server has, until the test ends or stop is
// called.
func serve(t *testing.T, dir folder.Dir) (s *Stores, stop func()) {
	t.Helper()
	s, err := Open(dir, "test", quiet)
	must(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- NewCommands(s).Serve(ctx, quiet) }()
	soon(t, "a socket", func() bool { return IsServed(dir) })
	ended := false
	stop = func() {
		if ended {
			return
		}
		ended = true
		cancel()
		must(t, errors.Join(<-done, s.Close()))
	}
	t.Cleanup(stop)
	return s, stop
}

// soon waits until ok, however busy the machine is.
func soon(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("got no %s in a minute", what)
		}
	}
}

// waitAtMost sets how long commands wait for a folder in use, until the test ends.
func waitAtMost(t *testing.T, d time.Duration) {
	t.Helper()
	was := patience
	patience = d
	t.Cleanup(func() { patience = was })
}

// Every command does the same whether a server has the stores or not.
func TestTwoCallers(t *testing.T) {
	for _, served := range []bool{false, true} {
		dir := folder.Dir(filepath.Join(t.TempDir(), "data"))
		must(t, os.Mkdir(string(dir), 0o755))
		if served {
			serve(t, dir)
			if info, err := os.Stat(filepath.Join(string(dir), socketFile)); err == nil && system.Mode(info)&0o077 != 0 {
				t.Errorf("admin.sock has the mode %04o: others reach it", system.Mode(info))
			}
		}
		ctx := context.Background()
		ask := func(c Command, answer any) error { return Call(ctx, dir, c, answer, quiet) }
		var made, again access.Issued
		if err := ask(spec("one"), &made); err != nil || !strings.HasPrefix(made.APIKey, "rk_") || made.ID == "" {
			t.Fatalf("served %v: %+v, %v, want no error, rk_ at the APIKey's start and ID set", served, made, err)
		}
		if err := ask(RotateClient{Client: "one", Overlap: time.Hour}, &again); err != nil ||
			again.APIKey == made.APIKey || len(again.Keys) != 2 {
			t.Errorf("served %v: rotate: %+v, %v, want no error, APIKey other than %v and len(again.Keys) = 2",
				served, again, err, made.APIKey)
		}
		var c access.Client
		if err := ask(RevokeClient{Client: made.ID, Key: made.Keys[0].Prefix}, &c); err != nil ||
			c.Keys[0].Revoked == nil || c.Keys[1].Revoked != nil {
			t.Errorf("served %v: revoke: got %+v, %v, want the first key revoked alone", served, c, err)
		}
		var u ClientUsage
		if err := ask(UsageOfClient{Client: "one"}, &u); err != nil || u.Minute.Remaining != 60 ||
			u.Day.Limit != 10_000 {
			t.Errorf("served %v: usage: %+v, %v, want no error, Remaining = 60 and Limit = 10_000", served, u, err)
		}
		var list []*access.Client
		if err := ask(ListClients{}, &list); err != nil || len(list) != 1 || list[0].ID != made.ID {
			t.Errorf("served %v: list: %v, %v, want no error, len(list) = 1 and ID = %v", served, list, err, made.ID)
		}
		if err := ask(ShowClient{Client: "two"}, &c); err == nil ||
			err.Error() != access.ErrNoClient.Error()+`: "two"; the nearest name is "one"` {
			t.Errorf("served %v: show nobody: %v, want %v and the nearest name", served, err, access.ErrNoClient)
		}
		if err := ask(DeleteClient{Client: "one"}, &c); err != nil {
			t.Errorf("served %v: delete: %v", served, err)
		}
		if err := ask(ListClients{}, &list); err != nil || len(list) != 0 {
			t.Errorf("served %v: got %d clients after deleting, %v, want none", served, len(list), err)
		}
	}
}

// A second process is refused at once, and told who has the folder.
func TestOneAtATime(t *testing.T) {
	dir := folder.Dir(t.TempDir())
	serve(t, dir)
	waitAtMost(t, time.Hour) // Open does not wait
	var held *folder.HeldError
	if _, err := Open(dir, "another", quiet); !errors.As(err, &held) || held.Holder.What != "test" {
		t.Errorf("got %v, want that the folder is held by test", err)
	}
}

// Commands wait a moment for each other, and for a server that does not take them
// yet; who has the folder for longer is named.
func TestWaiting(t *testing.T) {
	dir, ctx := folder.Dir(t.TempDir()), context.Background()
	waitAtMost(t, time.Minute)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			must(t, Call(ctx, dir, spec(fmt.Sprint(i)), new(access.Issued), quiet))
		})
	}
	wg.Wait()
	s, err := Open(dir, "a starting server", quiet)
	must(t, err)
	var list []*access.Client
	var held *folder.HeldError
	waitAtMost(t, 100*time.Millisecond)
	if err := Call(ctx, dir, ListClients{}, &list, quiet); !errors.As(err, &held) ||
		held.Holder.What != "a starting server" {
		t.Errorf("got %v, want that the folder is held by a starting server", err)
	}
	waitAtMost(t, time.Minute)
	serving, cancel := context.WithCancel(ctx)
	time.AfterFunc(200*time.Millisecond, func() { wg.Go(func() { NewCommands(s).Serve(serving, quiet) }) })
	if err := Call(ctx, dir, ListClients{}, &list, quiet); err != nil || len(list) != 4 {
		t.Errorf("%d clients, %v, want 4 and no error", len(list), err)
	}
	cancel()
	wg.Wait()
	must(t, s.Close())
}

func TestFolderThatIsMissing(t *testing.T) {
	dir := folder.Dir(filepath.Join(t.TempDir(), "typo"))
	if err := Call(context.Background(), dir, ListClients{}, new([]*access.Client), quiet); !errors.Is(err,
		os.ErrNotExist) {
		t.Errorf("got %v, want os.ErrNotExist", err)
	}
	if _, err := os.Stat(string(dir)); err == nil {
		t.Error("a list made a folder")
	}
}

// What a backup has can be served: also one that was made while clients were made.
func TestBackup(t *testing.T) {
	for _, served := range []bool{false, true} {
		dir := folder.Dir(t.TempDir())
		ctx := context.Background()
		var made access.Issued
		app := CreateClient{access.Client{Name: "app", Mode: access.Mobile, Scopes: access.ReadScopes}}
		must(t, Call(ctx, dir, app, &made, quiet))
		snap := filepath.Join(string(dir), "snapshots", "FR.snap")
		must(t, errors.Join(os.Mkdir(filepath.Dir(snap), 0o755),
			os.WriteFile(snap, []byte("a snapshot"), 0o644)))
		changed := time.Date(2024, 2, 29, 12, 30, 0, 0, time.UTC)
		must(t, os.Chtimes(snap, time.Time{}, changed))
		if served {
			serve(t, dir)
		}
		copied, restored := filepath.Join(t.TempDir(), "backup"), folder.Dir(filepath.Join(t.TempDir(), "restored"))
		if err := Backup(ctx, dir, copied, true, quiet); err != nil {
			t.Fatalf("served %v: %v", served, err)
		}
		if err := Backup(ctx, dir, copied, true, quiet); err == nil {
			t.Errorf("served %v: a backup was written over", served)
		}
		if err := Restore(ctx, copied, restored); err != nil {
			t.Fatalf("served %v: %v", served, err)
		}
		if err := Restore(ctx, copied, restored); err == nil {
			t.Errorf("served %v: restored over a folder", served)
		}
		s, err := Open(restored, "test", quiet)
		must(t, err)
		g := &access.Gate{Clients: s.Clients, Failures: access.NewFailures()}
		now := time.Now()
		if _, err := g.Check(&access.Request{Time: now, Method: "GET", Path: "/x",
			Authorization: []string{"Bearer " + made.APIKey}, Scope: access.AntennasRead,
			Signature: []string{access.Sign(made.SigningSecret, now, "GET", "/x", access.EmptyBody)}}); err != nil {
			t.Errorf("served %v: the restored client: %v", served, err)
		}
		must(t, s.Close())
		if text, err := os.ReadFile(restored.Snapshot("FR")); string(text) != "a snapshot" {
			t.Errorf("served %v: %q, %v, want text = a snapshot", served, text, err)
		}
		if info, err := os.Stat(restored.Snapshot("FR")); err != nil || !info.ModTime().Equal(changed) {
			t.Errorf("served %v: %v, %v, want no error and ModTime = %v", served, info, err, changed)
		}
	}
}

// checkData checks the stores of a folder and the files next to them.
func checkData(ctx context.Context, dir folder.Dir) ([]File, error) {
	files, err := checkStores(ctx, dir)
	return append(files, checkOthers(dir)...), err
}
