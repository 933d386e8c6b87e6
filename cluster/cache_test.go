//go:build linux

package cluster

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"relais/internal/filetest"
	"relais/internal/store"
)

// memoryBlobs keep blobs in memory and count reads.
type memoryBlobs struct {
	Blobs // nil: nothing else is called
	mu    sync.Mutex
	blobs map[string]string
	gets  int
	wait  chan struct{} // of Get, if not nil
	err   error         // of Get
}

func (m *memoryBlobs) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	m.mu.Lock()
	m.gets++
	body, ok := m.blobs[name]
	wait, err := m.wait, m.err
	m.mu.Unlock()
	if wait != nil {
		select {
		case <-wait:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fs.ErrNotExist
	}
	return io.NopCloser(strings.NewReader(body)), nil
}

func (m *memoryBlobs) Delete(_ context.Context, names ...string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, name := range names {
		delete(m.blobs, name)
	}
	return m.err
}

func (m *memoryBlobs) mustCount(t *testing.T, want int) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.gets != want {
		t.Errorf("%d blobs were fetched, want %d", m.gets, want)
	}
}

func newCache(t testing.TB, b Blobs, dir string, most int64) *Cache {
	t.Helper()
	c, err := NewCache(b, dir, most, slog.New(slog.DiscardHandler))
	must(t, err)
	return c
}

// size is how many bytes the files of a folder have.
func size(t testing.TB, dir string) (n int64) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		info, err := e.Info()
		must(t, err)
		n += info.Size()
	}
	return n
}

func TestCache(t *testing.T) {
	m := &memoryBlobs{blobs: map[string]string{"a": "alpha", "b": "", "../../etc/x": "hostile", "/abs": "too"}}
	above := t.TempDir()
	dir := filepath.Join(above, "cache")
	c := newCache(t, m, dir, 1000)
	for range 3 {
		for name, body := range m.blobs {
			mustHave(t, c, name, []byte(body))
		}
	}
	m.mustCount(t, 4)
	mustHave(t, c, "missing", nil)
	m.mustCount(t, 5)
	if entries, _ := os.ReadDir(above); len(entries) != 1 {
		t.Errorf("got %v above the cache, want it alone", entries)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("got %v, %v, want a private folder", info, err)
	}
	if got := size(t, dir); got != c.Size() || got != 5+7+3+4*int64(cacheHeader) {
		t.Errorf("got %d bytes in files and %d counted", got, c.Size())
	}
	r, err := c.Get(t.Context(), "a")
	must(t, err)
	defer r.Close()
	r.(io.Seeker).Seek(2, io.SeekStart)
	if got, err := io.ReadAll(r); string(got) != "pha" || err != nil {
		t.Errorf("got %q, %v after Seek, want pha", got, err)
	}
	// Another process goes on with it, and removes what one that was killed left.
	left := filepath.Join(dir, "."+cacheFile("a")+".tmp-1")
	other := filepath.Join(dir, "README")
	for _, path := range []string{left, other} {
		filetest.Write(t, path, "half")
	}
	again := newCache(t, m, dir, 1000)
	for name, body := range m.blobs {
		mustHave(t, again, name, []byte(body))
	}
	m.mustCount(t, 5)
	if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want no temporary file", err)
	}
	if _, err := os.Stat(other); err != nil {
		t.Error(err)
	}
}

// The files that were not used for longest go first, also in another process.
func TestCacheBound(t *testing.T) {
	body := strings.Repeat("x", 100-cacheHeader)
	m := &memoryBlobs{blobs: map[string]string{"a": body, "b": body, "c": body, "d": body, "large": strings.Repeat("x", 500)}}
	dir := t.TempDir()
	c := newCache(t, m, dir, 300)
	for _, name := range []string{"a", "b", "c", "a", "d"} {
		mustHave(t, c, name, []byte(body))
	}
	m.mustCount(t, 4)
	mustHave(t, c, "a", []byte(body))
	m.mustCount(t, 4)
	mustHave(t, c, "b", []byte(body))
	m.mustCount(t, 5)
	if got := size(t, dir); got != 300 || c.Size() != 300 {
		t.Errorf("got %d bytes and %d counted, want 300", got, c.Size())
	}
	mustHave(t, c, "large", []byte(m.blobs["large"]))
	if got := size(t, dir); got > 300 || got != c.Size() {
		t.Errorf("got %d bytes and %d counted after a large one, want at most 300", got, c.Size())
	}
	for _, name := range []string{"a", "b", "c"} {
		mustHave(t, c, name, []byte(body))
	}
	now := time.Now()
	for i, name := range []string{"c", "a", "b"} {
		must(t, os.Chtimes(filepath.Join(dir, cacheFile(name)), now, now.Add(time.Duration(i-5)*time.Hour)))
	}
	c = newCache(t, m, dir, 300)
	mustHave(t, c, "a", []byte(body)) // which is stamped: it was used hours ago
	c = newCache(t, m, dir, 100)
	m.gets = 0
	mustHave(t, c, "a", []byte(body))
	m.mustCount(t, 0)
	if got := size(t, dir); got != 100 {
		t.Errorf("got %d bytes after the bound was lowered, want 100", got)
	}
}

func TestDamagedCache(t *testing.T) {
	file, other := cacheFile("a"), cacheFile("b")
	for name, damage := range map[string]func(dir string) error{
		"truncated": func(dir string) error { return os.Truncate(filepath.Join(dir, file), int64(cacheHeader)+2) },
		"no header": func(dir string) error { return os.Truncate(filepath.Join(dir, file), 3) },
		"empty":     func(dir string) error { return os.Truncate(filepath.Join(dir, file), 0) },
		"removed":   func(dir string) error { return os.Remove(filepath.Join(dir, file)) },
		"of another": func(dir string) error {
			return os.Rename(filepath.Join(dir, other), filepath.Join(dir, file))
		},
		"folder": func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, file)), os.Mkdir(filepath.Join(dir, file), 0o700))
		},
		"changed": func(dir string) error {
			b, err := os.ReadFile(filepath.Join(dir, file))
			b[len(b)-1] ^= 1
			return errors.Join(err, os.WriteFile(filepath.Join(dir, file), b, 0o600))
		},
		"longer": func(dir string) error {
			b, err := os.ReadFile(filepath.Join(dir, file))
			return errors.Join(err, os.WriteFile(filepath.Join(dir, file), append(b, 0), 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := &memoryBlobs{blobs: map[string]string{"a": "alpha", "b": "alphb"}}
			dir := t.TempDir()
			c := newCache(t, m, dir, 1000)
			mustHave(t, c, "a", []byte("alpha"))
			mustHave(t, c, "b", []byte("alphb"))
			must(t, damage(dir))
			mustHave(t, c, "a", []byte("alpha"))
			m.mustCount(t, 3)
			mustHave(t, c, "a", []byte("alpha"))
			m.mustCount(t, 3)
		})
	}
}

// Those who want the same blob at once fetch it once, and it is kept when all of them gave up.
func TestCacheMisses(t *testing.T) {
	m := &memoryBlobs{blobs: map[string]string{"a": "alpha"}, wait: make(chan struct{})}
	c := newCache(t, m, t.TempDir(), 1000)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	for range 20 {
		running.Go(func() {
			if _, err := c.Get(ctx, "a"); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want context.Canceled", err)
			}
		})
	}
	for fetching := false; !fetching; time.Sleep(time.Millisecond) {
		m.mu.Lock()
		fetching = m.gets == 1
		m.mu.Unlock()
	}
	cancel()
	close(m.wait)
	running.Wait()
	mustHave(t, c, "a", []byte("alpha"))
	m.mustCount(t, 1)
}

func TestEvict(t *testing.T) {
	m := &memoryBlobs{blobs: map[string]string{"a": "alpha", "b": "beta"}}
	dir := t.TempDir()
	c := newCache(t, m, dir, 1000)
	mustHave(t, c, "a", []byte("alpha"))
	mustHave(t, c, "b", []byte("beta"))
	c.Evict("a", "missing")
	if got, want := size(t, dir), int64(4+cacheHeader); got != want || c.Size() != want {
		t.Errorf("got %d bytes and %d counted, want %d", got, c.Size(), want)
	}
	if err := c.Delete(t.Context(), "b"); err != nil {
		t.Error(err)
	}
	mustHave(t, c, "b", nil)
	// What was being fetched when it was deleted is not kept.
	m.mu.Lock()
	m.wait = make(chan struct{})
	m.mu.Unlock()
	var running sync.WaitGroup
	running.Go(func() { mustHave(t, c, "a", nil) })
	for fetching := false; !fetching; time.Sleep(time.Millisecond) {
		m.mu.Lock()
		fetching = m.gets == 4
		m.mu.Unlock()
	}
	m.err = store.ErrAway
	if err := c.Delete(t.Context(), "a"); !errors.Is(err, store.ErrAway) {
		t.Errorf("got %v, want the error of the blobs", err)
	}
	m.err = nil
	close(m.wait)
	running.Wait()
	if got := size(t, dir); got != 0 || c.Size() != 0 {
		t.Errorf("got %d bytes and %d counted, want none", got, c.Size())
	}
}

func TestCacheErrors(t *testing.T) {
	dir := t.TempDir()
	m := &memoryBlobs{blobs: map[string]string{"a": "alpha"}, err: store.ErrAway}
	c := newCache(t, m, dir, 1000)
	if _, err := c.Get(t.Context(), "a"); !errors.Is(err, store.ErrAway) {
		t.Errorf("got %v, want that of the blobs", err)
	}
	m.mustCount(t, 1)
	m.err = nil
	mustHave(t, c, "a", []byte("alpha"))
	m.err = store.ErrAway // what is cached is served even so
	mustHave(t, c, "a", []byte("alpha"))
	m.err = nil
	must(t, os.RemoveAll(dir))
	for range 3 {
		mustHave(t, c, "a", []byte("alpha")) // without a cache
	}
	if c.Size() != 0 {
		t.Errorf("got %d bytes counted, want none", c.Size())
	}
}

// A full disk is served around.
func TestCacheFull(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skip("needs a small file system: ", err)
	}
	defer syscall.Unmount(dir, 0)
	body := bytes.Repeat([]byte("x"), 40<<10)
	m := &memoryBlobs{blobs: map[string]string{"a": string(body), "b": string(body)}}
	c := newCache(t, m, dir, 1<<20)
	mustHave(t, c, "a", body)
	mustHave(t, c, "b", body)
	m.mustCount(t, 3) // the second one twice: into the cache, and without it
	mustHave(t, c, "b", body)
	m.mustCount(t, 4)
	mustHave(t, c, "a", body)
	m.mustCount(t, 4)
	if got := size(t, dir); got != c.Size() {
		t.Errorf("got %d bytes and %d counted", got, c.Size())
	}
}
