package httpapi

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
)

// Bounds of the spool.
const (
	spoolBytes   = 2 << 30  // of all files
	spoolFiles   = 200      // at a time
	spoolReserve = 1 << 30  // bytes that stay free on the disk
	spoolStep    = 16 << 20 // bytes of a file between two looks at the disk
)

// errNoSpool says that an answer cannot be kept: it must be made for each who asks.
var errNoSpool = errors.New("the answer cannot be kept in a file")

// spool keeps large answers that many ask for, in files that have no name any more, so
// that nothing stays of them whatever happens. Those that were not asked for longest make
// room for others.
type spool struct {
	dir   string // "" for none
	most  int64  // bytes of all files
	files int
	free  func(dir string) (int64, error) // bytes of the disk

	mu       sync.Mutex
	entries  map[cacheKey]*spooled
	bytes    int64
	uses     int64
	building map[string]chan struct{} // by client; full while one of its answers is made
}

func newSpool(dir string) *spool {
	return &spool{dir: dir, most: spoolBytes, files: spoolFiles, free: freeBytes, entries: map[cacheKey]*spooled{}, building: map[string]chan struct{}{}}
}

func freeBytes(dir string) (int64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return int64(s.Bavail) * int64(s.Bsize), nil
}

// A spooled is an answer in a file, but for its end, as of a packed.
type spooled struct {
	packed
	contentType string
	key         cacheKey
	file        *os.File
	size        int64
	made        chan struct{} // closed when it is made, or err says why not
	err         error
	readers     int   // and makers; guarded by the spool, as is used
	used        int64 // when it was asked for last, in uses
}

// maker makes an answer for the spool.
type maker func(w io.Writer) (p packed, contentType string, err error)

// get returns the answer of a key, once it is made: by make, or by another who has asked
// for it. It must be released. Errors: errNoSpool, the context's and those of make.
func (s *spool) get(ctx context.Context, key cacheKey, client string, make maker) (*spooled, error) {
	if s.dir == "" {
		return nil, errNoSpool
	}
	for {
		e, first := s.enter(key)
		if first {
			e.err = s.make(ctx, e, client, make)
			s.leave(e)
			close(e.made)
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
		} // else its maker went away: the next one makes it
	}
}

// enter finds the entry of a key; first reports whether it is new, and to be made.
func (s *spool) enter(key cacheKey) (e *spooled, first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.uses++
	e = s.entries[key]
	if first = e == nil; first {
		e = &spooled{key: key, made: make(chan struct{})}
		s.entries[key] = e
	}
	e.readers++
	e.used = s.uses
	return e, first
}

// leave forgets an entry that could not be made.
func (s *spool) leave(e *spooled) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.err != nil {
		s.drop(e)
	}
}

func (s *spool) drop(e *spooled) {
	delete(s.entries, e.key)
	s.bytes -= e.size
	e.size = 0
	if e.file != nil {
		e.file.Close() // it is gone with that
	}
}

func (s *spool) release(e *spooled) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.readers--
}

// make makes one answer of a client at a time: it may hold tens of megabytes meanwhile.
func (s *spool) make(ctx context.Context, e *spooled, client string, make maker) (err error) {
	done, err := s.begin(ctx, client)
	if err != nil {
		return err
	}
	defer done()
	if e.file, err = os.CreateTemp(s.dir, ".spool.tmp-*"); err != nil {
		return fmt.Errorf("%w: %w", errNoSpool, err)
	}
	if err := os.Remove(e.file.Name()); err != nil {
		return fmt.Errorf("%w: %w", errNoSpool, err)
	}
	w := bufio.NewWriterSize(&spoolWriter{s, e, 0}, 64<<10)
	if e.packed, e.contentType, err = make(w); err != nil {
		return err
	}
	return w.Flush()
}

func (s *spool) begin(ctx context.Context, client string) (done func(), err error) {
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

// grow makes room for n more bytes of an entry.
func (s *spool) grow(e *spooled, n int) error {
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
			return fmt.Errorf("%w: others take %d bytes", errNoSpool, s.bytes-e.size)
		}
		s.drop(oldest)
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
	if err := w.spool.grow(w.entry, len(p)); err != nil {
		return 0, err
	}
	n, err := w.entry.file.Write(p)
	if err != nil {
		return n, fmt.Errorf("%w: %w", errNoSpool, err)
	}
	return n, nil
}
