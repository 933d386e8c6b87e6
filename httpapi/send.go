package httpapi

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"

	"relais/api"
	"relais/api/endpoint"
	"relais/api/view"
	"relais/internal/admit"
)

// answerOf returns a result as an answer, encoded if it does not write itself.
func answerOf(result any) (*endpoint.Answer, error) {
	if a, ok := result.(*endpoint.Answer); ok {
		return a, nil
	}
	body, err := view.JSON(result)
	if err != nil {
		return nil, err
	}
	return endpoint.Encoded(body[:len(body)-1]), nil
}

// Bounds of answers.
const (
	minPacked = 1024     // bytes from which compression pays off
	maxHeld   = 8 << 20  // bytes of an answer that is compressed as a whole and may be cached
	maxPlain  = 32 << 10 // bytes of an answer that is cached uncompressed even if its operation is not Kept
)

// send sends an answer, or an error if too many are being sent. One that cannot be finished ends the connection.
func (w *answer) send(a *endpoint.Answer, asked answerKey) { w.finish(w.sendTo(a, asked)) }

// finish ends the connection if the answer could not be sent to its end.
func (w *answer) finish(err error) {
	if err != nil {
		w.abort(err)
	}
}

// sendTo returns an error only after the header was sent; a goneError says that the client stopped reading.
func (w *answer) sendTo(a *endpoint.Answer, asked answerKey) error {
	r := w.request
	coding := negotiate(r.Header["Accept-Encoding"])
	if a.Compressed || a.Size >= 0 && a.Size < minPacked {
		coding = nil
	}
	packing := coding
	if coding == nil && (r.op != nil && r.op.Kept || a.Size >= 0 && a.Size <= maxPlain && asked.version != "") {
		packing = identity
	}
	if packing != nil {
		if p := r.server.packed(a, packing, asked); p != nil {
			w.turn.Pause()
			return w.sendPacked(p, packing)
		}
	}
	return w.stream(a, coding)
}

// stream sends an answer while it is encoded. coding is nil for none.
func (w *answer) stream(a *endpoint.Answer, coding *coding) error {
	h, tail := w.Header(), w.tailOf(a.Whole)
	h["Content-Type"] = []string{a.ContentType}
	if coding != nil {
		h["Content-Encoding"] = coding.header
	}
	// Encoding the answer may take seconds, and HEAD does not need it.
	head := w.request.Method == http.MethodHead
	if !head && !w.reserveStream(a) {
		w.fail(api.ErrTooManyAnswers)
		return nil
	}
	if coding == nil {
		if a.Size >= 0 {
			h["Content-Length"] = []string{strconv.FormatInt(a.Size+int64(len(tail)), 10)}
		}
		coding = identity
	}
	if a.Size == 0 && len(tail) == 0 {
		h.Del("Content-Type")
		h.Del("Content-Length")
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	setFileName(h, a.FileName)
	if a.NextOffset > 0 {
		h["Link"] = []string{"<" + w.request.nextPage(a.NextOffset) + `>; rel="next"`}
	}
	w.WriteHeader(http.StatusOK)
	if head {
		return nil
	}
	c := newChunkWriter(w)
	defer c.release()
	if c.to.turn = w.turn; a.Size < 0 || a.Size > maxHeld {
		c.to.pace = readPace
	}
	if err := coding.stream(c, inTurns(a, w.turn), tail); err != nil {
		return err
	}
	return c.Flush()
}

// reserveStream is reserve for an answer that is encoded while it is sent.
func (w *answer) reserveStream(a *endpoint.Answer) bool {
	switch {
	case a.Size < 0 || a.Size > maxHeld:
		return w.reserve(admit.Cost{Places: 1, Bytes: streamBytes})
	case a.InMemory:
		return w.reserveMemory(int(a.Size))
	}
	return a.Size < minCounted || w.reserve(admit.Cost{Bytes: sentBytes})
}

// sendPacked sends an answer whose beginning is ready, in its coding.
func (w *answer) sendPacked(p *packed, c *coding) error {
	if w.request.Method != http.MethodHead && !w.reservePacked(p) {
		w.fail(api.ErrTooManyAnswers)
		return nil
	}
	end := c.end(p, w.tailOf(p.whole))
	if p.size+int64(len(end)) == 0 {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	h := w.Header()
	setFileName(h, p.fileName)
	h["Content-Type"] = []string{p.contentType}
	if c != identity {
		h["Content-Encoding"] = c.header
	}
	h["Content-Length"] = []string{strconv.FormatInt(p.size+int64(len(end)), 10)}
	w.WriteHeader(http.StatusOK)
	chunks := newChunkWriter(w)
	defer chunks.release()
	chunks.to.late = w.turn != nil || p.from != nil // it may have waited for others who compute
	if p.from == nil {
		chunks.Write(p.data) // the error stays in chunks
	} else if _, err := io.Copy(chunks, io.NewSectionReader(p.from, 0, p.size)); err != nil {
		return err
	}
	chunks.Write(end)
	return chunks.Flush()
}

// reservePacked is reserve for an answer that is ready.
func (w *answer) reservePacked(p *packed) bool {
	switch {
	case p.from != nil:
		return w.reserve(admit.Cost{Places: 1, Bytes: sentBytes}) // less than while it was made
	case p.prepared: // all requests share it
		return w.reserveMemory(0)
	}
	return w.reserveMemory(len(p.data))
}

// tailOf returns the end of an answer, none for a whole one.
func (w *answer) tailOf(whole bool) []byte {
	if whole {
		return nil
	}
	return w.tail()
}

// setFileName makes browsers keep an answer under a name, unless that is "". The name needs no quoting.
func setFileName(h http.Header, name string) {
	if name != "" {
		h["Content-Disposition"] = []string{`attachment; filename="` + name + `"`}
	}
}

// nextPage returns the address of a request with another offset.
func (r *request) nextPage(offset int) string {
	q := r.URL.Query()
	q.Set("offset", strconv.Itoa(offset))
	return r.server.BaseURL + r.URL.EscapedPath() + "?" + q.Encode()
}

const turnBytes = 1 << 20 // that are computed in one turn

// inTurns returns an answer that is computed in turns. turn may be nil.
func inTurns(a *endpoint.Answer, turn *admit.Turn) *endpoint.Answer {
	if turn == nil {
		return a
	}
	taking, since := *a, 0
	taking.Write = func(w io.Writer) error {
		return a.Write(writerFunc(func(p []byte) (int, error) {
			if since += len(p); since >= turnBytes {
				since = 0
				turn.Pause()
				if err := turn.Resume(); err != nil {
					return 0, err
				}
			}
			return w.Write(p)
		}))
	}
	return &taking
}

type writerFunc func(p []byte) (int, error)

// Write implements io.Writer.
func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// abort ends the connection of an answer that cannot be finished, so that the client does
// not take its beginning for the whole.
func (w *answer) abort(err error) {
	r := w.request
	if _, gone := errors.AsType[goneError](err); gone || errors.Is(err, context.Canceled) {
		r.server.Log.Debug("the client went away", "requestId", r.id, "error", err)
	} else {
		r.server.Log.Warn("an answer could not be sent to its end", "requestId", r.id, "error", err)
	}
	if !r.ProtoAtLeast(1, 1) {
		resetConnection(w.ResponseWriter)
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
