package cli

import (
	"bufio"
	"io"
	"log/slog"
	"sync"
	"time"
)

// logFlags choose the form and the level of the log.
type logFlags struct {
	Log      string   `enum:"text,json" default:"text" help:"Form of the log."`
	LogLevel logLevel `enum:"debug,info,warn,error" default:"info" help:"Least level of the log: debug, info, warn or error. At a terminal, requests need debug."`
}

// newLog returns a log of the level and above.
func (f *logFlags) newLog(w io.Writer) *slog.Logger {
	o := &slog.HandlerOptions{Level: f.LogLevel.level()}
	if f.Log == "json" {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}

// flushEvery bounds how long a request's line waits in memory. A write for each
// would cost a fifth of a small answer.
const flushEvery = 200 * time.Millisecond

// newRequestLog returns a log that buffers its lines; flush writes the buffered ones, and ends it. Only
// requests use it: a crash may lose up to flushEvery of lines. At a terminal it has them only for debugging: a
// person there reads what the program says.
func (f logFlags) newRequestLog(w io.Writer) (log *slog.Logger, flush func()) {
	if isTerminal(w) && f.LogLevel != "debug" {
		f.LogLevel = "warn"
	}
	b := &lineBuffer{w: bufio.NewWriterSize(w, 64<<10), stop: make(chan struct{})}
	var running sync.WaitGroup
	running.Go(b.run)
	return f.newLog(b), func() {
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
	b.w.Flush() // if it fails, the service goes on without a log
}

// A logLevel is debug, info, warn or error.
type logLevel string

// level returns the level as package slog has it.
func (l logLevel) level() (level slog.Level) {
	_ = level.UnmarshalText([]byte(l)) // one of the enum; a demonstration in a test has none, which is info
	return level
}
