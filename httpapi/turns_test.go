package httpapi

import (
	"io"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"relais/api/endpoint"
	"relais/auth/access"
	"relais/internal/admit"
	"relais/internal/tier"
)

// work is an answer of n MiB that computes for a time, which it writes down, before each of them.
func work(n int, each time.Duration, done *atomic.Int64) *endpoint.Answer {
	return unsized(func(w io.Writer) error {
		for range n {
			time.Sleep(each)
			done.Add(int64(each))
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				return err
			}
		}
		return nil
	})
}

// However much one client asks for, it computes for a fifth of the processors' time, and
// another one is answered at once.
func TestShareOfTheProcessor(t *testing.T) {
	tier.Slow(t)
	s := newServer(t)
	var busy, other atomic.Int64
	serveStreams(s, true, map[string]*endpoint.Answer{
		"/busy":  work(1000, 50*time.Millisecond, &busy),
		"/other": work(20, 50*time.Millisecond, &other),
	})
	a, b := newClient(t, s, access.Server, access.ReadScopes, manyRequests), newClient(t, s, access.Server,
		access.ReadScopes, manyRequests)
	synctest.Test(t, func(t *testing.T) {
		const processors = 2
		s.large = admit.NewTurns(processors)
		ask := func(i *access.Issued, target string) {
			r := httptest.NewRequest("GET", "http://relais.test"+mount+target, nil)
			r.Header.Set("X-API-Key", i.APIKey)
			r.RemoteAddr = "192.0.2.1:1"
			w := httptest.NewRecorder()
			w.Body = nil
			s.ServeHTTP(w, r.WithContext(t.Context()))
			if w.Code != 200 {
				t.Errorf("%s: %d, want 200", target, w.Code)
			}
		}
		ended := make(chan struct{})
		for range clientStreams {
			go func() {
				defer func() { ended <- struct{}{} }()
				ask(a, "/busy")
			}()
		}
		start := time.Now()
		time.Sleep(time.Minute)
		if did, most := time.Duration(busy.Load()), 3*time.Second+processors*time.Minute/5+time.Second; did > most ||
			did < 20*time.Second {
			t.Errorf("one client computed for %s of a minute, want at most %s", did, most)
		}
		asked := time.Now()
		ask(b, "/other")
		if took := time.Since(asked); other.Load() != int64(time.Second) || took > 3*time.Second {
			t.Errorf("another client waited %s for what takes a second, other %v, want at most %s and other = %v",
				took, other.Load(), 3*time.Second, time.Second)
		}
		for range clientStreams {
			<-ended
		}
		if took := time.Since(start); busy.Load() != int64(200*time.Second) || took < 8*time.Minute {
			t.Errorf("got %s in %s, busy %v, want at least %s and busy = %v", time.Duration(busy.Load()), took,
				busy.Load(), 8*time.Minute, 200*time.Second)
		}
	})
	wantNothingUnderway(t, s)
}
