package httpapi

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"sync"

	"relais/internal/admit"
	"relais/internal/system"
)

// Bounds of the answers that are kept in files.
const (
	keptBytes   = 2 << 30 // of all files
	keptFiles   = 200     // at a time
	diskReserve = 1 << 30 // bytes that stay free on the disk
)

// errNotKept says that an answer cannot be kept and must be made for each client.
var errNotKept = errors.New("the answer cannot be kept in a file")

// files keeps large answers that many clients ask for. The files are unlinked, so that
// they do not outlive the process. The least recently used ones make room for others.
type files struct {
	dir  string                          // "" for none
	most int64                           // bytes of a file
	free func(dir string) (int64, error) // bytes of the disk
	pool *admit.Pool                     // what the files take up

	mu      sync.Mutex
	entries map[cacheKey]*kept
	uses    int64
}

func newFiles(dir string, most int64) *files {
	return &files{dir: dir, most: most, free: freeBytes, entries: map[cacheKey]*kept{},
		pool: admit.NewPool(admit.Cost{Places: keptFiles, Bytes: most})}
}

func freeBytes(dir string) (int64, error) {
	bytes, _, err := system.Free(dir)
	return int64(min(bytes, math.MaxInt64)), err
}

// A kept is an answer in a file.
type kept struct {
	*packed // once it is made
	key     cacheKey
	file    *os.File
	claim   *admit.Claim
	made    chan struct{} // closed when the answer is made, or err is set
	err     error
	making  context.Context // ends when no client waits for the answer any more
	stop    context.CancelFunc

	// Guarded by files.
	readers []string // clients that wait for the answer or read it, in the order of their requests
	used    int64    // value of uses at the last request
}

// A maker writes an answer to w, in turns of the clients that wait for it.
type maker func(ctx context.Context, clients func() []string, w io.Writer) (*packed, error)

// get returns the answer of a key, once it is made: by make, or by an earlier request. The caller must call
// leave. If its own client goes away, make goes on for the others. Errors: errNotKept, the context's and
// those of make.
func (f *files) get(ctx context.Context, key cacheKey, client string, make maker) (k *kept, leave func(), err error) {
	if f.dir == "" {
		return nil, nil, errNotKept
	}
	for {
		k, first, leave := f.join(ctx, key, client)
		if first {
			f.fill(k, make)
		}
		select {
		case <-k.made:
			err = k.err
		case <-ctx.Done():
			err = ctx.Err()
		}
		if err == nil {
			return k, leave, nil
		}
		leave()
		if first || ctx.Err() != nil || !errors.Is(err, context.Canceled) {
			return nil, nil, err
		} // else all clients that waited are gone: try again
	}
}

// join returns the entry of a key. client counts among its readers until leave is called or ctx ends. If the
// entry was missing, first is set and the caller must fill it.
func (f *files) join(ctx context.Context, key cacheKey, client string) (k *kept, first bool, leave func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	k = f.entries[key]
	if first = k == nil; first {
		k = &kept{key: key, made: make(chan struct{}), claim: f.pool.Claim(admit.Holder{Name: "files"})}
		k.making, k.stop = context.WithCancel(context.WithoutCancel(ctx))
		f.entries[key] = k
	}
	f.uses++
	k.readers, k.used = append(k.readers, client), f.uses
	leave = sync.OnceFunc(func() { f.leave(k, client) })
	context.AfterFunc(ctx, leave)
	return k, first, leave
}

func (f *files) leave(k *kept, client string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := slices.Index(k.readers, client)
	if k.readers = slices.Delete(k.readers, i, i+1); len(k.readers) == 0 {
		k.stop()
	}
}

// fill makes the answer of an entry. One that could not be made is removed.
func (f *files) fill(k *kept, make maker) {
	defer close(k.made)
	p, err := (*packed)(nil), errNotKept // when make panics
	defer func() {
		k.stop()
		f.mu.Lock()
		defer f.mu.Unlock()
		if k.packed, k.err = p, err; err != nil {
			f.remove(k)
		}
	}()
	p, err = f.write(k, make)
}

func (f *files) write(k *kept, make maker) (p *packed, err error) {
	if k.file, err = system.CreateUnlinked(f.dir, ".spool.tmp-*"); err != nil {
		return nil, fmt.Errorf("%w: %w", errNotKept, err)
	}
	w := bufio.NewWriterSize(fileWriter{f, k}, 64<<10)
	p, err = make(k.making, func() []string {
		f.mu.Lock()
		defer f.mu.Unlock()
		return slices.Clone(k.readers)
	}, w)
	if err != nil {
		return nil, err
	}
	err = w.Flush()
	p.from, p.size = k.file, k.claim.Cost().Bytes
	return p, err
}

// reserve counts n more bytes of an entry, and removes others if it must.
func (f *files) reserve(k *kept, n int) error {
	cost := admit.Cost{Places: 1, Bytes: k.claim.Cost().Bytes + int64(n)}
	f.mu.Lock()
	defer f.mu.Unlock()
	if cost.Bytes > f.most {
		return fmt.Errorf("%w: it has more than %d bytes", errNotKept, f.most)
	}
	for !k.claim.Hold(cost) {
		var oldest *kept
		for _, other := range f.entries {
			if other.packed != nil && len(other.readers) == 0 && (oldest == nil || other.used < oldest.used) {
				oldest = other
			}
		}
		if oldest == nil {
			return fmt.Errorf("%w: all other answers are in use", errNotKept)
		}
		f.remove(oldest)
	}
	return nil
}

func (f *files) remove(k *kept) {
	delete(f.entries, k.key)
	k.claim.Release()
	if k.file != nil {
		k.file.Close() // frees its space
	}
}

// A fileWriter writes the file of an entry.
type fileWriter struct {
	files *files
	entry *kept
}

// Write implements io.Writer.
func (w fileWriter) Write(p []byte) (n int, err error) {
	free, err := w.files.free(w.files.dir)
	if err != nil || free < diskReserve {
		return 0, fmt.Errorf("%w: %d bytes are free on the disk: %w", errNotKept, free, err)
	}
	if err := w.files.reserve(w.entry, len(p)); err != nil {
		return 0, err
	}
	if n, err = w.entry.file.Write(p); err != nil {
		err = fmt.Errorf("%w: %w", errNotKept, err)
	}
	return n, err
}
