package httpapi

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
)

type nowhere struct{ h http.Header }

func (n nowhere) Header() http.Header       { return n.h }
func (nowhere) Write(p []byte) (int, error) { return len(p), nil }
func (nowhere) WriteHeader(int)             {}

// One site, with everything that is around it.
func BenchmarkByID(b *testing.B) {
	s := newServer(b)
	s.Requests = slog.New(slog.NewTextHandler(io.Discard, nil))
	key, _ := testKeys.Load(s.Gate)
	r := httptest.NewRequest("GET", mount+"/antennas/90000010", nil)
	r.Header.Set("X-API-Key", key.(string))
	b.ReportAllocs()
	for b.Loop() {
		w := nowhere{http.Header{}}
		s.ServeHTTP(w, r)
	}
}
