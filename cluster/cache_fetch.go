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

// A flight fetches a blob into the cache for all who want it meanwhile.
type flight struct {
	done    chan struct{}
	err     error
	waiting int
	cancel  context.CancelFunc
	stale   bool // the blob was evicted: what comes is not kept
}

// A readError is one of the blobs, and not of the cache.
type readError struct{ error }

var (
	errNoRoom = errors.New("the blob does not fit in the cache")
	errStale  = errors.New("the blob was evicted from the cache")
	errFull   = errors.New("the disk of the cache was full a moment ago")
	errCached = errors.New("a cached file is damaged")
)

// fetch brings a blob into the cache, or waits until somebody who does is ready. Errors: readError,
// those of the context and of the cache.
func (c *Cache) fetch(ctx context.Context, file, name string) error {
	c.mu.Lock()
	if c.files[file] != nil { // came meanwhile
		c.mu.Unlock()
		return nil
	}
	f := c.flights[file]
	if f == nil {
		if time.Now().Before(c.full) {
			c.mu.Unlock()
			return errFull
		}
		var flying context.Context
		f = &flight{done: make(chan struct{})}
		flying, f.cancel = context.WithCancel(context.WithoutCancel(ctx))
		c.flights[file] = f
		go c.fly(flying, f, file, name)
	}
	f.waiting++
	c.mu.Unlock()
	var err error
	select {
	case <-f.done:
		err = f.err
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if f.waiting--; f.waiting == 0 {
		f.cancel()
		if c.flights[file] == f { // the next caller does not wait for a fetch that was cancelled
			delete(c.flights, file)
		}
	}
	return err
}

// fly fetches a blob for a flight.
func (c *Cache) fly(ctx context.Context, f *flight, file, name string) {
	err := c.write(ctx, f, file, name)
	c.mu.Lock()
	defer c.mu.Unlock()
	var read *readError
	if err != nil && ctx.Err() == nil && !errors.As(err, &read) && !errors.Is(err, errNoRoom) && !errors.Is(err, errStale) {
		c.full = time.Now().Add(fullFor)
		c.log.Warn("blobs are not cached for a minute", "error", err)
	}
	f.err = err
	if c.flights[file] == f {
		delete(c.flights, file)
	}
	close(f.done)
}

// write fetches a blob into its file.
func (c *Cache) write(ctx context.Context, f *flight, file, name string) (err error) {
	from, err := c.Blobs.Get(ctx, name)
	if err != nil {
		return &readError{err}
	}
	defer from.Close()
	to, err := os.CreateTemp(c.dir, "."+file+".tmp-*")
	if err != nil {
		return err
	}
	w := &cacheWriter{c: c, to: to, sum: newCacheSum(name)}
	defer func() {
		if err != nil {
			to.Close()
			os.Remove(to.Name()) // NewCache removes it otherwise
			w.free()
		}
	}()
	if _, err = w.Write(make([]byte, cacheHeader)); err != nil {
		return err
	}
	w.sum = newCacheSum(name) // without the header
	if _, err = io.Copy(w, readErrors{from}); err != nil {
		return err
	}
	if _, err = to.WriteAt(headerOf(w.written, w.sum), 0); err != nil {
		return err
	}
	if err = to.Close(); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if f.stale {
		return errStale
	}
	if err = os.Rename(to.Name(), filepath.Join(c.dir, file)); err != nil {
		return err
	}
	if old := c.files[file]; old != nil { // of a flight that everybody else had left
		c.size -= c.order.Remove(old).(*cached).size
	}
	c.files[file] = c.order.PushFront(&cached{file, w.written, time.Now()})
	return nil
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
	w.c.mu.Lock()
	w.c.size += int64(len(p))
	w.written += int64(len(p))
	fits := w.written <= w.c.most && w.c.shrink()
	w.c.mu.Unlock()
	if !fits {
		return 0, errNoRoom
	}
	w.sum.Write(p)
	return w.to.Write(p)
}

// free gives the room back; w.c.mu is not held.
func (w *cacheWriter) free() {
	w.c.mu.Lock()
	defer w.c.mu.Unlock()
	w.c.size -= w.written
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
