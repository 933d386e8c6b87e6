//go:build linux

package admin

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"relais/auth/access"
	"relais/cluster/pgtest"
	"relais/internal/folder"
	"relais/internal/tier"
)

// nodes starts a cluster with an empty folder, and returns how a node of it is started, which ends
// with stop.
func nodes(t *testing.T) (server *pgtest.Server, start func(name string) (s *Stores, stop func())) {
	t.Helper()
	server = pgtest.Start(t)
	log, first := slog.New(slog.DiscardHandler), folder.Dir(t.TempDir())
	url := server.URL("postgres")
	must(t, InitCluster(t.Context(), first, url, "pg", log, func(string) {}))
	key, err := os.ReadFile(filepath.Join(string(first), sealFile))
	must(t, err)
	dirs := map[string]folder.Dir{}
	return server, func(name string) (*Stores, func()) {
		if dirs[name] == "" {
			dirs[name] = folder.Dir(t.TempDir())
			must(t, os.WriteFile(filepath.Join(string(dirs[name]), sealFile), key, 0o600))
		}
		s, err := OpenNode(dirs[name], Node{URL: url, Name: name, Version: "test"}, "test", log)
		must(t, err)
		ctx, cancel := context.WithCancel(context.Background())
		var running sync.WaitGroup
		running.Go(func() { NewJobs(s, log).Keep(ctx) })
		stop := sync.OnceFunc(func() {
			cancel()
			running.Wait()
			must(t, s.Close())
		})
		t.Cleanup(stop)
		return s, stop
	}
}

// Nodes of a cluster add up what they count, keep it when they restart, and forget deleted clients.
func TestCountsOfNodes(t *testing.T) {
	tier.Slow(t)
	server, start := nodes(t)
	one, stopOne := start("one")
	two, _ := start("two")
	if a, b := one.Key("forms"), two.Key("forms"); len(a) == 0 || !bytes.Equal(a, b) {
		t.Errorf("the keys of the forms are %x and %x, want the same", a, b)
	}
	issued, err := one.Clients.Create(access.Client{Name: "x", Mode: access.Server, Scopes: access.ReadScopes,
		CIDRs: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}, Limits: access.Limits{Minute: 1000, Day: 1000}})
	must(t, err)
	ask := func(s *Stores) {
		t.Helper()
		g := access.Gate{Clients: s.Clients, Failures: access.NewFailures()}
		_, err := g.Check(&access.Request{Time: time.Now(), Method: "GET", Path: "/", Scope: access.AntennasRead,
			Address: netip.MustParseAddr("192.0.2.7"), APIKey: []string{issued.APIKey}})
		must(t, err)
	}
	wantLeft := func(s *Stores, want int) {
		t.Helper()
		for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
			u, err := s.Clients.Usage(issued.ID)
			must(t, err)
			if u.Day.Remaining == want {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("%d requests are left, want %d", u.Day.Remaining, want)
			}
		}
	}
	for range 5 {
		ask(one)
	}
	stopOne() // tells the last
	one, _ = start("one")
	ask(two)
	wantLeft(two, 994)
	ask(one)
	wantLeft(one, 993)
	done := func(says string) func() ([]byte, bool) { return func() ([]byte, bool) { return []byte(says), true } }
	wantFirst := func(s *Stores, want bool) {
		t.Helper()
		if _, first, err := s.Answers.Once(t.Context(), issued.ID, "signature", done("the photo 17")); first != want ||
			err != nil {
			t.Errorf("the signed request: first %t, %v; want %t", first, err, want)
		}
	}
	wantFirst(one, true)
	wantFirst(two, false)
	must(t, two.ForgetPhoto("photo 17"))
	wantFirst(one, true)
	_, err = DeleteClient{issued.ID}.run(t.Context(), two)
	must(t, err)
	for _, table := range []string{"tally", "answer"} {
		if n := server.Query("postgres", "SELECT count(*) FROM relais."+table); n != "0" {
			t.Errorf("%s rows in %s after the client was deleted, want 0", n, table)
		}
	}
	if _, err := os.Stat(one.path(quotaFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a node has a file of counts: %v", err)
	}
}

// An ordinary folder counts by itself.
func TestNoTally(t *testing.T) {
	s, err := Open(folder.Dir(t.TempDir()), "test", slog.New(slog.DiscardHandler))
	must(t, err)
	defer s.Close()
	if s.Tally() != nil {
		t.Error("an ordinary folder has a Tally")
	}
}
