package httpapi

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"syscall"
)

// Bounds of the spool.
const (
	spoolBytes   = 2 << 30  // of all files
	spoolFiles   = 200      // at a time
	spoolReserve = 1 << 30  // bytes that stay free on the disk
	spoolStep    = 16 << 20 // bytes written between two checks of the disk
)

// errNoSpool says that an answer cannot be kept and must be made for each client.
var errNoSpool = errors.New("the answer cannot be kept in a file")

// spool keeps large answers that many clients ask for. Their files are unlinked, so that
// they do not outlive the process. The least recently used ones make room for others.
type spool struct {
	dir   string // "" for none
	most  int64  // bytes of all files
	files int
	free  func(dir string) (int64, error) // bytes of the disk

	mu       sync.Mutex
	entries  map[cacheKey]*spooled
	bytes    int64
	uses     int64
	building map[string]chan struct{} // by client; full while it makes an answer
}

func newSpool(dir string) *spool {
	return &spool{dir: dir, most: spoolBytes, files: spoolFiles, free: freeBytes, entries: map[cacheKey]*spooled{},
		building: map[string]chan struct{}{}}
}

func freeBytes(dir string) (int64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return int64(s.Bavail) * int64(s.Bsize), nil
}

// A spooled is the beginning of an answer, as of a packed, in a file.
type spooled struct {
	packed
	contentType string
	key         cacheKey
	file        *os.File
	size        int64
	made        chan struct{} // closed when the answer is made, or err is set
	err         error
	making      context.Context // ends when no client waits for the answer any more
	cancel      context.CancelFunc

	// Guarded by the spool.
	readers int      // clients that read or make the answer
	used    int64    // value of uses at the last request
	waiting []string // clients that wait for the answer, in the order of their requests
}

// A maker writes an answer to w, in turns of the clients that wait for it.
type maker func(ctx context.Context, who func() []string, w io.Writer) (p packed, contentType string, err error)

// get returns the answer of a key, once it is made: by make, or by an earlier request. It
// must be released. If its own client goes away, make goes on for the others. Errors:
// errNoSpool, the context's and those of make.
func (s *spool) get(ctx context.Context, key cacheKey, client string, make maker) (*spooled, error) {
	if s.dir == "" {
		return nil, errNoSpool
	}
	for {
		e, first := s.find(ctx, key, client), false
		if e == nil {
			var err error
			if e, first, err = s.build(ctx, key, client, make); err != nil {
				return nil, err
			}
		}
		select {
		case <-e.made:
		case <-ctx.Done():
			s.release(e)
			return nil, ctx.Err()
		}
		if e.err == nil {
			return e, nil
		}
		s.release(e)
		if first || !errors.Is(e.err, context.Canceled) {
			return nil, e.err
		} // else all clients that waited are gone: try again
	}
}

// build returns the entry of a key, and makes it if it is missing; first reports that. A
// client makes one answer at a time, because that may take tens of megabytes; other clients
// may make those that it has not begun. Its error is the context's.
func (s *spool) build(ctx context.Context, key cacheKey, client string, make maker) (
	e *spooled, first bool, err error,
) {
	done, err := s.acquireClient(ctx, client)
	if err != nil {
		return nil, false, err
	}
	defer done()
	if e, first = s.findOrAdd(ctx, key, client); first {
		defer close(e.made)
		defer s.removeFailed(e)
		e.err = errNoSpool // when make panics
		e.err = s.fill(e, make)
	}
	return e, first, nil
}

// find returns the entry of a key for a client, nil if it is missing.
func (s *spool) find(ctx context.Context, key cacheKey, client string) *spooled {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.entries[key]
	if e != nil {
		s.addReader(ctx, e, client)
	}
	return e
}

// findOrAdd returns the entry of a key for a client. If it was missing, first is set and
// the caller must make it.
func (s *spool) findOrAdd(ctx context.Context, key cacheKey, client string) (e *spooled, first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e = s.entries[key]
	if first = e == nil; first {
		e = &spooled{key: key, made: make(chan struct{})}
		e.making, e.cancel = context.WithCancel(context.WithoutCancel(ctx))
		s.entries[key] = e
	}
	s.addReader(ctx, e, client)
	return e, first
}

// addReader makes a client wait for an entry as long as its context lasts. The caller
// holds mu.
func (s *spool) addReader(ctx context.Context, e *spooled, client string) {
	s.uses++
	e.readers++
	e.used = s.uses
	select {
	case <-e.made:
		return
	default:
	}
	e.waiting = append(e.waiting, client)
	context.AfterFunc(ctx, func() { s.stopWaiting(e, client) })
}

// stopWaiting removes a client that has gone away from those that wait for an entry.
func (s *spool) stopWaiting(e *spooled, client string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(e.waiting, client); i >= 0 {
		e.waiting = slices.Delete(e.waiting, i, i+1)
	}
	if len(e.waiting) == 0 {
		e.cancel()
	}
}

// waitingClients returns the clients that wait for an entry.
func (s *spool) waitingClients(e *spooled) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(e.waiting)
}

// removeFailed removes an entry that could not be made.
func (s *spool) removeFailed(e *spooled) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.err != nil {
		s.remove(e)
	}
}

func (s *spool) remove(e *spooled) {
	delete(s.entries, e.key)
	s.bytes -= e.size
	e.size = 0
	if e.file != nil {
		e.file.Close() // frees its space
	}
}

func (s *spool) release(e *spooled) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.readers--
}

// fill makes the answer of an entry.
func (s *spool) fill(e *spooled, make maker) (err error) {
	if e.file, err = os.CreateTemp(s.dir, ".spool.tmp-*"); err != nil {
		return fmt.Errorf("%w: %w", errNoSpool, err)
	}
	if err := os.Remove(e.file.Name()); err != nil {
		return fmt.Errorf("%w: %w", errNoSpool, err)
	}
	w := bufio.NewWriterSize(&spoolWriter{s, e, 0}, 64<<10)
	if e.packed, e.contentType, err = make(e.making, func() []string { return s.waitingClients(e) }, w); err != nil {
		return err
	}
	return w.Flush()
}

// acquireClient waits until a client makes no other answer. Its error is the context's.
func (s *spool) acquireClient(ctx context.Context, client string) (done func(), err error) {
	s.mu.Lock()
	place := s.building[client]
	if place == nil {
		place = make(chan struct{}, 1)
		s.building[client] = place
	}
	s.mu.Unlock()
	select {
	case place <- struct{}{}:
		return func() { <-place }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// reserve counts n more bytes of an entry, and removes others if it must.
func (s *spool) reserve(e *spooled, n int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.bytes+int64(n) > s.most || len(s.entries) > s.files {
		var oldest *spooled
		for _, other := range s.entries {
			if other.readers == 0 && (oldest == nil || other.used < oldest.used) {
				oldest = other
			}
		}
		if oldest == nil {
			return fmt.Errorf("%w: other answers that are in use take %d bytes", errNoSpool, s.bytes-e.size)
		}
		s.remove(oldest)
	}
	s.bytes += int64(n)
	e.size += int64(n)
	return nil
}

// A spoolWriter writes the file of an entry.
type spoolWriter struct {
	spool   *spool
	entry   *spooled
	checked int64 // bytes for which the disk is known to have room
}

// Write implements io.Writer.
func (w *spoolWriter) Write(p []byte) (int, error) {
	if w.entry.size+int64(len(p)) > w.checked {
		free, err := w.spool.free(w.spool.dir)
		if err != nil || free < spoolReserve {
			return 0, fmt.Errorf("%w: %d bytes are free on the disk: %w", errNoSpool, free, err)
		}
		w.checked += max(spoolStep, int64(len(p)))
	}
	if err := w.spool.reserve(w.entry, len(p)); err != nil {
		return 0, err
	}
	n, err := w.entry.file.Write(p)
	if err != nil {
		return n, fmt.Errorf("%w: %w", errNoSpool, err)
	}
	return n, nil
}
