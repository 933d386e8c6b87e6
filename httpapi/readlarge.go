package httpapi

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"relais/api"
	"relais/api/endpoint"
)

// readLarge answers an operation whose answers may be large: few at a time, and computed
// in turns. An answer that is worth keeping is computed once for all clients.
func (o *operation) readLarge(s *Server, x *exchange, call *endpoint.Call[*api.Env], env *api.Env,
	asked answerKey) {
	file := call.MakesFile()
	switch {
	case file && !x.reserve(load{1, fileBytes}):
		s.failOperation(o, x, api.ErrMakingFile)
		return
	case !file && !x.reserve(load{1, streamBytes}):
		s.failOperation(o, x, api.ErrTooManyAnswers)
		return
	}
	// net/http would take the read deadline for the end of the connection.
	_ = http.NewResponseController(x.w).SetReadDeadline(time.Time{})
	// HTTP/1.0, which nginx speaks to servers by default, has no chunks: without a length, the beginning of an
	// answer that ends with the server would be taken for the whole.
	whole := o.Kept || file || !x.r.ProtoAtLeast(1, 1)
	if whole && x.r.Method == http.MethodGet && asked.version != "" && o.readKept(s, x, call, env, asked) {
		return
	}
	var err error
	if x.turn, err = s.turns.begin(x.r.Context(), func() []string { return []string{x.holder()} }); err != nil {
		s.failOperation(o, x, err)
		return
	}
	o.answer(s, x, call, env, asked) // the turn ends with x
}

// readKept answers from the spool, and reports whether it did.
func (o *operation) readKept(s *Server, x *exchange, call *endpoint.Call[*api.Env], env *api.Env,
	asked answerKey) bool {
	c := negotiate(x.r.Header["Accept-Encoding"])
	if c == nil || call.MakesFile() {
		c = identity
	}
	make := func(ctx context.Context, who func() []string, w io.Writer) (p packed, contentType string, err error) {
		turn, err := s.turns.begin(ctx, who)
		if err != nil {
			return p, "", err
		}
		defer turn.pause()
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
	kept, err := s.spool.get(x.r.Context(), cacheKey{asked, c}, x.holder(), make)
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
	x.reserve(load{1, sentBytes}) // less than before, so it cannot fail
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
