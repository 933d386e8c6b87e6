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
	"relais/internal/admit"
	"relais/internal/system"
)

// Bounds of bodies.
const (
	plainBody    = 64 << 10 // bytes of a body, where the operation does not say
	bodyInMemory = 64 << 10 // bytes; what is longer goes to a file
	bodyPiece    = 32 << 10 // bytes that are read at once
)

// bodies bounds the bodies that are held, their memory and files. A body whose signature is not proven yet
// does not count for its client: otherwise somebody without the secret could take the places of its users.
type bodies struct {
	*admit.Pool
	pace    pace          // of clients that send one
	refused time.Duration // the longest time for the rest of a refused body
	proven  *admit.Rate   // addresses that proved a signature today
}

func newBodies() *bodies {
	return &bodies{Pool: admit.NewPool(nPlaces(maxBodies)), pace: sendPace, refused: 10 * time.Second,
		proven: admit.NewRate(24 * time.Hour)}
}

// claim takes a place for the body of r, which client sends. It returns nil when no place is free.
func (b *bodies) claim(r *request, client *access.Client) (place *admit.Claim, prove func()) {
	group, members := r.holders(client, ofBodies)
	place, prove = b.Claim(group, members...), func() {}
	if client.Mode != access.Server && client.Signs() {
		if !place.Room(nPlaces(1)) {
			return nil, nil
		}
		most := maxUnproven
		if b.proven.Count(r.start, admit.Line(r.address).String()) == 0 {
			most -= keptUnproven
		}
		place = b.Claim(admit.Holder{Name: "unproven", Most: nPlaces(most)}, r.visitor("unproven", nPlaces(maxAddressUnproven))...)
		prove = func() {
			b.proven.Add(r.start, admit.Line(r.address).String(), 1)
			place.Move(group, members...)
		}
	}
	if !place.Hold(nPlaces(1)) {
		return nil, nil
	}
	return place, prove
}

// A body is a request's body as it was sent, read once. It may be nil.
type body struct {
	memory []byte
	file   *os.File // unlinked; nil while the body is in memory
	size   int64
	sum    [sha256.Size]byte
	place  *admit.Claim
	proven func() // is called once the signature is right
}

// prove counts the body for its client from now on, because its signature is right.
func (b *body) prove() {
	if b != nil {
		b.proven()
	}
}

// close frees what is held for the body.
func (b *body) close() {
	if b == nil {
		return
	}
	if b.file != nil {
		b.file.Close() // frees its space
	}
	b.place.Release()
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

// toFile moves the body to a file.
func (b *body) toFile() (err error) {
	if b.file, err = system.CreateUnlinked("", "relais-body-*"); err != nil {
		return err
	}
	_, err = b.file.Write(b.memory)
	b.memory = nil
	return err
}

// unreadTime is how long the rest of a body is read after the answer, where the operation takes none.
const unreadTime = 2 * time.Second

// discardBody discards the rest of a body that was not read. The connection ends with the
// answer (see WriteHeader): net/http would wait long for the rest, and would take what
// follows it for a request, which is unsafe where a request states two lengths. A client
// that is still sending gets the answer first, and must be able to finish, or it would lose it.
func (w *answer) discardBody() {
	r := w.request
	if !r.hasBody() || r.body != nil {
		return
	}
	connection := http.NewResponseController(w.ResponseWriter)
	if w.status >= http.StatusBadRequest {
		_ = connection.Flush() // not every ResponseWriter can; the answer then waits for the body
	}
	wait, most := unreadTime, int64(plainBody)
	if r.op != nil && r.op.Body != nil && r.Header["Expect"] == nil { // with it, the client waits before it sends
		wait, most = r.server.bodies.refused, r.op.Body.MaxBytes
	}
	// Not every ResponseWriter has deadlines; the server's own timeout then holds.
	_ = connection.SetReadDeadline(time.Now().Add(wait))
	io.CopyN(io.Discard, r.Body, most)
}

// readBody reads the request's body, which is held until the answer is out. Its errors
// are api.Error, or those of the disk.
func (r *request) readBody(w *answer, client *access.Client) error {
	if r.body != nil {
		return nil
	}
	most, tooLarge := int64(plainBody), api.TooLarge("", plainBody)
	if accepts := r.op.Body; accepts != nil {
		if err := r.checkBody(accepts); err != nil { // the client learns it before it sends the body
			return err
		}
		most, tooLarge = accepts.MaxBytes, api.TooLarge(accepts.TooLarge, accepts.MaxBytes)
	}
	if r.ContentLength > most {
		return tooLarge
	}
	b := &body{}
	if b.place, b.proven = r.server.bodies.claim(r, client); b.place == nil {
		return api.ErrBusy
	}
	if err := r.copyBody(w, b, most, tooLarge); err != nil {
		b.close() // the rest of the body must not keep the place
		return err
	}
	r.body = b
	return nil
}

// copyBody reads the request's body into b at the pace of bodies.
func (r *request) copyBody(w *answer, b *body, most int64, tooLarge error) error {
	// Not every ResponseWriter has deadlines; the server's own then hold.
	connection, pace := http.NewResponseController(w.ResponseWriter), r.server.bodies.pace
	hash, piece := sha256.New(), make([]byte, bodyPiece)
	for {
		start := time.Now()
		_ = connection.SetReadDeadline(start.Add(pace.next(0)))
		n, err := r.Body.Read(piece)
		pace.add(n, start)
		hash.Write(piece[:n])
		if b.size+int64(n) > most {
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
func (r *request) checkBody(accepts *endpoint.Body) error {
	given, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	other := err != nil || given != accepts.Type || len(r.Header["Content-Type"]) != 1
	if other && accepts.File != "" {
		return api.ErrMissingFile // api.md: the code for any body without the part
	}
	if other {
		return api.UnsupportedMedia("Content-Type must be " + accepts.Type)
	}
	if len(r.Header["Content-Encoding"]) > 0 {
		return api.UnsupportedMedia("a body must not have a Content-Encoding: send it uncompressed")
	}
	return nil
}
