package httpapi

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"relais/api"
	"relais/api/endpoint"
	"relais/api/view"
	"relais/internal/admit"
)

// streamOf returns a result as a stream. A result that is not a stream is encoded.
func streamOf(result any) (endpoint.Stream, error) {
	if w, ok := result.(endpoint.Wrapped); ok {
		return w.Unwrap(), nil
	}
	if s, ok := result.(endpoint.Stream); ok {
		return s, nil
	}
	body, err := view.JSON(result)
	if err != nil {
		return nil, err
	}
	return endpoint.Bytes(body[:len(body)-1]), nil
}

// tail returns the end of every JSON answer: its last member and the closing brace.
func (x *exchange) tail() []byte {
	return []byte(`,"requestId":"` + x.id + "\"}\n")
}

// tailOf returns the end of an answer. A Content has none.
func (x *exchange) tailOf(stream endpoint.Stream) []byte {
	if isContent(stream) {
		return nil
	}
	return x.tail()
}

func isContent(stream endpoint.Stream) bool {
	_, is := stream.(endpoint.Content)
	return is
}

// fileName returns the name under which browsers keep an answer, "" for none.
func fileName(stream endpoint.Stream) string {
	if f, is := stream.(endpoint.File); is {
		return f.FileName()
	}
	return ""
}

// setFileName makes browsers keep an answer under a name, unless that is "". The name needs no quoting.
func setFileName(h http.Header, name string) {
	if name != "" {
		h["Content-Disposition"] = []string{`attachment; filename="` + name + `"`}
	}
}

// nextPage returns the address of a request with another offset.
func (s *Server) nextPage(x *exchange, offset int) string {
	q := x.r.URL.Query()
	q.Set("offset", strconv.Itoa(offset))
	return s.BaseURL + x.r.URL.EscapedPath() + "?" + q.Encode()
}

// Bounds of answers.
const (
	minPacked = 1024     // bytes from which compression pays off
	maxHeld   = 8 << 20  // bytes of an answer that is compressed as a whole and may be cached
	maxPlain  = 32 << 10 // bytes of an answer that is cached uncompressed even if its operation is not Kept
)

// send sends a stream as the answer, or an error if too many answers are being sent. It
// returns an error only after the header was sent; a goneError says that the client
// stopped reading.
func (s *Server) send(x *exchange, stream endpoint.Stream, a answerKey) error {
	size, tail := stream.Size(), x.tailOf(stream)
	coding := negotiate(x.r.Header["Accept-Encoding"])
	if f, is := stream.(endpoint.File); is && f.Compressed() || size >= 0 && size < minPacked {
		coding = nil
	}
	packing := coding
	if coding == nil && (x.op != nil && x.op.Kept || size >= 0 && size <= maxPlain && a.version != "") {
		packing = identity
	}
	if packing != nil {
		if p := s.packed(stream, size, packing, a); p != nil {
			x.turn.Pause()
			return s.sendPacked(x, p, packing)
		}
	}
	h := x.w.Header()
	h["Content-Type"] = []string{stream.ContentType()}
	if coding != nil {
		h["Content-Encoding"] = coding.header
	}
	// Encoding the answer may take seconds, and HEAD does not need it.
	head := x.r.Method == http.MethodHead
	if !head && !x.reserveStream(stream, size) {
		s.fail(x, api.ErrTooManyAnswers)
		return nil
	}
	if coding == nil && size >= 0 {
		h["Content-Length"] = []string{strconv.FormatInt(size+int64(len(tail)), 10)}
	}
	if size == 0 && len(tail) == 0 {
		h.Del("Content-Type")
		h.Del("Content-Length")
		x.sendHeader(http.StatusNoContent)
		return nil
	}
	setFileName(h, fileName(stream))
	if f, is := stream.(endpoint.Paged); is && f.NextOffset() > 0 {
		h["Link"] = []string{"<" + s.nextPage(x, f.NextOffset()) + `>; rel="next"`}
	}
	x.sendHeader(http.StatusOK)
	if head {
		return nil
	}
	w := newChunkWriter(x)
	defer w.release()
	w.paced, w.turn = size < 0 || size > maxHeld, x.turn
	if x.turn != nil {
		stream = computed{stream, x.turn}
	}
	if err := writeStream(w, coding, stream, tail); err != nil {
		return err
	}
	return w.flush()
}

func writeStream(w *chunkWriter, c *coding, stream endpoint.Stream, tail []byte) error {
	if c != nil {
		return c.stream(w, stream, tail)
	}
	if _, err := stream.WriteTo(w); err != nil {
		return err
	}
	w.Write(tail) // the error stays in w
	return nil
}

// sendPacked sends an answer whose beginning is in memory, in its coding.
func (s *Server) sendPacked(x *exchange, p *packed, c *coding) error {
	held, tail := len(p.data), []byte(nil)
	if !p.content {
		tail = x.tail()
	}
	if p.prepared {
		held = 0 // all requests share it
	}
	if x.r.Method != http.MethodHead && !x.reserveMemory(held) {
		s.fail(x, api.ErrTooManyAnswers)
		return nil
	}
	end := c.end(p, tail)
	if len(p.data)+len(end) == 0 {
		x.sendHeader(http.StatusNoContent)
		return nil
	}
	h := x.w.Header()
	h["Content-Type"] = []string{p.contentType}
	if c != identity {
		h["Content-Encoding"] = c.header
	}
	h["Content-Length"] = []string{strconv.Itoa(len(p.data) + len(end))}
	x.sendHeader(http.StatusOK)
	w := newChunkWriter(x)
	defer w.release()
	w.late = x.turn != nil // it may have waited for others who compute
	w.Write(p.data)        // the error stays in w
	w.Write(end)
	return w.flush()
}

// A chunkWriter joins small pieces to large ones and gives the client a deadline for each:
// a long answer may take long, but a client that stops reading is disconnected. If paced
// is set, so is a client that reads slowly, because it holds an encoder.
type chunkWriter struct {
	w     http.ResponseWriter
	buf   []byte
	begun bool // a piece was written
	err   error
	paced bool          // the client must read at paceBytes
	sent  int64         // bytes
	took  time.Duration // that the client took for them
	turn  *admit.Turn   // in which the answer is computed; may be nil
	late  bool          // the server's own timeout may be over before the first piece
}

// The slowest pace of a client: paceBytes a second after paceAfter.
const (
	paceBytes = 64 << 10
	paceAfter = 30 * time.Second
)

const (
	chunkBytes = 256 << 10
	chunkTime  = 30 * time.Second
)

var chunkWriters = sync.Pool{New: func() any { return &chunkWriter{buf: make([]byte, 0, chunkBytes)} }}

func newChunkWriter(w http.ResponseWriter) *chunkWriter {
	c := chunkWriters.Get().(*chunkWriter)
	*c = chunkWriter{w: w, buf: c.buf[:0]}
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
			_ = http.NewResponseController(c.w).SetWriteDeadline(start.Add(c.timeFor(n)))
		}
		if _, err := c.w.Write(p[:n]); err != nil {
			c.err = goneError{err}
		}
		c.took, c.sent = c.took+time.Since(start), c.sent+int64(n)
		c.begun, p = true, p[n:]
		if err := c.turn.Resume(); err != nil && c.err == nil {
			c.err = goneError{err}
		}
	}
	return c.err
}

// timeFor returns the time for a piece of n bytes.
func (c *chunkWriter) timeFor(n int) time.Duration {
	if !c.paced {
		return chunkTime
	}
	due := paceAfter + time.Duration(float64(c.sent+int64(n))/paceBytes*float64(time.Second))
	return min(chunkTime, due-c.took)
}

// A goneError is a failure to write to the client.
type goneError struct{ error }

// abort ends the connection of an answer that cannot be finished, so that the client does
// not take its beginning for the whole.
func (s *Server) abort(x *exchange, err error) {
	if _, gone := errors.AsType[goneError](err); gone || errors.Is(err, context.Canceled) {
		s.Log.Debug("the client went away", "requestId", x.id, "error", err)
	} else {
		s.Log.Warn("an answer could not be sent to its end", "requestId", x.id, "error", err)
	}
	if !x.r.ProtoAtLeast(1, 1) {
		resetConnection(x.w)
	}
	panic(http.ErrAbortHandler)
}

// resetConnection ends a connection with an error for the client: HTTP/1.0 takes the proper end of a connection
// for the end of an answer without a length.
func resetConnection(w http.ResponseWriter) {
	c, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return // it has ended, or is not a connection
	}
	if secure, is := c.(*tls.Conn); is {
		c = secure.NetConn()
	}
	if socket, is := c.(*net.TCPConn); is {
		_ = socket.SetLinger(0) // drops unsent bytes, and sends a reset
	}
	c.Close()
}
