package httpapi

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"relais/api/endpoint"
)

// A client is a ResponseWriter that counts writes and the deadlines that were
// set before each, and that goes away after a number of writes.
type client struct {
	*httptest.ResponseRecorder
	pieces    []int
	deadlines []bool
	armed     bool
	stays     int
}

func (c *client) SetWriteDeadline(t time.Time) error {
	c.armed = time.Until(t) > chunkTime/2
	return nil
}

func (c *client) Write(p []byte) (int, error) {
	if len(c.pieces) == c.stays {
		return 0, errors.New("connection reset by peer")
	}
	c.pieces, c.deadlines, c.armed = append(c.pieces, len(p)), append(c.deadlines, c.armed), false
	return c.ResponseRecorder.Write(p)
}

// A pieces answer writes a number of equal texts, and then fails where it should.
type pieces struct {
	n, size int
	err     error
}

func (p pieces) write(w io.Writer) error {
	for range p.n {
		if _, err := io.WriteString(w, strings.Repeat("x", p.size)); err != nil {
			return err
		}
	}
	return p.err
}

// known is an answer whose size is known.
func (p pieces) known() *endpoint.Answer {
	return &endpoint.Answer{ContentType: endpoint.JSONType, Size: int64(p.n * p.size), Write: p.write}
}

// noise is an answer of as many bytes that do not compress, of a size that is not known beforehand.
func (p pieces) noise() *endpoint.Answer {
	return unsized(func(w io.Writer) error {
		state, piece := uint32(1), make([]byte, p.size)
		for range p.n {
			for k := range piece {
				state = state*1664525 + 1013904223
				piece[k] = byte(state >> 24)
			}
			if _, err := w.Write(piece); err != nil {
				return err
			}
		}
		return p.err
	})
}

func unsized(write func(io.Writer) error) *endpoint.Answer {
	return &endpoint.Answer{ContentType: endpoint.JSONType, Size: -1, Write: write}
}

// Every piece but the first has a deadline of its own, whatever the sizes of
// what is written.
func TestSendDeadlines(t *testing.T) {
	for _, p := range []pieces{{n: 1, size: 100}, {n: 10000, size: 97}, {n: 3, size: 700_000}, {n: 1, size: 3 << 20},
		{n: 9, size: chunkBytes}, {n: 2000, size: 1000}} {
		c := &client{ResponseRecorder: httptest.NewRecorder(), stays: -1}
		w := newChunkWriter(c)
		must(t, errors.Join(p.write(w), w.Flush()))
		w.release()
		if c.Body.Len() != p.n*p.size {
			t.Errorf("%+v: %d bytes, want %d", p, c.Body.Len(), p.n*p.size)
		}
		for i, n := range c.pieces {
			if n > chunkBytes || c.deadlines[i] != (i > 0) || i < len(c.pieces)-1 && n < chunkBytes/2 {
				t.Errorf("%+v: piece %d of %d has %d bytes, deadline %v, want at most %d, and a deadline from the "+
					"second on", p, i, len(c.pieces), n, c.deadlines[i], chunkBytes)
			}
		}
	}
}

// An answer that cannot be finished is cut off, and never ends as if it were
// whole.
func TestCutOff(t *testing.T) {
	s := newServer(t)
	broken := errors.New("broken")
	for _, tt := range []struct {
		name  string
		stays int
		err   error
	}{
		{"client", 1, nil},
		{"stream", -1, broken},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, coding := range []string{"identity", "gzip", "zstd"} {
				c := &client{ResponseRecorder: httptest.NewRecorder(), stays: tt.stays}
				r := httptest.NewRequest(http.MethodGet, "/", nil)
				r.Header.Set("Accept-Encoding", coding)
				// Of a size that is not held, and that does not compress into one piece.
				w := newAnswer(s, c, r)
				err := w.sendTo(pieces{n: 3 << 10, size: 4 << 10, err: tt.err}.noise(), answerKey{"1", tt.name})
				w.claim.Release()
				if _, gone := errors.AsType[goneError](err); err == nil || gone != (tt.name == "client") ||
					tt.err != nil && !errors.Is(err, tt.err) {
					t.Errorf("%s, %s: got error %v", tt.name, coding, err)
				}
				if strings.Contains(c.Body.String(), "requestId") {
					t.Errorf("%s, %s: the answer has an end", tt.name, coding)
				}
			}
		})
	}
	defer func() {
		if err, ok := recover().(error); !ok || !errors.Is(err, http.ErrAbortHandler) {
			t.Error("the connection was not cut")
		}
	}()
	newAnswer(s, httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil)).abort(broken)
}

// newAnswer returns the answer to a request that is written to w.
func newAnswer(s *Server, w http.ResponseWriter, r *http.Request) *answer {
	return &answer{ResponseWriter: w, request: &request{Request: r, server: s, id: "1"}}
}

// What has no body is not made.
func TestHeadOfAStream(t *testing.T) {
	s := newServer(t)
	for _, a := range []*endpoint.Answer{pieces{n: 1 << 20, size: 4 << 10, err: errors.New("made")}.noise(),
		pieces{n: 9 << 10, size: 1 << 10, err: errors.New("made")}.known()} {
		for _, coding := range []string{"identity", "gzip"} {
			c := &client{ResponseRecorder: httptest.NewRecorder(), stays: 0}
			r := httptest.NewRequest(http.MethodHead, "/", nil)
			r.Header.Set("Accept-Encoding", coding)
			if err := newAnswer(s, c, r).sendTo(a, answerKey{"1", "head"}); err != nil ||
				c.Code != 200 || c.Header().Get("Content-Type") == "" {
				t.Errorf("%s: %v, status %d, header %v; want 200 with a Content-Type", coding, err, c.Code, c.Header())
			}
		}
	}
}
