package cluster

import (
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

	"relais/internal/cache"
	"relais/internal/folder"
)

// A Cache is Blobs with copies of those that were read last, as files of a folder. The files
// are verified whenever they are opened, so that they need not be synced. The folder needs no backup and may be
// emptied while no server runs.
type Cache struct {
	Blobs
	dir      string
	maxBytes int64
	log      *slog.Logger

	files *cache.Cache[string, int64] // their sizes, by file name
	mu    sync.Mutex
	full  time.Time // the end of the time for which the disk counts as full; guarded by mu
}

const (
	stampEvery = time.Hour   // how old a file's time may be while it is used: not every read writes it
	fullFor    = time.Minute // how long nothing is cached after the disk was full
)

// NewCache opens the cache of blobs in a folder, which is made. Its files have at most maxBytes
// together.
func NewCache(b Blobs, dir string, maxBytes int64, log *slog.Logger) (*Cache, error) {
	c := &Cache{Blobs: b, dir: dir, maxBytes: maxBytes, log: log}
	c.files = cache.New(cache.Options[string, int64]{MaxSize: maxBytes, Size: func(_ string, size int64) int64 { return size },
		Evicted: func(file string, _ int64) { c.removeFile(file) }})
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
	var infos []fs.FileInfo
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && isCacheFile(e.Name()) && info.Mode().IsRegular() {
			infos = append(infos, info)
		}
	}
	// The first that are added are evicted first.
	slices.SortFunc(infos, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, info := range infos {
		c.files.Add(info.Name(), info.Size())
	}
	c.files.Reserve(0) // the last one may be too large as well
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

// Size returns the number of bytes of the files, those that are being written included.
func (c *Cache) Size() int64 {
	_, size := c.files.Usage()
	return size
}

// Get opens a blob. One that was cached can be read from anywhere in it: it is an io.ReadSeeker.
func (c *Cache) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	file := cacheFile(name)
	for range 2 { // a file that is damaged, or evicted before it is open, is fetched again
		_, err := c.files.Make(ctx, file, func(ctx context.Context) (int64, error) { return c.fetch(ctx, file, name) })
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if read, ok := errors.AsType[*readError](err); ok { // asking the blobs again would not help
			return nil, read.error
		}
		if err != nil {
			break
		}
		if r := c.open(file, name); r != nil {
			return r, nil
		}
	}
	return c.Blobs.Get(ctx, name) // without the cache
}

// open opens a cached file and notes that it was used. It returns nil, and forgets the file, if it is missing or
// damaged.
func (c *Cache) open(file, name string) io.ReadCloser {
	path := filepath.Join(c.dir, file)
	r, err := openCacheFile(path, name)
	if err == nil {
		return r
	}
	if !isMissing(err) {
		c.log.Warn("a cached file is damaged and is fetched again", "file", path, "error", err)
	}
	c.files.Remove(file)
	return nil
}

// Delete deletes blobs, also from the cache.
func (c *Cache) Delete(ctx context.Context, names ...string) error {
	c.Evict(names...)
	defer c.Evict(names...) // a Get that began before the blob was deleted may have cached it
	return c.Blobs.Delete(ctx, names...)
}

// Evict removes blobs from the cache at once. They come again if somebody reads them.
func (c *Cache) Evict(names ...string) {
	for _, name := range names {
		c.files.Remove(cacheFile(name))
	}
}

func (c *Cache) removeFile(file string) {
	if err := os.Remove(filepath.Join(c.dir, file)); err != nil && !isMissing(err) {
		c.log.Warn("removing a cached file failed", "file", file, "error", err)
	}
}
