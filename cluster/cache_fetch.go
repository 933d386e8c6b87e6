package cluster

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/cespare/xxhash/v2"
)

// A readError is an error of the blobs. Any other error is one of the cache, without which the blob can be read.
type readError struct{ error }

var (
	errNoRoom = errors.New("the blob does not fit in the cache")
	errFull   = errors.New("the disk of the cache was full a moment ago")
	errCached = errors.New("a cached file is damaged")
)

// fetch writes a blob into its file, unless the disk was full a moment ago, and returns the file's size. Without the
// pause each read would fill the disk again, which other writers need. Errors: readError, those of the cache.
func (c *Cache) fetch(ctx context.Context, file, name string) (int64, error) {
	c.mu.Lock()
	full := time.Now().Before(c.full)
	c.mu.Unlock()
	if full {
		return 0, errFull
	}
	size, err := c.write(ctx, file, name)
	if _, read := errors.AsType[*readError](err); err != nil && !read && !errors.Is(err, errNoRoom) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.full = time.Now().Add(fullFor)
		c.log.Warn("caching a blob failed: blobs are not cached for a minute", "error", err)
	}
	return size, err
}

func (c *Cache) write(ctx context.Context, file, name string) (size int64, err error) {
	from, err := c.Blobs.Get(ctx, name)
	if err != nil {
		return 0, &readError{err}
	}
	defer from.Close()
	to, err := os.CreateTemp(c.dir, "."+file+".tmp-*")
	if err != nil {
		return 0, err
	}
	w := &cacheWriter{c: c, to: to, sum: newCacheSum(name)}
	defer func() {
		if err != nil {
			to.Close()
			os.Remove(to.Name()) // NewCache removes it otherwise
		}
		c.files.Reserve(-w.written) // of a complete file the list counts the size itself
	}()
	if _, err = w.Write(make([]byte, cacheHeader)); err != nil { // room for the header, whose sum is known last
		return 0, err
	}
	w.sum = newCacheSum(name) // without the header
	if _, err = io.Copy(w, readErrors{from}); err != nil {
		return 0, err
	}
	if _, err = to.WriteAt(headerOf(w.written, w.sum), 0); err != nil {
		return 0, err
	}
	if err = to.Close(); err != nil {
		return 0, err
	}
	// Without a sync: a file that a power cut damaged is noticed when it is opened.
	return w.written, os.Rename(to.Name(), filepath.Join(c.dir, file))
}

// readErrors marks errors of the blobs.
type readErrors struct{ io.Reader }

func (r readErrors) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = &readError{err}
	}
	return n, err
}

// A cacheWriter writes a file for which it makes room.
type cacheWriter struct {
	c       *Cache
	to      io.Writer
	sum     *xxhash.Digest
	written int64
}

func (w *cacheWriter) Write(p []byte) (int, error) {
	w.written += int64(len(p))
	if fits := w.c.files.Reserve(int64(len(p))); !fits || w.written > w.c.maxBytes {
		return 0, errNoRoom
	}
	w.sum.Write(p)
	return w.to.Write(p)
}

// A cached file is a header and the blob. The header is a mark, the number of the file's bytes, and
// a sum of the blob and its name: no other blob's file can take its place.
const (
	cacheMark   = "RLB1"
	cacheHeader = len(cacheMark) + 8 + 8
)

func newCacheSum(name string) *xxhash.Digest {
	d := xxhash.New()
	d.WriteString(name + "\x00")
	return d
}

func headerOf(size int64, sum *xxhash.Digest) []byte {
	h := binary.BigEndian.AppendUint64([]byte(cacheMark), uint64(size))
	return binary.BigEndian.AppendUint64(h, sum.Sum64())
}

// A cachedBlob is an open cached file, without its header.
type cachedBlob struct {
	*io.SectionReader
	io.Closer
}

// openCacheFile opens a file and verifies it. Errors: fs.ErrNotExist, errCached.
func openCacheFile(path, name string) (_ io.ReadCloser, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	if info, err := f.Stat(); err == nil && time.Since(info.ModTime()) > stampEvery {
		_ = os.Chtimes(path, time.Time{}, time.Now()) // it is only less likely to be kept otherwise
	}
	header := make([]byte, cacheHeader)
	if _, err := io.ReadFull(f, header); err != nil {
		return nil, fmt.Errorf("%w: %w", errCached, err)
	}
	sum := newCacheSum(name)
	n, err := io.Copy(sum, f)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errCached, err)
	}
	if string(header) != string(headerOf(n+int64(cacheHeader), sum)) {
		return nil, errCached
	}
	return &cachedBlob{io.NewSectionReader(f, int64(cacheHeader), n), f}, nil
}
