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

	"relais/api"
	"relais/api/endpoint"
	"relais/auth/access"
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
	file   *os.File // already unlinked; nil while the body is in memory
	size   int64
	sum    [sha256.Size]byte
	place  *place
}

// reader returns a reader of the whole body. Several may be used at once.
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

// toFile moves the body to a temporary file. The file is unlinked at once, so that it
// does not outlive the process.
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

// How long the rest of a body is read after the answer.
const (
	unreadTime  = 2 * time.Second  // the operation takes no body
	refusedTime = 10 * time.Second // the body was refused
)

// endBody discards the rest of a body that was not read. The connection ends with the
// answer (see sendHeader): net/http would wait long for the rest, and would take what
// follows it for a request, which is unsafe where a request states two lengths. A client
// that is still sending gets the answer first, and must be able to finish, or it would lose it.
func (x *exchange) endBody() {
	if !x.hasBody() || x.body != nil {
		return
	}
	connection := http.NewResponseController(x.w)
	if x.status >= http.StatusBadRequest {
		_ = connection.Flush() // not every ResponseWriter can; the answer then waits for the body
	}
	wait, limit := unreadTime, int64(plainBody)
	if x.op != nil && x.op.Body != nil && x.r.Header["Expect"] == nil { // with it, the client waits before it sends
		wait, limit = x.server.bodies.refused, x.op.Body.MaxBytes
	}
	// Not every ResponseWriter has deadlines; the server's own timeout then holds.
	_ = connection.SetReadDeadline(time.Now().Add(wait))
	io.CopyN(io.Discard, x.r.Body, limit)
}

// hasBody reports whether the request has a body. net/http knows it before reading.
func (x *exchange) hasBody() bool { return x.r.ContentLength != 0 }

// readBody reads the request's body, which is held until the answer is out. Its errors
// are api.Error, or those of the disk.
func (s *Server) readBody(x *exchange, client *access.Client, accepts *endpoint.Body) error {
	if x.body != nil {
		return nil
	}
	limit, tooLarge := int64(plainBody), api.TooLarge("", plainBody)
	if accepts != nil {
		limit, tooLarge = accepts.MaxBytes, api.TooLarge(accepts.TooLarge, accepts.MaxBytes)
	}
	if x.r.ContentLength > limit {
		return tooLarge
	}
	place := s.bodies.acquire(x, client)
	if place == nil {
		return api.ErrBusy
	}
	b := &body{place: place}
	x.release = func() {
		if b.file != nil {
			b.file.Close() // frees its space
		}
		place.Release()
	}
	if err := s.copyBody(x, b, limit, tooLarge); err != nil {
		x.release() // the rest of the body must not keep the place
		x.release = nil
		return err
	}
	x.body = b
	return nil
}

// copyBody reads the request's body into b within its deadlines.
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
			return api.ErrTooSlow
		}
		if err != nil { // the client went away, or sent no proper chunks
			return api.ErrBrokenBody
		}
	}
	_ = connection.SetReadDeadline(time.Time{})
	b.sum = [sha256.Size]byte(hash.Sum(nil))
	return nil
}

// checkBody returns an error when the body is not of the type that the operation takes.
func (x *exchange) checkBody(accepts *endpoint.Body) error {
	given, _, err := mime.ParseMediaType(x.r.Header.Get("Content-Type"))
	other := err != nil || given != accepts.Type || len(x.r.Header["Content-Type"]) != 1
	if other && accepts.File != "" {
		return api.ErrMissingFile // api.md: the code for any body without the part
	}
	if other {
		return api.UnsupportedMedia("Content-Type must be " + accepts.Type)
	}
	if len(x.r.Header["Content-Encoding"]) > 0 {
		return api.UnsupportedMedia("a body must not have a Content-Encoding: send it uncompressed")
	}
	return nil
}
