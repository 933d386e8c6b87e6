package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A mirror is what the bucket a has, by a follower.
type mirror struct {
	records map[string]string
	loads   int
}

func (m *mirror) load(tx *Tx) error {
	m.loads++
	m.records = map[string]string{}
	return Each(tx, "a", func(k, v []byte) error {
		m.records[string(k)] = string(v)
		return nil
	})
}

func (m *mirror) apply(changes []Change) {
	for _, c := range changes {
		if c.Value == nil {
			delete(m.records, string(c.Key))
		} else {
			m.records[string(c.Key)] = string(c.Value)
		}
	}
}

// want compares a mirror with what a transaction reads.
func (m *mirror) want(t *testing.T, db *DB) {
	t.Helper()
	now := &mirror{}
	must(t, db.View(now.load))
	if diff := cmp.Diff(now.records, m.records); diff != "" {
		t.Fatalf("memory is not as the file (-want +got):\n%s", diff)
	}
}

// What follows a file has what the last Update that succeeded left, and nothing of one
// that failed.
func TestFollow(t *testing.T) {
	db := opened(t, filepath.Join(t.TempDir(), "x.db"))
	put(t, db, "before", []byte("v"))
	m, other := &mirror{}, &mirror{}
	must(t, errors.Join(db.Follow(m.load, m.apply, "a"), db.Follow(other.load, other.apply, "other")))
	m.want(t, db)
	random := rand.New(rand.NewPCG(1, 2))
	failed := errors.New("failed")
	for range 200 {
		err := db.Update(func(tx *Tx) error {
			a := tx.Bucket([]byte("a"))
			for range random.IntN(4) {
				key := fmt.Append(nil, random.IntN(20))
				var err error
				switch random.IntN(4) {
				case 0:
					err = a.Delete(key)
				case 1:
					err = a.Put(key, nil) // an empty value does not delete
				case 2:
					err = tx.Bucket([]byte("b")).Put(key, []byte("not followed"))
				case 3:
					err = a.Put(key, fmt.Append(nil, random.Int()))
				}
				must(t, err)
			}
			if random.IntN(5) == 0 {
				return failed
			}
			return nil
		})
		if err != nil && !errors.Is(err, failed) {
			t.Fatal(err)
		}
		m.want(t, db)
	}
	if m.loads != 1 {
		t.Errorf("got %d loads, want 1", m.loads)
	}
	if _, ok := other.records["before"]; !ok || len(other.records) != 1 {
		t.Errorf("got %v in a follower of another bucket, want what it loaded", other.records)
	}
	var none *DB
	if err := none.Follow(m.load, m.apply, "a"); err != nil || none.Version() != "0" {
		t.Errorf("no file: got %v, version %q", err, none.Version())
	}
}

// After a commit whose outcome is not known, what follows the file has what is on disk, and
// no version is that of other content.
func TestFollowOpenedAgain(t *testing.T) {
	for _, kept := range []bool{false, true} {
		t.Run(fmt.Sprintf("kept %v", kept), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.db")
			db := opened(t, path)
			db.SetHistory("h")
			m := &mirror{}
			must(t, db.Follow(m.load, m.apply, "a"))
			put(t, db, "k", []byte("1"))
			before := headers(t, path)
			put(t, db, "k", []byte("2"))
			seen := map[string]string{db.Version(): "2"}
			db.current.doubtful = true // as Update says when the fsync fails
			if !kept {
				f, err := os.OpenFile(path, os.O_RDWR, 0)
				must(t, err)
				if _, err := f.WriteAt(before, 0); err != nil {
					t.Fatal(err)
				}
				f.Close()
			}
			if err := db.Problem(); err != nil { // it opens the file again
				t.Fatal(err)
			}
			if want := map[bool]string{false: "1", true: "2"}[kept]; m.loads != 2 || m.records["k"] != want {
				t.Errorf("got %v after %d loads, want %q after 2", m.records, m.loads, want)
			}
			m.want(t, db)
			for _, value := range []string{m.records["k"], "3"} {
				if value == "3" {
					put(t, db, "k", []byte(value))
				}
				if was, ok := seen[db.Version()]; ok && was != value {
					t.Errorf("%q and %q have the same version %q", was, value, db.Version())
				}
				seen[db.Version()] = value
			}
			m.want(t, db)
		})
	}
}

// The version is the same after a restart if the history is, and another if it has none.
func TestVersion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	seen := map[string]bool{}
	for _, history := range []string{"one", "one", "two", "", ""} {
		db := opened(t, path)
		db.SetHistory(history)
		seen[db.Version()] = true
		must(t, db.Close())
	}
	if len(seen) != 4 {
		t.Errorf("got the versions %v, want 4", seen)
	}
}

type numbered struct{ N int }

// oddNumbers keeps odd numbers, and their sum as an index.
func oddNumbers() (c *Collection[numbered], total *int) {
	sum := 0 // an index
	c = NewCollection("a", func(key string, value []byte) (*numbered, error) {
		n := &numbered{}
		if err := json.Unmarshal(value, n); err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		if n.N%2 == 0 { // not kept
			return nil, nil
		}
		return n, nil
	}, func(before, now *numbered) {
		if before != nil {
			sum -= before.N
		}
		if now != nil {
			sum += now.N
		}
	})
	return c, &sum
}

func TestCollection(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	db := opened(t, path)
	put(t, db, "odd", []byte(`{"N":3}`))
	put(t, db, "text", []byte(`three`))
	var mu sync.Mutex
	c, sum := oddNumbers()
	must(t, Keep(db, &mu, c))
	want := func(when string, lost int, all map[string]int) {
		t.Helper()
		got, total := map[string]int{}, 0
		for key, n := range c.All() {
			got[key] = n.N
		}
		for _, n := range all {
			total += n
		}
		if !maps.Equal(got, all) || *sum != total || len(c.Lost()) != lost || len(c.Problems()) != lost {
			t.Errorf("%s: got %v, a sum of %d, lost %v; want %v, %d lost", when, got, *sum, c.Lost(), all, lost)
		}
	}
	want("at first", 1, map[string]int{"odd": 3})
	if p := c.Problems(); !strings.HasPrefix(p[0].Error(), "text: ") {
		t.Errorf("got the problem %v, want that of text", p[0])
	}
	change := func(f func(tx *Tx) error) {
		t.Helper()
		must(t, db.Update(f))
	}
	change(func(tx *Tx) error {
		err := errors.Join(c.Put(tx, "more", numbered{5}), c.Put(tx, "even", numbered{4}),
			c.Put(tx, "odd", numbered{7}))
		if c.Get("more") != nil || c.Get("odd").N != 3 {
			t.Error("memory changed before the commit")
		}
		return err
	})
	want("after a change", 1, map[string]int{"odd": 7, "more": 5})
	change(func(tx *Tx) error {
		return errors.Join(c.Put(tx, "odd", numbered{8}), c.Delete(tx, "more"), c.Delete(tx, "text"),
			c.Delete(tx, "none"))
	})
	want("without them", 0, map[string]int{})
	change(func(tx *Tx) error {
		return errors.Join(c.Put(tx, "odd", numbered{1}), c.Put(tx, "last", numbered{9}))
	})
	db.current.doubtful = true
	change(func(tx *Tx) error { return c.Delete(tx, "last") })
	want("opened again", 0, map[string]int{"odd": 1})
	must(t, db.View(func(tx *Tx) error { return Load(tx, c) }))
	want("loaded once more", 0, map[string]int{"odd": 1})
}
