package cli

import (
	"bufio"
	"io"
	"log/slog"
	"sync"
	"time"
)

func newLog(w io.Writer, form string) *slog.Logger {
	if form == "json" {
		return slog.New(slog.NewJSONHandler(w, nil))
	}
	return slog.New(slog.NewTextHandler(w, nil))
}

// flushEvery bounds how long a request's line waits in memory. A write for each
// would cost a fifth of a small answer.
const flushEvery = 200 * time.Millisecond

// newRequestLog returns a log that buffers its lines;
// flush writes what is left, and ends it.
func newRequestLog(w io.Writer, form string) (log *slog.Logger, flush func()) {
	b := &lineBuffer{w: bufio.NewWriterSize(w, 64<<10), stop: make(chan struct{})}
	var running sync.WaitGroup
	running.Go(b.run)
	return newLog(b, form), func() {
		close(b.stop)
		running.Wait()
	}
}

// A lineBuffer buffers writes and flushes them regularly.
type lineBuffer struct {
	mu   sync.Mutex
	w    *bufio.Writer
	stop chan struct{}
}

// Write implements io.Writer.
func (b *lineBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.w.Write(p)
}

func (b *lineBuffer) run() {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			b.flush()
		case <-b.stop:
			b.flush()
			return
		}
	}
}

func (b *lineBuffer) flush() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.w.Flush() // the service goes on without a log
}
