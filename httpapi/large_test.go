package httpapi

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// A mass stream writes one piece of memory many times, as an export of millions of
// sites writes many.
type mass struct {
	pieces
	text []byte
}

func (m mass) Size() int64 { return int64(m.n) * int64(len(m.text)) }

func (m mass) WriteTo(w io.Writer) (n int64, err error) {
	for range m.n {
		if _, err := w.Write(m.text); err != nil {
			return n, err
		}
		n += int64(len(m.text))
	}
	return n, nil
}

// A counter counts what is written and keeps the end of it.
type counter struct {
	http.ResponseWriter
	n   int64
	end []byte
}

func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	c.end = append(c.end[:0], p[max(0, len(p)-64):]...)
	return len(p), nil
}

func TestAnswerBeyond4GiB(t *testing.T) {
	s := newServer(t)
	stream := mass{pieces: pieces{n: 5000}, text: make([]byte, 1<<20)}
	w := &counter{ResponseWriter: httptest.NewRecorder()}
	x := &exchange{server: s, w: w, r: httptest.NewRequest(http.MethodGet, "/", nil), id: "1"}
	if err := s.send(x, stream, answerKey{"1", "mass"}); err != nil {
		t.Fatal(err)
	}
	want := 5000<<20 + int64(len(x.tail()))
	if got := w.Header().Get("Content-Length"); got != fmt.Sprint(want) || w.n != want || x.bytes != want ||
		want < 1<<32 {
		t.Errorf("Content-Length %s, %d bytes sent, %d noted, want %d", got, w.n, x.bytes, want)
	}
	if tail := string(x.tail()); string(w.end) != tail {
		t.Errorf("it ends with %q, want %q", w.end, tail)
	}
}
