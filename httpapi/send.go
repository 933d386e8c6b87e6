package httpapi

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"relais/endpoint"
	"relais/view"
)

// streamOf returns a result as a stream; one that does not write itself is
// encoded.
func streamOf(result any) (endpoint.Stream, error) {
	if s, ok := result.(endpoint.Stream); ok {
		return s, nil
	}
	body, err := view.JSON(result)
	if err != nil {
		return nil, err
	}
	return endpoint.Bytes(body[:len(body)-1]), nil
}

// tail is the end of every answer: its last member and the closing brace.
func (x *exchange) tail() []byte {
	return []byte(`,"requestId":"` + x.id + "\"}\n")
}

// Bounds of answers.
const (
	leastPacked = 1024    // bytes below which compression is not worth it
	mostHeld    = 8 << 20 // bytes of an answer that is compressed as a whole, and may be kept
)

// send sends a stream as the answer. Its error comes after the header is out; it
// is a goneError when the client stopped reading.
func (s *Server) send(x *exchange, stream endpoint.Stream, a answerKey) error {
	h := x.w.Header()
	h["Content-Type"] = []string{stream.ContentType()}
	size := stream.Size()
	coding := negotiate(x.r.Header["Accept-Encoding"])
	if coding == nil || size >= 0 && size < leastPacked {
		return sendPlain(x, stream, size)
	}
	h["Content-Encoding"] = coding.header
	if p := s.packed(stream, size, coding, a); p != nil {
		end := coding.end(p, x.tail())
		h["Content-Length"] = []string{strconv.Itoa(len(p.data) + len(end))}
		x.begin(http.StatusOK)
		w := newChunkWriter(x)
		defer w.release()
		w.Write(p.data) // the error stays in w
		w.Write(end)
		return w.flush()
	}
	x.begin(http.StatusOK)
	if x.r.Method == http.MethodHead { // there is no body, and making it may take seconds
		return nil
	}
	w := newChunkWriter(x)
	defer w.release()
	if err := coding.stream(w, stream, x.tail()); err != nil {
		return err
	}
	return w.flush()
}

func sendPlain(x *exchange, stream endpoint.Stream, size int64) error {
	tail := x.tail()
	if size >= 0 {
		x.w.Header()["Content-Length"] = []string{strconv.FormatInt(size+int64(len(tail)), 10)}
	}
	x.begin(http.StatusOK)
	if x.r.Method == http.MethodHead {
		return nil
	}
	w := newChunkWriter(x)
	defer w.release()
	if _, err := stream.WriteTo(w); err != nil {
		return err
	}
	w.Write(tail)
	return w.flush()
}

// A chunkWriter gathers small pieces, so that the connection sees few and large
// writes, and gives the client a time for each of them: a long answer may take
// long, but a client that stops reading is let go.
type chunkWriter struct {
	w     http.ResponseWriter
	buf   []byte
	begun bool // a piece is out
	err   error
}

const (
	chunkBytes = 256 << 10
	chunkTime  = 30 * time.Second
)

var chunkWriters = sync.Pool{New: func() any { return &chunkWriter{buf: make([]byte, 0, chunkBytes)} }}

func newChunkWriter(w http.ResponseWriter) *chunkWriter {
	c := chunkWriters.Get().(*chunkWriter)
	c.w, c.buf, c.begun, c.err = w, c.buf[:0], false, nil
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

// put writes p in pieces that a slow client has the time to take. The server's
// own timeout is for the first.
func (c *chunkWriter) put(p []byte) error {
	for len(p) > 0 && c.err == nil {
		n := min(len(p), chunkBytes)
		if c.begun {
			// Not every ResponseWriter has deadlines; the server's own timeout
			// then holds.
			_ = http.NewResponseController(c.w).SetWriteDeadline(time.Now().Add(chunkTime))
		}
		if _, err := c.w.Write(p[:n]); err != nil {
			c.err = goneError{err}
		}
		c.begun, p = true, p[n:]
	}
	return c.err
}

// A goneError is a failure to write to the client.
type goneError struct{ error }
