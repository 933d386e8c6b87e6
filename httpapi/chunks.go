package httpapi

import (
	"bufio"
	"net/http"
	"sync"
	"time"

	"relais/internal/admit"
)

// A chunkWriter joins small pieces to large ones and gives the client a deadline for each:
// a long answer may take long, but a client that stops reading is disconnected.
type chunkWriter struct {
	*bufio.Writer
	to pacedWriter
}

var chunkWriters = sync.Pool{New: func() any { return &chunkWriter{Writer: bufio.NewWriterSize(nil, chunkBytes)} }}

func newChunkWriter(w http.ResponseWriter) *chunkWriter {
	c := chunkWriters.Get().(*chunkWriter)
	c.to = pacedWriter{w: w, pace: anyPace}
	c.Reset(&c.to)
	return c
}

func (c *chunkWriter) release() {
	c.to.w = nil
	chunkWriters.Put(c)
}

// A pacedWriter writes pieces to a client, each with a deadline. The first one is under the server's own timeout.
type pacedWriter struct {
	w     http.ResponseWriter
	begun bool        // a piece was written
	pace  pace        // of the client
	turn  *admit.Turn // in which the answer is computed; may be nil
	late  bool        // the server's own timeout may be over before the first piece
}

// Write implements io.Writer. Its errors are goneError.
func (c *pacedWriter) Write(p []byte) (done int, err error) {
	for len(p) > 0 {
		n := min(len(p), chunkBytes)
		c.turn.Pause()
		start := time.Now()
		if c.begun || c.late || c.turn != nil {
			// Not every ResponseWriter has deadlines; the server's own timeout then holds.
			_ = http.NewResponseController(c.w).SetWriteDeadline(start.Add(c.pace.next(n)))
		}
		if _, err := c.w.Write(p[:n]); err != nil {
			return done, goneError{err}
		}
		c.pace.add(n, start)
		c.begun, p, done = true, p[n:], done+n
		if err := c.turn.Resume(); err != nil {
			return done, goneError{err}
		}
	}
	return done, nil
}

// A goneError is a failure to write to the client.
type goneError struct{ error }
