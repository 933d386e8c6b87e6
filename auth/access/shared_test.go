package access

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"relais/internal/store"
	"relais/internal/store/logtest"
)

// newServers returns the clients as two servers have them.
func newServers(t *testing.T) (log *logtest.Log, here, there *kit) {
	t.Helper()
	log = logtest.New()
	open := func() *kit {
		k := newKit(t)
		must(t, k.db.Share(t.Context(), log))
		return k
	}
	return log, open(), open()
}

// check asks a server with a key.
func check(g *Gate, k *kit, key string) error {
	_, err := g.Check(&Request{Time: k.time, Method: "GET", Path: "/", Address: inside, APIKey: []string{key},
		Scope: AntennasRead})
	return err
}

// A key of another server is let in at once, and wrong ones are only refused when all were asked.
func TestKeyOfAnotherServer(t *testing.T) {
	log, here, there := newServers(t)
	key := server(here).APIKey
	g := there.gate()
	if err := check(g, there, key); err != nil {
		t.Errorf("a key of the other server: %v, want it let in", err)
	}
	asked := log.Asked.Load()
	if err := check(g, there, key); err != nil || log.Asked.Load() != asked {
		t.Errorf("a known key: %v after %d questions, want it let in after none", err, log.Asked.Load()-asked)
	}
	wrong := key[:len(key)-1] + "!"
	if err := check(g, there, "x"); !errors.Is(err, ErrInvalidKey) || log.Asked.Load() != asked {
		t.Errorf("no key: %v after %d questions, want %v after none", err, log.Asked.Load()-asked, ErrInvalidKey)
	}
	other, _, _ := newKey()
	if err := check(g, there, other); !errors.Is(err, ErrInvalidKey) {
		t.Errorf("an unknown key: %v, want %v", err, ErrInvalidKey)
	}
	failures := g.Failures.Count(inside, there.time)
	log.SetAway(true)
	if err := check(g, there, other); !errors.Is(err, store.ErrAway) || errors.Is(err, ErrInvalidKey) {
		t.Errorf("an unknown key while the log is away: %v, want %v", err, store.ErrAway)
	}
	if n := g.Failures.Count(inside, there.time); n != failures {
		t.Errorf("%d failures, want %d: the key may be right", n, failures)
	}
	if err := check(g, there, key); err != nil {
		t.Errorf("a known key while the log is away: %v, want it let in", err)
	}
	for range MaxFailures {
		g.Failures.Add(inside, there.time)
	}
	if err := check(g, there, wrong); !errors.Is(err, ErrRateLimited) {
		t.Errorf("from an address that failed too often: %v, want %v", err, ErrRateLimited)
	}
}

// A flood of wrong keys asks the log seldom, and known keys do not wait for it.
func TestFloodOfUnknownKeys(t *testing.T) {
	log, here, there := newServers(t)
	key := server(here).APIKey
	must(t, there.db.Pull(t.Context()))
	synctest.Test(t, func(t *testing.T) {
		g := there.gate()
		before, start := log.Asked.Load(), time.Now()
		var flood sync.WaitGroup
		for i := range 20 {
			flood.Go(func() {
				time.Sleep(time.Duration(i) * time.Millisecond)
				other, _, _ := newKey()
				if err := check(g, there, other); !errors.Is(err, ErrInvalidKey) {
					t.Errorf("an unknown key: %v, want %v", err, ErrInvalidKey)
				}
			})
		}
		time.Sleep(10 * time.Millisecond)
		asked := time.Now()
		if err := check(g, there, key); err != nil || time.Since(asked) != 0 {
			t.Errorf("a known key: %v after %s, want it let in at once", err, time.Since(asked))
		}
		flood.Wait()
		if n, took := log.Asked.Load()-before, time.Since(start); n > 1+int64(took/(50*time.Millisecond)) {
			t.Errorf("%d questions in %s, want at most one each 50 ms", n, took)
		}
		time.Sleep(time.Second) // what asks ends
	})
}

// Servers with the same secret.key derive the same keys, another for each purpose.
func TestDerive(t *testing.T) {
	k := newKit(t)
	path := k.dir + "/secret.key"
	if key := OpenSealer(path).Derive("forms"); key != nil {
		t.Errorf("without a file the key is %x, want none", key)
	}
	mobile(k) // makes the file
	a, b, other := OpenSealer(path).Derive("forms"), OpenSealer(path).Derive("forms"), OpenSealer(path).Derive("limits")
	if len(a) != 32 || string(a) != string(b) || string(a) == string(other) {
		t.Errorf("derived %x, %x and %x; want 32 bytes, the same, and others", a, b, other)
	}
}
