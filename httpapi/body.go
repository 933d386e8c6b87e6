package httpapi

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"time"

	"relais/access"
	"relais/endpoint"
	"relais/ops"
)

// Bounds of bodies.
const (
	plainBody    = 64 << 10 // bytes of a body, where the operation does not say
	bodyInMemory = 64 << 10 // bytes; what is longer goes to a file
	bodyPiece    = 32 << 10 // bytes that are read at once
)

// A body is a request's body as it was sent, read once.
type body struct {
	memory []byte
	file   *os.File // has no name any more; nil while memory is enough
	size   int64
	sum    [sha256.Size]byte
	place  *place
}

// reader reads the body from its beginning. Several may read it.
func (b *body) reader() *io.SectionReader {
	if b.file != nil {
		return io.NewSectionReader(b.file, 0, b.size)
	}
	return io.NewSectionReader(bytes.NewReader(b.memory), 0, b.size)
}

// Write implements io.Writer.
func (b *body) Write(p []byte) (int, error) {
	if b.file == nil && len(b.memory)+len(p) > bodyInMemory {
		if err := b.toFile(); err != nil {
			return 0, err
		}
	}
	b.size += int64(len(p))
	if b.file != nil {
		return b.file.Write(p)
	}
	b.memory = append(b.memory, p...)
	return len(p), nil
}

// toFile goes on in a temporary file. It is removed at once, while it is open, so
// that nothing stays of a body whatever happens.
func (b *body) toFile() error {
	f, err := os.CreateTemp("", "relais-body-*")
	if err != nil {
		return err
	}
	b.file = f
	if err := os.Remove(f.Name()); err != nil {
		return err
	}
	_, err = f.Write(b.memory)
	b.memory = nil
	return err
}

// Time for what is left of a body to come after the answer.
const (
	unreadTime  = 2 * time.Second  // where nobody wants it
	refusedTime = 10 * time.Second // where it was refused
)

// endBody takes what comes of a body that was not read. net/http would wait for it
// for long before it answers, and read what comes after it as a request, which it
// may not be where a request has two lengths; so the connection ends with the answer
// (see begin). Who still sends must be let finish, or would lose the answer.
func (x *exchange) endBody() {
	if !x.hasBody() || x.body != nil {
		return
	}
	wait, limit := unreadTime, int64(plainBody)
	if x.op != nil && x.op.Body != nil {
		wait, limit = x.server.bodies.refused, x.op.Body.MaxBytes
	}
	// Not every ResponseWriter has deadlines; the server's own timeout then holds.
	_ = http.NewResponseController(x.w).SetReadDeadline(time.Now().Add(wait))
	io.CopyN(io.Discard, x.r.Body, limit)
}

// hasBody tells whether the request has a body; net/http knows before it is read.
func (x *exchange) hasBody() bool { return x.r.ContentLength != 0 }

// readBody reads the request's body, which is then held until the answer is out.
// Its errors are ops.Error, or those of our own disk.
func (s *Server) readBody(x *exchange, client *access.Client, accepts *endpoint.Body) error {
	if x.body != nil {
		return nil
	}
	limit, tooLarge := int64(plainBody), ops.TooLarge("", plainBody)
	if accepts != nil {
		limit, tooLarge = accepts.MaxBytes, ops.TooLarge(accepts.TooLarge, accepts.MaxBytes)
	}
	if x.r.ContentLength > limit {
		return tooLarge
	}
	place := s.bodies.acquire(x, client)
	if place == nil {
		return ops.ErrBusy
	}
	b := &body{place: place}
	x.release = func() {
		if b.file != nil {
			b.file.Close() // it is gone with that
		}
		place.giveBack()
	}
	if err := s.copyBody(x, b, limit, tooLarge); err != nil {
		x.release() // what is left to come must not hold it up
		x.release = nil
		return err
	}
	x.body = b
	return nil
}

// copyBody reads into b what the client sends, in the time that it has.
func (s *Server) copyBody(x *exchange, b *body, limit int64, tooLarge error) error {
	// Not every ResponseWriter has deadlines; the server's own then hold.
	connection, deadlines := http.NewResponseController(x.w), s.bodies.newDeadlines(time.Now())
	hash, piece := sha256.New(), make([]byte, bodyPiece)
	for {
		_ = connection.SetReadDeadline(deadlines.next(time.Now(), b.size))
		n, err := x.r.Body.Read(piece)
		hash.Write(piece[:n])
		if b.size+int64(n) > limit {
			return tooLarge
		}
		if _, err := b.Write(piece[:n]); err != nil {
			return err
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return ops.ErrTooSlow
		}
		if err != nil { // the client went away, or sent no proper chunks
			return ops.ErrBrokenBody
		}
	}
	_ = connection.SetReadDeadline(time.Time{})
	b.sum = [sha256.Size]byte(hash.Sum(nil))
	return nil
}

// checkBody tells whether the body is of the kind that the operation takes.
func (x *exchange) checkBody(accepts *endpoint.Body) error {
	given, _, err := mime.ParseMediaType(x.r.Header.Get("Content-Type"))
	other := err != nil || given != accepts.Type || len(x.r.Header["Content-Type"]) != 1
	if other && accepts.File != "" {
		return ops.ErrMissingFile // api.md: what has no such part, whatever else it is
	}
	if other {
		return ops.UnsupportedMedia("Content-Type must be " + accepts.Type)
	}
	if len(x.r.Header["Content-Encoding"]) > 0 {
		return ops.UnsupportedMedia("a body with a Content-Encoding is not taken")
	}
	return nil
}
