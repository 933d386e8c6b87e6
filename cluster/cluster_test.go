//go:build linux

package cluster

import (
	"context"
	"encoding/binary"
	"errors"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"relais/cluster/pgtest"
	"relais/internal/errtest"
	"relais/internal/store"
	"relais/internal/store/logtest"
	"relais/internal/store/storetest"
	"relais/internal/tier"
)

// must ends the test on an error of what it needs.
var must = errtest.Must

// testKey names the secret.key of the clusters of these tests.
var testKey = []byte("key")

// newCluster makes an empty cluster in a new PostgreSQL.
func newCluster(t testing.TB) *pgtest.Server {
	t.Helper()
	s := pgtest.Start(t)
	err := Make(t.Context(), s.URL("postgres"), testKey, "pg", slog.New(slog.DiscardHandler),
		func(*Import) error { return nil })
	must(t, err)
	return s
}

// A member is a node with the store clients alone.
type member struct {
	*Engine
	db *store.DB
}

// joined returns a new node that follows the others.
func joined(t testing.TB, url, name string) *member {
	t.Helper()
	e, db := connected(t, url, name), storetest.New(t, logtest.Buckets...)
	r := e.Replicas()
	must(t, r.Add(t.Context(), "clients", db))
	inBackground(t, r.Run)
	return &member{e, db}
}

// inBackground runs what a node does all the time, until the test ends.
func inBackground(t testing.TB, jobs ...func(context.Context)) {
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	for _, job := range jobs {
		running.Go(func() { job(ctx) })
	}
	t.Cleanup(func() {
		stop()
		running.Wait()
	})
}

// increment adds one to a number in the store and returns it.
func (m *member) increment(key string) (n uint64, err error) {
	err = m.db.Update(func(tx *store.Tx) error {
		b := tx.Bucket([]byte("a"))
		if v := b.Get([]byte(key)); v != nil {
			n = binary.BigEndian.Uint64(v)
		}
		n++
		return b.Put([]byte(key), binary.BigEndian.AppendUint64(nil, n))
	})
	return n, err
}

func (m *member) number(key string) (n uint64) {
	_ = m.db.View(func(tx *store.Tx) error {
		if v := tx.Value("a", []byte(key)); v != nil {
			n = binary.BigEndian.Uint64(v)
		}
		return nil
	})
	return n
}

// mustEqual fails unless the nodes, and one that joins now, have the same content and version.
func mustEqual(t *testing.T, url string, nodes ...*member) {
	t.Helper()
	nodes = append(nodes, joined(t, url, "last"))
	for _, n := range nodes {
		err := n.db.Fresh(t.Context())
		for range poolSize { // each connection of the pool can be one that was cut before
			if !errors.Is(err, store.ErrAway) {
				break
			}
			err = n.db.Fresh(t.Context())
		}
		must(t, err)
	}
	want := logtest.Dump(t, nodes[0].db)
	for _, n := range nodes[1:] {
		if diff := cmp.Diff(want, logtest.Dump(t, n.db)); diff != "" {
			t.Errorf("node %s differs:\n%s", n.node, diff)
		}
		if got, want := n.db.Version(), nodes[0].db.Version(); got != want {
			t.Errorf("node %s has version %s, want %s", n.node, got, want)
		}
	}
}

// Nodes that change the same record one after the other lose no change.
func TestTurns(t *testing.T) {
	tier.Slow(t)
	url := newCluster(t).URL("postgres")
	nodes := []*member{joined(t, url, "one"), joined(t, url, "two"), joined(t, url, "three")}
	var running sync.WaitGroup
	for _, n := range nodes {
		for range 2 {
			running.Go(func() {
				for range 20 {
					if _, err := n.increment("k"); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	running.Wait()
	mustEqual(t, url, nodes...)
	if n := nodes[0].number("k"); n != 120 {
		t.Errorf("got %d, want 120", n)
	}
}

// The table has what the commits made, whatever their steps.
func TestSteps(t *testing.T) {
	tier.Slow(t)
	url := newCluster(t).URL("postgres")
	nodes := []*member{joined(t, url, "one"), joined(t, url, "two")}
	random, failed := rand.New(rand.NewPCG(1, 2)), errors.New("failed")
	for range 300 {
		err := nodes[random.IntN(2)].db.Update(func(tx *store.Tx) error {
			for range random.IntN(6) {
				if err := logtest.Act(tx, random); err != nil {
					return err
				}
			}
			if random.IntN(6) == 0 {
				return failed
			}
			return nil
		})
		if err != nil && err != failed {
			t.Fatal(err)
		}
	}
	mustEqual(t, url, nodes...)
}

// Large commits are sent and followed whole.
func TestLargeCommit(t *testing.T) {
	tier.Slow(t)
	url := newCluster(t).URL("postgres")
	one, two := joined(t, url, "one"), joined(t, url, "two")
	random := rand.NewChaCha8([32]byte{})
	for range 3 {
		err := one.db.Update(func(tx *store.Tx) error {
			for i := range 300 {
				value := make([]byte, 64<<10)
				random.Read(value)
				if err := tx.Bucket([]byte("b")).Put(binary.BigEndian.AppendUint32(nil, uint32(i)), value); err != nil {
					return err
				}
			}
			return nil
		})
		must(t, err)
		if _, err := two.increment("k"); err != nil { // which first takes what is missing
			t.Fatal(err)
		}
	}
	mustEqual(t, url, one, two)
}

// What was acknowledged is there after PostgreSQL was killed and the ways to it were cut, and every
// outcome that was not known is settled.
func TestEngineKilled(t *testing.T) {
	tier.Slow(t)
	server := newCluster(t)
	url := server.URL("postgres")
	relay := pgtest.NewRelay(t, server.Addr())
	cut := strings.Replace(url, server.Addr(), relay.Addr(), 1)
	nodes := []*member{joined(t, url, "one"), joined(t, cut, "two")}
	var stop atomic.Bool
	var acknowledged [2]atomic.Int64
	var attempts, unknown atomic.Int64
	var running sync.WaitGroup
	for i, n := range nodes {
		running.Go(func() {
			for !stop.Load() {
				attempts.Add(1)
				_, err := n.increment(n.node)
				switch {
				case err == nil:
					acknowledged[i].Add(1)
				case errors.Is(err, store.ErrUnknown):
					unknown.Add(1)
				case !errors.Is(err, store.ErrAway):
					t.Errorf("node %s: %v", n.node, err)
				}
			}
		})
	}
	for range 3 {
		time.Sleep(300 * time.Millisecond)
		server.Kill()
		server.Restart()
		time.Sleep(300 * time.Millisecond)
		relay.Reset()
	}
	stop.Store(true)
	running.Wait()
	mustEqual(t, url, nodes...)
	for i, n := range nodes {
		if got, least := int64(n.number(n.node)), acknowledged[i].Load(); got < least || got > least+unknown.Load() {
			t.Errorf("node %s: %d are there, want from %d acknowledged to %d with unknown outcomes", n.node, got, least,
				least+unknown.Load())
		}
	}
	t.Logf("%d attempts, %d and %d acknowledged, %d unknown", attempts.Load(), acknowledged[0].Load(),
		acknowledged[1].Load(), unknown.Load())
}

// A turn whose node hangs ends, and its commit fails.
func TestHangingTurn(t *testing.T) {
	tier.Slow(t)
	url := newCluster(t).URL("postgres")
	one, two := joined(t, url, "one"), joined(t, url, "two")
	log := one.Log("clients")
	held, _, err := log.Begin(t.Context(), one.db.Mark())
	must(t, err)
	held.(*turn).stopBeats() // as if the process was stopped
	if _, err := two.increment("k"); err != nil {
		t.Errorf("the other node: %v", err)
	}
	_, err = held.Commit(t.Context(), []store.Op{{Kind: store.OpPut, Path: [][]byte{[]byte("a")}, Key: []byte("z")}})
	if !errors.Is(err, store.ErrAway) {
		t.Errorf("got %v, want ErrAway", err)
	}
	mustEqual(t, url, one, two)
}

// An engine that lost commits is noticed: a node that had them builds its replica again.
func TestRestoredEngine(t *testing.T) {
	server := newCluster(t)
	url := server.URL("postgres")
	one := joined(t, url, "one")
	for range 3 {
		if _, err := one.increment("k"); err != nil {
			t.Fatal(err)
		}
	}
	server.Query("postgres", `BEGIN; DELETE FROM relais.change WHERE store = 'clients' AND seq = 4;
		UPDATE relais.item SET value = '\x0000000000000002' WHERE store = 'clients' AND key = 'k';
		UPDATE relais.store s SET seq = 3, nonce = c.nonce FROM relais.change c
			WHERE s.name = 'clients' AND c.store = 'clients' AND c.seq = 3; COMMIT`)
	must(t, one.db.Fresh(t.Context()))
	if n := one.number("k"); n != 2 || one.db.Rebuilt() != 1 {
		t.Errorf("got %d and %d rebuilds, want 2 and 1", n, one.db.Rebuilt())
	}
	mustEqual(t, url, one)
}
