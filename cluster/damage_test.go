//go:build linux

package cluster

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"relais/cluster/pgtest"
	"relais/internal/outputtest"
	"relais/internal/store"
	"relais/internal/store/logtest"
	"relais/internal/store/storetest"
)

// A pair is a node with two stores and its log.
type pair struct {
	member
	replicas *Replicas
	other    *store.DB
	log      outputtest.Buffer
	followed func() string // what a follower of the first store has of the record k
	end      func()
}

// startPair opens the two stores of a folder as those of a node, which follows until end.
func startPair(t *testing.T, url, name, dir string) *pair {
	t.Helper()
	p := &pair{}
	e, err := Connect(t.Context(), url, name, slog.New(slog.NewTextHandler(&p.log, nil)))
	must(t, err)
	open := func(file string) *store.DB {
		db := storetest.Open(t, filepath.Join(dir, file), logtest.Buckets...)
		return db
	}
	p.member, p.other, p.replicas = member{e, open("clients.db")}, open("community.db"), e.Replicas()
	for name, db := range map[string]*store.DB{"clients": p.db, "community": p.other} {
		must(t, p.replicas.Add(t.Context(), name, db))
	}
	var mu sync.Mutex
	var value []byte
	set := func(v []byte) {
		mu.Lock()
		defer mu.Unlock()
		value = v
	}
	err = p.db.Follow(func(tx *store.Tx) error {
		set(bytes.Clone(tx.Value("a", []byte("k"))))
		return nil
	}, func(changes []store.Change) {
		for _, c := range changes {
			if string(c.Key) == "k" {
				set(c.Value)
			}
		}
	}, "a")
	must(t, err)
	p.followed = func() string {
		mu.Lock()
		defer mu.Unlock()
		return string(value)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { p.replicas.Run(ctx) })
	p.end = sync.OnceFunc(func() {
		cancel()
		running.Wait()
		e.Close()
		p.db.Close()
		p.other.Close()
	})
	t.Cleanup(p.end)
	return p
}

// put writes the record k of a store.
func put(db *store.DB, value string) error {
	return db.Update(func(tx *store.Tx) error { return tx.Bucket([]byte("a")).Put([]byte("k"), []byte(value)) })
}

// waitUntil waits at most a minute.
func waitUntil(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("after a minute: want that %s", what)
		}
	}
}

// nonce is that of the commits of these tests.
const nonce = "sixteen bytes it"

// addChange prepares the commit of another node, out of sight.
func addChange(server *pgtest.Server, nonce string, body []byte) {
	server.Query("postgres", fmt.Sprintf(`INSERT INTO relais.change SELECT 'evil', seq + 1, '\x%x', 'evil', now(), format,
		'\x%x' FROM relais.store WHERE name = 'clients'`, nonce, body))
}

// commit makes the commit that was prepared, and puts the record k of a bucket, as it says if it can be read.
func commit(server *pgtest.Server, bucket, value string) {
	server.Query("postgres", fmt.Sprintf(`BEGIN;
		UPDATE relais.store SET seq = seq + 1, nonce = '\x%x' WHERE name = 'clients';
		UPDATE relais.change SET store = 'clients' WHERE store = 'evil';
		INSERT INTO relais.item VALUES ('clients', '\x%x', 'k', '\x%x')
			ON CONFLICT (store, path, key) DO UPDATE SET value = excluded.value; COMMIT`, nonce,
		pathOf([][]byte{[]byte(bucket)}), value))
}

// losePages empties the pages that have the long values of a table, as a disk may.
func losePages(t *testing.T, server *pgtest.Server, table string) {
	t.Helper()
	server.Query("postgres", "CHECKPOINT")
	path := server.Query("postgres", fmt.Sprintf(`SELECT current_setting('data_directory') || '/' ||
		pg_relation_filepath(reltoastrelid) FROM pg_class WHERE oid = '%s'::regclass`, table))
	server.Stop()
	info, err := os.Stat(path)
	if err != nil || info.Size() == 0 {
		t.Fatalf("the long values of %s: %v, want a file that has some", table, err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err == nil {
		_, err = f.Write(make([]byte, info.Size()))
		err = errors.Join(err, f.Close())
	}
	must(t, err)
	server.Restart()
}

// A commit that no node can read is made good from what the database has of the store: every node has
// it, says so once, and stays ready meanwhile.
func TestUnreadableCommit(t *testing.T) {
	server := newCluster(t)
	url := server.URL("postgres")
	dir := t.TempDir()
	startPair(t, url, "late", dir).end() // it meets each of the commits when it starts again
	nodes := []*pair{startPair(t, url, "one", t.TempDir()), startPair(t, url, "two", t.TempDir())}
	long := encode([]store.Op{{Kind: store.OpPut, Path: [][]byte{[]byte("a")}, Key: []byte("k"), Value: randomBytes(9000)}})
	for i, tt := range []struct {
		name    string
		prepare func()
		why     string // in the log
		check   string // what relais cluster check says; "" for nothing
	}{
		{"not compressed", func() { addChange(server, nonce, []byte{0xff, 0xff, 0xff, 0xff}) }, "magic number mismatch",
			"magic number mismatch"},
		{"a flipped bit", func() { addChange(server, nonce, flipped(long)) }, "CRC check failed", "CRC check failed"},
		{"cut off", func() { addChange(server, nonce, compressor().EncodeAll([]byte{1, 200}, nil)) }, "cannot be read",
			"cannot be read"},
		{"no row", func() {}, "it is missing", ""},
		{"another nonce", func() { addChange(server, "another sixteen.", encode(nil)) }, "its nonce", ""},
		{"lost pages", func() {
			addChange(server, nonce, long)
			losePages(t, server, "relais.change")
		}, "missing chunk", "missing chunk"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := fmt.Sprint("v", i)
			var before []int
			var rewound []int64
			for _, n := range nodes {
				before = append(before, strings.Count(n.log.String(), "is copied from the cluster again"))
				rewound = append(rewound, n.db.Rebuilt())
			}
			tt.prepare()
			commit(server, "a", want)
			for j, n := range nodes {
				waitUntil(t, n.node+" has the commit", func() bool {
					if h := n.replicas.Health(time.Minute); h.NotReady != "" {
						t.Fatalf("%s is not ready: %s", n.node, h.NotReady)
					}
					return n.followed() == want && strings.Count(n.log.String(), "it has everything") == before[j]+1
				})
				log := n.log.String()
				if got := strings.Count(log, "is copied from the cluster again"); got != before[j]+1 ||
					!strings.Contains(log, tt.why) {
					t.Errorf("%s: got %d lines about copies, want %d and the reason %q:\n%s", n.node, got, before[j]+1, tt.why,
						log)
				}
				if n.db.Rebuilt() != rewound[j] {
					t.Errorf("%s: the database is said to be rewound", n.node)
				}
			}
			c, err := nodes[0].Compare(t.Context(), "clients", nodes[0].db)
			if err != nil || len(c.Differences) > 0 || !strings.Contains(strings.Join(c.Damage, "\n"), tt.check) {
				t.Errorf("check: got %+v, %v; want %q named", c, err, tt.check)
			}
			again := startPair(t, url, "late", dir)
			defer again.end()
			if again.followed() != want {
				t.Errorf("a node that starts again has %q, want %q", again.followed(), want)
			}
			for j, n := range []*pair{nodes[1], nodes[0]} { // and the store can be written
				want := fmt.Sprint("own ", i, j)
				waitUntil(t, n.node+" can write", func() bool {
					err := put(n.db, want)
					if err != nil && !errors.Is(err, store.ErrAway) && !errors.Is(err, store.ErrRewound) {
						t.Fatal(err)
					}
					return err == nil
				})
				for _, n := range nodes {
					waitUntil(t, n.node+" has what came later", func() bool { return n.followed() == want })
				}
			}
			server.Query("postgres", `DELETE FROM relais.change WHERE node = 'evil'`)
		})
	}
	mustEqual(t, url, &nodes[0].member, &nodes[1].member)
}

func flipped(b []byte) []byte {
	b = bytes.Clone(b)
	b[len(b)/2] ^= 1
	return b
}

// While the content of a store cannot be read either, what needs the store is refused and everything else
// goes on. When it is mended, the nodes have all of it.
func TestUnreadableStore(t *testing.T) {
	server := newCluster(t)
	url := server.URL("postgres")
	dir := t.TempDir()
	n := startPair(t, url, "one", dir)
	must(t, put(n.db, "first"))
	const mended = `UPDATE relais.item SET path = '\x000161' WHERE path = '\xffff61'`
	addChange(server, nonce, []byte{0xff})
	commit(server, "a", "second")
	waitUntil(t, "it has the commit", func() bool { return n.followed() == "second" })
	server.Query("postgres", `UPDATE relais.item SET path = '\xffff61' WHERE path = '\x000161'`)
	addChange(server, nonce, []byte{0xff})
	commit(server, "b", "third")
	waitUntil(t, "the store is refused", func() bool { return n.replicas.Refused("clients") != nil })
	if h := n.replicas.Health(time.Minute); h.NotReady != "" || h.State != "following" {
		t.Errorf("health: got %+v, want a node that is ready", h)
	}
	if err := n.replicas.Refused("community"); err != nil {
		t.Errorf("the other store is refused: %v", err)
	}
	if text := strings.Join(n.replicas.Warnings(), "\n"); !strings.Contains(text, "store clients") {
		t.Errorf("warnings = %q, want one about clients", text)
	}
	c, err := n.Compare(t.Context(), "clients", n.db)
	if err != nil || len(c.Damage) < 2 || !strings.Contains(c.Damage[0], "table item") {
		t.Errorf("check: got %+v, %v; want the table and a commit named", c, err)
	}
	if err := put(n.db, "own"); !errors.Is(err, store.ErrRewound) && !errors.Is(err, store.ErrAway) {
		t.Errorf("a change: got %v, want that it is refused for now", err)
	}
	if err := put(n.other, "own"); err != nil {
		t.Errorf("a change of the other store: %v", err)
	}
	empty := startPair(t, url, "two", t.TempDir())
	if empty.replicas.Refused("clients") == nil {
		t.Error("a new node serves the store as if it were empty")
	}
	n.end()
	n = startPair(t, url, "one", dir)
	if n.followed() != "second" {
		t.Errorf("a node that starts again has %q, want what it had", n.followed())
	}
	if n.replicas.Refused("clients") == nil {
		t.Error("a node that starts again serves the store, which may be old")
	}
	server.Query("postgres", mended)
	for _, n := range []*pair{n, empty} {
		waitUntil(t, n.node+" has everything", func() bool {
			return n.replicas.Refused("clients") == nil && strings.Count(n.log.String(), "it has everything") == 1
		})
		if n.followed() != "second" || !n.has("b", "k", "third") {
			t.Errorf("%s has %q", n.node, n.followed())
		}
	}
	if err := put(n.db, "own"); err != nil {
		t.Error(err)
	}
	mustEqual(t, url, &n.member, &empty.member)
}

// has reports whether the first store has a record.
func (p *pair) has(bucket, key, value string) (ok bool) {
	_ = p.db.View(func(tx *store.Tx) error {
		ok = string(tx.Value(bucket, []byte(key))) == value
		return nil
	})
	return ok
}

// randomBytes cannot be compressed.
func randomBytes(n int) (b []byte) {
	for i := uint64(1); len(b) < n; i++ {
		b = binary.BigEndian.AppendUint64(b, i*0x9e3779b97f4a7c15^i<<40)
	}
	return b
}
