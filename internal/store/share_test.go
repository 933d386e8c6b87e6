package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relais/internal/errtest"
	"relais/internal/store"
	"relais/internal/store/logtest"
	"relais/internal/store/storetest"
)

// must ends the test on an error of what it needs.
var must = errtest.Must

// replica returns a new replica of a log with the buckets a and b.
func replica(t testing.TB, log *logtest.Log) *store.DB {
	t.Helper()
	db := storetest.New(t, "a", "b")
	db.SetHistory("h")
	must(t, db.Share(t.Context(), log))
	return db
}

// Replicas have the same content after the same commits, whichever made them, and whether it came
// as commits or as a whole. What follows them has it too.
func checkReplicas(t *testing.T, seed uint64, steps int) {
	random := rand.New(rand.NewPCG(seed, 1))
	log := logtest.New()
	dbs := []*store.DB{replica(t, log), replica(t, log)}
	followed := make([]map[string]string, len(dbs))
	for i, db := range dbs {
		err := db.Follow(func(tx *store.Tx) error {
			followed[i] = map[string]string{}
			return store.Each(tx, "a", func(k, v []byte) error {
				if v != nil {
					followed[i][string(k)] = string(v)
				}
				return nil
			})
		}, func(changes []store.Change) {
			for _, c := range changes {
				if c.Value == nil {
					delete(followed[i], string(c.Key))
				} else {
					followed[i][string(c.Key)] = string(c.Value)
				}
			}
		}, "a")
		must(t, err)
	}
	failed := errors.New("failed")
	for range steps {
		err := dbs[random.IntN(2)].Update(func(tx *store.Tx) error {
			for range random.IntN(4) {
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
	for _, db := range dbs {
		must(t, db.Pull(t.Context()))
	}
	want := logtest.Dump(t, dbs[0])
	for i, db := range []*store.DB{dbs[1], replica(t, log)} {
		if diff := cmp.Diff(want, logtest.Dump(t, db)); diff != "" {
			t.Fatalf("replica %d differs (-first +this):\n%s", i+1, diff)
		}
		if db.Version() != dbs[0].Version() || db.Mark() != dbs[0].Mark() {
			t.Errorf("replica %d: got version %s, want %s", i+1, db.Version(), dbs[0].Version())
		}
		if err := db.Check(); err != nil {
			t.Error(err)
		}
	}
	if diff := cmp.Diff(followed[0], followed[1]); diff != "" {
		t.Errorf("the followers differ:\n%s", diff)
	}
	for key, value := range followed[0] {
		if got, want := fmt.Sprintf("%q", value), want[fmt.Sprintf("a/%q", key)]; got != want {
			t.Errorf("followers have %s for %q, the file %s", got, key, want)
		}
	}
}

func TestReplicas(t *testing.T) {
	for seed := range uint64(5) {
		checkReplicas(t, seed, 60)
	}
}

func FuzzReplicas(f *testing.F) {
	f.Add(uint64(1), uint8(20))
	f.Fuzz(func(t *testing.T, seed uint64, steps uint8) { checkReplicas(t, seed, int(steps%40)) })
}

func add(db *store.DB, key string) error {
	return db.Update(func(tx *store.Tx) error { return tx.Bucket([]byte("a")).Put([]byte(key), []byte("1")) })
}

func has(t testing.TB, db *store.DB, key string) bool {
	t.Helper()
	_, ok := logtest.Dump(t, db)[fmt.Sprintf("a/%q", key)]
	return ok
}

// A failed or unknown commit leaves the replica as it was; what the log has comes later.
func TestCommitsThatFail(t *testing.T) {
	log := logtest.New()
	db := replica(t, log)
	log.SetAway(true)
	if err := add(db, "away"); !errors.Is(err, store.ErrAway) {
		t.Errorf("got %v, want ErrAway", err)
	}
	if err := db.Fresh(t.Context()); !errors.Is(err, store.ErrAway) {
		t.Errorf("Fresh: got %v, want ErrAway", err)
	}
	log.SetAway(false)
	log.LoseAnswer()
	if err := add(db, "unknown"); !errors.Is(err, store.ErrUnknown) || has(t, db, "unknown") {
		t.Errorf("got %v, and has it %v, want ErrUnknown and not yet", err, has(t, db, "unknown"))
	}
	if err := db.Fresh(t.Context()); err != nil || !has(t, db, "unknown") || has(t, db, "away") {
		t.Errorf("after Fresh: got %v, %v", err, logtest.Dump(t, db))
	}
}

// A log that lost commits is noticed, also when it has others in their place.
func TestRewoundLog(t *testing.T) {
	for _, others := range []int{0, 1, 2, 5} {
		t.Run(fmt.Sprint(others), func(t *testing.T) {
			log := logtest.New()
			db, other := replica(t, log), replica(t, log)
			for i := range 3 {
				must(t, add(db, fmt.Sprint("kept ", i)))
			}
			must(t, other.Pull(t.Context()))
			for i := range 2 {
				must(t, add(db, fmt.Sprint("lost ", i)))
			}
			log.Rewind(2)
			for i := range others {
				must(t, add(other, fmt.Sprint("other ", i)))
			}
			if err := add(db, "late"); err != nil && !errors.Is(err, store.ErrRewound) {
				t.Fatal(err)
			}
			for _, db := range []*store.DB{db, other} {
				must(t, db.Fresh(t.Context()))
			}
			if has(t, db, "lost 0") || !has(t, db, "kept 2") || db.Rebuilt() != 1 || other.Rebuilt() != 0 {
				t.Errorf("got %v, rebuilt %d and %d times", logtest.Dump(t, db), db.Rebuilt(), other.Rebuilt())
			}
			if diff := cmp.Diff(logtest.Dump(t, other), logtest.Dump(t, db)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A replica that is opened again goes on from its mark, and reads without its log.
func TestReplicaOpenedAgain(t *testing.T) {
	log := logtest.New()
	path := filepath.Join(t.TempDir(), "x.db")
	other := replica(t, log)
	for i := range 3 {
		db := storetest.Open(t, path, "a", "b")
		log.SetAway(i == 2)
		if err := db.Share(t.Context(), log); (i == 2) != errors.Is(err, store.ErrAway) {
			t.Fatalf("Share: %v", err)
		}
		if i > 0 && !has(t, db, fmt.Sprint(i-1)) || db.Rebuilt() > 0 {
			t.Errorf("opening %d: got %v, rebuilt %d times", i, logtest.Dump(t, db), db.Rebuilt())
		}
		if i < 2 {
			must(t, add(db, fmt.Sprint(i)))
			must(t, add(other, fmt.Sprint("other ", i)))
		}
		if _, _, err := db.Compact(); err != nil {
			t.Fatal(err)
		}
		must(t, db.Close())
	}
	db := storetest.Open(t, path, "a", "b")
	defer db.Close()
	must(t, db.Unshare())
	if err := add(db, "alone"); err != nil || db.Mark() != (store.Mark{}) || log.Commits() != 5 {
		t.Errorf("after Unshare: got %v, %v and %d commits", err, db.Mark(), log.Commits())
	}
}

// What one replica marks as deleted, each compacts away.
func TestDeletedInReplicas(t *testing.T) {
	log := logtest.New()
	db, other := replica(t, log), replica(t, log)
	for range 2 {
		err := db.Update(func(tx *store.Tx) error { return store.MarkDeleted(tx) })
		must(t, err)
		must(t, other.Fresh(context.Background()))
		if marked, err := other.HasDeleted(); err != nil || !marked {
			t.Fatalf("got %v, %v, want a mark", marked, err)
		}
		if _, _, err := other.Compact(); err != nil { // db is not compacted
			t.Fatal(err)
		}
	}
}

// Many callers of Fresh share questions, and each sees what was there before its call.
func TestFreshIsShared(t *testing.T) {
	log := logtest.New()
	db, other := replica(t, log), replica(t, log)
	done := make(chan error)
	for i := range 50 {
		key := fmt.Sprint("k", i)
		must(t, add(db, key))
		go func() {
			err := other.Fresh(context.Background())
			if err == nil && !bytes.Equal(value(other, key), []byte("1")) {
				err = fmt.Errorf("%s is missing after Fresh", key)
			}
			done <- err
		}()
	}
	for range 50 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func value(db *store.DB, key string) (v []byte) {
	_ = db.View(func(tx *store.Tx) error {
		v = bytes.Clone(tx.Value("a", []byte(key)))
		return nil
	})
	return v
}
