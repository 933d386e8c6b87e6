package httpapi

import (
	"net/http"
	"sync"
	"time"

	"relais/internal/admit"
)

// A chunkWriter joins small pieces to large ones and gives the client a deadline for each:
// a long answer may take long, but a client that stops reading is disconnected.
type chunkWriter struct {
	w     http.ResponseWriter
	buf   []byte
	begun bool // a piece was written
	err   error
	pace  pace        // of the client
	turn  *admit.Turn // in which the answer is computed; may be nil
	late  bool        // the server's own timeout may be over before the first piece
}

var chunkWriters = sync.Pool{New: func() any { return &chunkWriter{buf: make([]byte, 0, chunkBytes)} }}

func newChunkWriter(w http.ResponseWriter) *chunkWriter {
	c := chunkWriters.Get().(*chunkWriter)
	*c = chunkWriter{w: w, buf: c.buf[:0], pace: anyPace}
	return c
}

func (c *chunkWriter) release() {
	c.w = nil
	chunkWriters.Put(c)
}

// Write implements io.Writer.
func (c *chunkWriter) Write(p []byte) (int, error) {
	if len(c.buf)+len(p) > chunkBytes {
		c.flush()
	}
	if len(p) >= chunkBytes {
		return len(p), c.put(p)
	}
	c.buf = append(c.buf, p...)
	return len(p), c.err
}

func (c *chunkWriter) flush() error {
	err := c.put(c.buf)
	c.buf = c.buf[:0]
	return err
}

// put writes p in pieces, each with a deadline. The first one is under the server's own
// timeout.
func (c *chunkWriter) put(p []byte) error {
	for len(p) > 0 && c.err == nil {
		n := min(len(p), chunkBytes)
		c.turn.Pause()
		start := time.Now()
		if c.begun || c.late || c.turn != nil {
			// Not every ResponseWriter has deadlines; the server's own timeout then holds.
			_ = http.NewResponseController(c.w).SetWriteDeadline(start.Add(c.pace.next(n)))
		}
		if _, err := c.w.Write(p[:n]); err != nil {
			c.err = goneError{err}
		}
		c.pace.add(n, start)
		c.begun, p = true, p[n:]
		if err := c.turn.Resume(); err != nil && c.err == nil {
			c.err = goneError{err}
		}
	}
	return c.err
}

// A goneError is a failure to write to the client.
type goneError struct{ error }
