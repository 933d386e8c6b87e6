package httpapi

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"relais/api/endpoint"
)

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

// An answer writes one piece of memory many times, as an export of millions of sites writes many.
func TestAnswerBeyond4GiB(t *testing.T) {
	s := newServer(t)
	text := make([]byte, 1<<20)
	large := &endpoint.Answer{ContentType: endpoint.JSONType, Size: 5000 << 20, Write: func(w io.Writer) error {
		for range 5000 {
			if _, err := w.Write(text); err != nil {
				return err
			}
		}
		return nil
	}}
	c := &counter{ResponseWriter: httptest.NewRecorder()}
	w := newAnswer(s, c, httptest.NewRequest(http.MethodGet, "/", nil))
	must(t, w.sendTo(large, answerKey{"1", "mass"}))
	want := 5000<<20 + int64(len(w.tail()))
	if got := w.Header().Get("Content-Length"); got != fmt.Sprint(want) || c.n != want || w.bytes != want ||
		want < 1<<32 {
		t.Errorf("Content-Length %s, %d bytes sent, %d noted, want %d", got, c.n, w.bytes, want)
	}
	if tail := string(w.tail()); string(c.end) != tail {
		t.Errorf("it ends with %q, want %q", c.end, tail)
	}
}
