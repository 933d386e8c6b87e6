package cluster

import (
	"container/list"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"relais/internal/folder"
)

// A Cache is Blobs that this node keeps as files of a folder, those that were read last. The files
// are verified whenever they are opened. The folder needs no backup and may be emptied while
// no server runs.
type Cache struct {
	Blobs
	dir  string
	most int64
	log  *slog.Logger

	mu      sync.Mutex
	files   map[string]*list.Element // of cached, by file name
	order   *list.List               // the last used first
	size    int64                    // of the files, and of those that are being written
	flights map[string]*flight       // by file name
	full    time.Time                // until then the disk counts as full
}

// cached is a file of the cache.
type cached struct {
	file string
	size int64
	used time.Time // as the file's time says, to an hour
}

const (
	stampEvery = time.Hour   // how old a file's time may be while it is used
	fullFor    = time.Minute // how long nothing is cached after the disk was full
)

// NewCache opens the cache of blobs in a folder, which is made. Its files have at most so many
// bytes together.
func NewCache(b Blobs, dir string, most int64, log *slog.Logger) (*Cache, error) {
	c := &Cache{Blobs: b, dir: dir, most: most, log: log, files: map[string]*list.Element{}, order: list.New(),
		flights: map[string]*flight{}}
	if err := folder.MakePrivateDir(dir); err != nil {
		return nil, err
	}
	if err := folder.SweepTemporary(dir); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var found []cached
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && isCacheFile(e.Name()) && info.Mode().IsRegular() {
			found = append(found, cached{e.Name(), info.Size(), info.ModTime()})
		}
	}
	slices.SortFunc(found, func(a, b cached) int { return a.used.Compare(b.used) })
	for _, f := range found {
		c.files[f.file] = c.order.PushFront(&f)
		c.size += f.size
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shrink()
	return c, nil
}

// cacheFile names the file of a blob. No name leads out of the folder.
func cacheFile(name string) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:])
}

// isCacheFile reports whether cacheFile could have made a name.
func isCacheFile(file string) bool {
	raw, err := hex.DecodeString(file)
	return err == nil && len(raw) == sha256.Size && hex.EncodeToString(raw) == file
}

// Size is how many bytes the files have.
func (c *Cache) Size() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.size
}

// Get opens a blob. One that was cached can be read from anywhere in it: it is an io.ReadSeeker.
func (c *Cache) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	file := cacheFile(name)
	if r, err := c.open(file, name); err == nil {
		return r, nil
	}
	err := c.fetch(ctx, file, name)
	if err == nil {
		var r io.ReadCloser
		if r, err = c.open(file, name); err == nil {
			return r, nil
		}
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	var read *readError
	if errors.As(err, &read) {
		return nil, read.error
	}
	return c.Blobs.Get(ctx, name) // without the cache
}

// open opens a cached file as used now. Errors: fs.ErrNotExist.
func (c *Cache) open(file, name string) (io.ReadCloser, error) {
	c.mu.Lock()
	e := c.files[file]
	if e == nil {
		c.mu.Unlock()
		return nil, fs.ErrNotExist
	}
	c.order.MoveToFront(e)
	entry, now := e.Value.(*cached), time.Now()
	stamp := now.Sub(entry.used) > stampEvery
	if stamp {
		entry.used = now
	}
	c.mu.Unlock()
	path := filepath.Join(c.dir, file)
	if stamp {
		_ = os.Chtimes(path, time.Time{}, now) // it is only less likely to be kept otherwise
	}
	r, err := openCacheFile(path, name)
	if err == nil {
		return r, nil
	}
	if !isMissing(err) {
		c.log.Warn("a cached file is damaged and is fetched again", "file", path, "error", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.files[file] == e { // nobody fetched it again meanwhile
		c.drop(e)
	}
	return nil, fs.ErrNotExist
}

// Delete deletes blobs, and from the cache.
func (c *Cache) Delete(ctx context.Context, names ...string) error {
	c.Evict(names...)
	defer c.Evict(names...) // who began to read before it was deleted may have cached it
	return c.Blobs.Delete(ctx, names...)
}

// Evict removes blobs from the cache at once. They come again if somebody reads them.
func (c *Cache) Evict(names ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, name := range names {
		file := cacheFile(name)
		if f := c.flights[file]; f != nil {
			f.stale = true
			delete(c.flights, file)
		}
		if e := c.files[file]; e != nil {
			c.drop(e)
		}
	}
}

// drop removes a file. c.mu is held.
func (c *Cache) drop(e *list.Element) {
	entry := c.order.Remove(e).(*cached)
	delete(c.files, entry.file)
	c.size -= entry.size
	if err := os.Remove(filepath.Join(c.dir, entry.file)); err != nil && !isMissing(err) {
		c.log.Warn("a cached file cannot be removed", "file", entry.file, "error", err)
	}
}

// shrink removes the files that were not used for longest, until the others fit, and reports
// whether they do. c.mu is held.
func (c *Cache) shrink() bool {
	for c.size > c.most && c.order.Len() > 0 {
		c.drop(c.order.Back())
	}
	return c.size <= c.most
}
