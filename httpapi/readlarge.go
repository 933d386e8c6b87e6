package httpapi

import (
	"context"
	"errors"
	"io"
	"net/http"
	"runtime"
	"strconv"

	"relais/api"
	"relais/api/endpoint"
	"relais/internal/admit"
)

// readLarge answers an operation whose answers may be large: few at a time, and computed
// in turns. An answer that is worth keeping is computed once for all clients.
func (o *operation) readLarge(s *Server, x *exchange, call *endpoint.Call[*api.Env], env *api.Env,
	asked answerKey) {
	file := call.MakesFile()
	switch {
	case file && !x.reserve(admit.Cost{Places: 1, Bytes: fileBytes}):
		s.failOperation(o, x, api.ErrMakingFile)
		return
	case !file && !x.reserve(admit.Cost{Places: 1, Bytes: streamBytes}):
		s.failOperation(o, x, api.ErrTooManyAnswers)
		return
	}
	x.waitLong()
	// HTTP/1.0, which nginx speaks to servers by default, has no chunks: without a length, the beginning of an
	// answer that ends with the server would be taken for the whole.
	whole := o.Kept || file || !x.r.ProtoAtLeast(1, 1)
	if whole && x.r.Method == http.MethodGet && asked.version != "" && o.readKept(s, x, call, env, asked) {
		return
	}
	if o.takeTurn(s, x, s.large, paid(func() []string { return []string{x.client.ID} })) {
		o.answer(s, x, call, env, asked)
	}
}

// paid returns who pays for a large answer: one of the clients that wait for it.
func paid(who func() []string) func() []admit.Payer {
	return func() (list []admit.Payer) {
		for _, client := range who() {
			list = append(list, admit.Payer{client})
		}
		return list
	}
}

// readKept answers from the spool, and reports whether it did.
func (o *operation) readKept(s *Server, x *exchange, call *endpoint.Call[*api.Env], env *api.Env,
	asked answerKey) bool {
	c := negotiate(x.r.Header["Accept-Encoding"])
	if c == nil || call.MakesFile() {
		c = identity
	}
	make := func(ctx context.Context, who func() []string, w io.Writer) (p packed, contentType string, err error) {
		turn, err := s.large.Begin(ctx, paid(who))
		if err != nil {
			return p, "", err
		}
		defer turn.Pause()
		result, err := call.Do(ctx, env)
		if err != nil {
			return p, "", err
		}
		stream, err := streamOf(result)
		if err != nil {
			return p, "", err
		}
		p, err = c.pack(w, computed{stream, turn}, false)
		p.content, p.fileName = isContent(stream), fileName(stream)
		return p, stream.ContentType(), err
	}
	kept, err := s.spool.get(x.r.Context(), cacheKey{asked, c}, x.client.ID, make)
	switch {
	case errors.Is(err, errNoSpool):
		s.Log.Debug("an answer cannot be kept: it is made for one client", "requestId", x.id, "operation", o.Name, "error", err)
		return false
	case err != nil:
		s.failOperation(o, x, err)
		return true
	}
	defer s.spool.release(kept)
	tag := etag(s.shapes, asked)
	if etagMatches(x.r.Header["If-None-Match"], "*") {
		o.notModified(x, tag)
		return true
	}
	o.setHeaders(x, tag)
	if err := s.sendKept(x, kept, c); err != nil {
		s.abort(x, err)
	}
	return true
}

// sendKept sends an answer of the spool.
func (s *Server) sendKept(x *exchange, kept *spooled, c *coding) error {
	x.reserve(admit.Cost{Places: 1, Bytes: sentBytes}) // less than before, so it cannot fail
	h, tail := x.w.Header(), x.tail()
	if kept.content {
		tail = nil
	}
	end := c.end(&kept.packed, tail)
	setFileName(h, kept.fileName)
	h["Content-Type"] = []string{kept.contentType}
	h["Content-Length"] = []string{strconv.FormatInt(kept.size+int64(len(end)), 10)}
	if c != identity {
		h["Content-Encoding"] = c.header
	}
	x.sendHeader(http.StatusOK)
	w := newChunkWriter(x)
	defer w.release()
	w.late = true // it may have waited for others who compute
	if _, err := io.Copy(w, io.NewSectionReader(kept.file, 0, kept.size)); err != nil {
		return err
	}
	w.Write(end) // the error stays in w
	return w.flush()
}

// processors returns how many processors Go may use.
func processors() int { return min(runtime.NumCPU(), runtime.GOMAXPROCS(0)) }

const turnBytes = 1 << 20 // that are computed in one turn

// A computed is a stream that is computed in turns.
type computed struct {
	endpoint.Stream
	turn *admit.Turn
}

// WriteTo implements endpoint.Stream.
func (c computed) WriteTo(w io.Writer) (int64, error) {
	since := 0
	return c.Stream.WriteTo(writerFunc(func(p []byte) (int, error) {
		if since += len(p); since >= turnBytes {
			since = 0
			c.turn.Pause()
			if err := c.turn.Resume(); err != nil {
				return 0, err
			}
		}
		return w.Write(p)
	}))
}

type writerFunc func(p []byte) (int, error)

// Write implements io.Writer.
func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
