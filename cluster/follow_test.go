package cluster

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"relais/internal/store"
	"relais/internal/store/logtest"
)

// A store that failed to follow once is well as soon as it has all, without another commit.
func TestTroubleEnds(t *testing.T) {
	s := newCluster(t)
	m := joined(t, s.URL("postgres"), "one")
	m.state.lacks("clients", 0, errors.New("conn closed"))
	trouble := func() error {
		m.state.mu.Lock()
		defer m.state.mu.Unlock()
		return m.state.trouble["clients"]
	}
	for end := time.Now().Add(time.Minute); trouble() != nil; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the store is said not to follow: %v; want nothing wrong", trouble())
		}
	}
}

// A store that is new to this version is empty while the engine is away, and follows when it is back.
func TestStoreThatIsNewWhileAway(t *testing.T) {
	s := newCluster(t)
	e, err := Connect(t.Context(), s.URL("postgres"), "one", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(filepath.Join(t.TempDir(), "x.db"), logtest.Buckets...)
	if err != nil {
		t.Fatal(err)
	}
	s.Kill()
	r := e.Replicas()
	if err := r.Add(t.Context(), "new", db, false); !errors.Is(err, store.ErrAway) {
		t.Errorf("a store that must not be empty: got %v, want ErrAway", err)
	}
	if err := r.Add(t.Context(), "new", db, true); err != nil {
		t.Errorf("a store that may be empty: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { r.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		running.Wait()
		e.Close()
		db.Close()
	})
	s.Restart()
	m := &member{e, db}
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if _, err = m.increment("k"); err == nil || time.Now().After(end) {
			break
		}
	}
	if n := m.number("k"); err != nil || n != 1 {
		t.Errorf("when the engine is back: got %d, %v, want 1", n, err)
	}
}

// A damage is said once and ended once, though an answer about it comes when the store has been copied.
func TestLateDamage(t *testing.T) {
	var s state
	lacks := func(at, commit uint64) func() bool {
		return func() bool { return s.lacks("clients", at, oldCommit(commit, errMissing)) }
	}
	follows := func(seq uint64) func() bool { return func() bool { return s.follows("clients", seq) } }
	for _, step := range []struct {
		name string
		do   func() bool
		want bool // that it is said
	}{
		{"at the start", follows(1), false},
		{"a commit cannot be read", lacks(1, 2), true},
		{"another caller meets it", lacks(1, 2), false},
		{"the store is copied", follows(2), true},
		{"a third caller's answer is late", lacks(1, 2), false},
		{"all is well", follows(2), false},
		{"the next commit cannot be read", lacks(2, 3), true},
		{"and is copied", follows(3), true},
	} {
		if got := step.do(); got != step.want {
			t.Errorf("%s: got %t, want %t", step.name, got, step.want)
		}
	}
}
