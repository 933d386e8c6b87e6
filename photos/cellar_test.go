package photos

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"relais/internal/folder"
	"relais/internal/store/logtest"
)

// A cellar is blobs in memory, with what is pending.
type cellar struct {
	mu      sync.Mutex
	all     map[string][]byte
	pending map[string]bool
}

// A shelf is the cellar as one node has it: with copies, and a fault.
type shelf struct {
	*cellar
	copies map[string][]byte
	before func(step string) error // may be nil
}

func (b *shelf) step(what string) error {
	if b.before == nil {
		return nil
	}
	return b.before(what)
}

func (b *shelf) Put(_ context.Context, name string, body io.ReadSeeker, size int64) error {
	if err := b.step("put " + name[strings.LastIndex(name, "/")+1:]); err != nil {
		return err
	}
	text, err := io.ReadAll(body)
	if err != nil || int64(len(text)) != size {
		return fmt.Errorf("%d bytes, %v, want %d", len(text), err, size)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all[name], b.pending[name] = text, true
	return nil
}

func (b *shelf) Get(_ context.Context, name string) (io.ReadCloser, error) {
	if err := b.step("get"); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	text, ok := b.copies[name]
	if ok {
		return io.NopCloser(bytes.NewReader(text)), nil
	}
	if text, ok = b.all[name]; !ok {
		return nil, fs.ErrNotExist
	}
	return copying{bytes.NewReader(bytes.Clone(text)), func() error {
		if err := b.step("got"); err != nil {
			return err
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		b.copies[name] = text
		return nil
	}}, nil
}

// A copying reads a blob, and keeps a copy when it is closed.
type copying struct {
	io.Reader
	close func() error
}

func (c copying) Close() error { return c.close() }

func (b *shelf) Pend(_ context.Context, names ...string) error {
	if err := b.step("pend"); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, name := range names {
		b.pending[name] = true
	}
	return nil
}

func (b *shelf) Delete(_ context.Context, names ...string) error {
	if err := b.step("delete"); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, name := range names {
		delete(b.all, name)
		delete(b.pending, name)
		delete(b.copies, name)
	}
	return nil
}

func (b *shelf) Evict(names ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, name := range names {
		delete(b.copies, name)
	}
}

// A node is photos that share a log and a cellar with other nodes.
type node struct {
	*Store
	shelf *shelf
	clock *clock
}

// nodes returns nodes without photos.
func nodes(t *testing.T, n int) (list []node, log *logtest.Log) {
	t.Helper()
	log, c := logtest.New(), &cellar{all: map[string][]byte{}, pending: map[string]bool{}}
	for range n {
		time := &clock{at: noon}
		s, _ := opened(t, folder.Dir(t.TempDir()), time.now)
		b := &shelf{cellar: c, copies: map[string][]byte{}}
		must(t, s.UseBlobs(b))
		must(t, s.db.Share(t.Context(), log))
		list = append(list, node{s, b, time})
	}
	return list, log
}

// pull brings a node to the state of the log, as following does.
func (n *node) pull(t *testing.T) {
	t.Helper()
	must(t, n.db.Pull(t.Context()))
}

// sweep deletes what is pending and unused, as the keeper of the cluster does.
func (n *node) sweep(t *testing.T) {
	t.Helper()
	names := slices.Sorted(maps.Keys(n.shelf.pending))
	unused, err := n.Unused(t.Context(), names)
	must(t, err)
	must(t, n.shelf.Delete(t.Context(), unused...))
	clear(n.shelf.pending)
}

// wantBlobs fails unless there are the blobs of just these photos.
func wantBlobs(t *testing.T, c *cellar, ids ...string) {
	t.Helper()
	var want []string
	for _, id := range ids {
		want = append(want, "photo/"+id+"/main", "photo/"+id+"/og", "photo/"+id+"/thumb")
	}
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(c.all)); !slices.Equal(got, want) {
		t.Errorf("blobs = %q, want %q", got, want)
	}
}
