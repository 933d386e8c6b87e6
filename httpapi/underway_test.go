package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"relais/api"
	"relais/api/endpoint"
	"relais/auth/access"
	"relais/internal/admit"
)

// An unread is a ResponseWriter whose client does not read until it goes away.
type unread struct {
	*httptest.ResponseRecorder
	gone chan struct{}
}

func (u unread) Write(p []byte) (int, error) {
	if u.Code != http.StatusOK {
		return u.ResponseRecorder.Write(p)
	}
	<-u.gone
	return 0, errors.New("connection reset by peer")
}

var manyRequests = access.Limits{Minute: 1000, Day: 1000}

// serveStreams adds operations to s that answer streams, by path.
func serveStreams(s *Server, large bool, answers map[string]*endpoint.Answer) {
	for path, a := range answers {
		s.mountOperations([]*endpoint.Op[*api.Env]{endpoint.New(endpoint.Decl{Name: path, Path: path,
			Scope: "antennas:read", FailureName: "ANTENNAS", Large: large, Columns: []string{"data"}},
			func(*api.Env, context.Context, *struct{}) (*endpoint.Answer, error) { return a, nil })})
	}
}

// askUnread asks n times for a target, as clients in turn, and reads nothing of the answers
// until leave is called. It returns the answers' statuses, 200 for those under way.
func askUnread(s *Server, n int, target, coding string, clients ...*access.Issued) (answers []unread, leave func()) {
	gone := make(chan struct{})
	for i := range n {
		u := unread{httptest.NewRecorder(), gone}
		r := httptest.NewRequest("GET", "http://relais.test"+mount+target, nil)
		client := clients[i%len(clients)]
		for headers := clientHeaders(client, mount+target); len(headers) > 0; headers = headers[2:] {
			r.Header.Set(headers[0], headers[1])
		}
		r.RemoteAddr = fmt.Sprintf("192.0.2.%d:1", 1+i)
		r.Header.Set("Accept-Encoding", coding)
		answers = append(answers, u)
		go func() {
			defer func() { _ = recover() }() // it is cut off
			s.ServeHTTP(u, r)
		}()
		synctest.Wait() // one after the other, so that it is known who was first
	}
	return answers, func() { close(gone); synctest.Wait() }
}

// wantBusy checks which of the answers are refused: those from the first on.
func wantBusy(t *testing.T, answers []unread, first int) {
	t.Helper()
	for i, a := range answers {
		switch {
		case i < first && a.Code != 200 || i >= first && a.Code == 200:
			t.Errorf("answer %d: %d %s", i, a.Code, a.Body)
		case i >= first:
			wantError(t, a.ResponseRecorder, 503, "BUSY")
			if a.Header().Get("Retry-After") == "" {
				t.Errorf("no Retry-After: %v", a.Header())
			}
		}
	}
}

// A client has four large answers under way, whichever they are, and others have theirs.
func TestHeavyAnswersOfAClient(t *testing.T) {
	s := newServer(t)
	serveStreams(s, false, map[string]*endpoint.Answer{"/unknown": pieces{n: 9, size: 1 << 20}.noise(),
		"/large": pieces{n: 9, size: 1 << 20}.known()})
	a, b := newClient(t, s, access.Server, access.ReadScopes, manyRequests), newClient(t, s, access.Server,
		access.ReadScopes, manyRequests)
	for _, target := range []string{"/unknown", "/large", "/antennas/export?format=geojson"} {
		for _, coding := range []string{"identity", "gzip", "zstd"} {
			synctest.Test(t, func(t *testing.T) {
				answers, leave := askUnread(s, clientStreams+2, target, coding, a)
				wantBusy(t, answers, clientStreams)
				others, leaveToo := askUnread(s, 1, target, coding, b)
				wantBusy(t, others, 1)
				leave()
				leaveToo()
				again, leave := askUnread(s, clientStreams, target, coding, a)
				wantBusy(t, again, clientStreams)
				leave()
			})
		}
	}
	wantNothingUnderway(t, s)
}

func wantNothingUnderway(t *testing.T, s *Server) {
	t.Helper()
	if held, holders, _ := s.answers.Held(); held != (admit.Cost{}) || holders != 0 {
		t.Errorf("%v is under way, of %d, want nothing and none", held, holders)
	}
}

// Answers that are held in memory while they are read count by their size; one that is
// larger than the bound is answered when it is the only one.
func TestSlowReadersOfAnswersInMemory(t *testing.T) {
	s := newServer(t)
	s.pages = newPageCache(0) // what is kept there is not in question
	text := strings.Repeat("x", 5<<20)
	serveStreams(s, false, map[string]*endpoint.Answer{"/some": endpoint.Encoded([]byte(`{"data":"` + text + `"`)),
		"/small": endpoint.Encoded([]byte(`{"data":"` + text[:9000] + `"`))})
	i := newClient(t, s, access.Server, access.ReadScopes, manyRequests)
	synctest.Test(t, func(t *testing.T) {
		answers, leave := askUnread(s, 9, "/some", "identity", i)
		wantBusy(t, answers, 6) // of 5 MiB and a quarter each, in 32 MiB
		small, leaveToo := askUnread(s, 20, "/small", "identity", i)
		wantBusy(t, small, 20)
		leave()
		leaveToo()
		answers, leave = askUnread(s, 40, "/antennas?limit=1000", "zstd", i)
		for n, a := range answers {
			if a.Code != 200 {
				t.Errorf("list %d: %d %s, want 200", n, a.Code, a.Body)
			}
		}
		leave()
	})
	wantNothingUnderway(t, s)
}

// One visitor of a key that is for many people has half of what the key may.
func TestHeavyAnswersOfAVisitor(t *testing.T) {
	s := newServer(t)
	serveStreams(s, true, map[string]*endpoint.Answer{"/large": pieces{n: 9, size: 1 << 20}.noise()})
	i := newClient(t, s, access.Browser, access.ReadScopes, manyRequests)
	synctest.Test(t, func(t *testing.T) {
		visitor := func(address string) *unread {
			u := &unread{httptest.NewRecorder(), make(chan struct{})}
			t.Cleanup(func() { close(u.gone) })
			r := httptest.NewRequest("GET", "http://relais.test"+mount+"/large", nil)
			r.Header.Set("X-API-Key", i.APIKey)
			r.Header.Set("Origin", allowedOrigin)
			r.RemoteAddr = address
			go func() {
				defer func() { _ = recover() }()
				s.ServeHTTP(*u, r)
			}()
			synctest.Wait()
			return u
		}
		for n, want := range []int{200, 200, 503} {
			if u := visitor(fmt.Sprintf("[2001:db8::%d]:1", n)); u.Code != want { // of one /64
				t.Errorf("answer %d of one visitor: %d, want %d", n, u.Code, want)
			}
		}
		if u := visitor("203.0.113.9:1"); u.Code != 200 {
			t.Errorf("another visitor: %d, want 200", u.Code)
		}
	})
}

// A reader is a client that reads so many bytes a second.
type reader struct {
	*httptest.ResponseRecorder
	rate     int
	deadline time.Time
	read     int
}

func (r *reader) SetWriteDeadline(t time.Time) error {
	r.deadline = t
	return nil
}

func (r *reader) Write(p []byte) (int, error) {
	takes := time.Duration(len(p)) * time.Second / time.Duration(r.rate)
	if left := time.Until(r.deadline); !r.deadline.IsZero() && left < takes {
		time.Sleep(left)
		return 0, context.DeadlineExceeded
	}
	time.Sleep(takes)
	r.read += len(p)
	return len(p), nil
}

// What is encoded while it is sent must be read at 64 kB/s after the first 30 seconds; what
// is prepared need not.
func TestSlowReaders(t *testing.T) {
	s := newServer(t)
	s.pages = newPageCache(0)
	const size = 6 << 20
	serveStreams(s, false, map[string]*endpoint.Answer{"/encoded": pieces{n: size >> 20, size: 1 << 20}.noise(),
		"/ready": endpoint.Encoded([]byte(`{"data":"` + strings.Repeat("x", size) + `"`))})
	for _, tt := range []struct {
		target      string
		rate        int // bytes a second
		least, most int // that are read
	}{
		{"/encoded", 10 << 10, 0, 1 << 20}, // 30 s, and a little
		{"/encoded", 40 << 10, 2 << 20, 4 << 20},
		{"/encoded", 70 << 10, size, size + 1000},
		{"/encoded", 10 << 20, size, size + 1000},
		{"/ready", 10 << 10, size, size + 1000},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := &reader{ResponseRecorder: httptest.NewRecorder(), rate: tt.rate}
			r := httptest.NewRequest("GET", "http://relais.test"+mount+tt.target, nil)
			key, _ := testKeys.Load(s.Gate)
			r.Header.Set("X-API-Key", key.(string))
			func() {
				defer func() { _ = recover() }() // it is cut off
				s.ServeHTTP(w, r)
			}()
			if w.read < tt.least || w.read > tt.most {
				t.Errorf("%s at %d bytes a second: %d bytes, want %d to %d", tt.target, tt.rate, w.read, tt.least,
					tt.most)
			}
		})
	}
	wantNothingUnderway(t, s)
}

// Whatever the number of clients who do not read, the memory of what is under way is bounded, and answers of
// everyday size still pass.
func TestManySlowReaders(t *testing.T) {
	s := newServer(t)
	s.pages = newPageCache(0)
	serveStreams(s, true, map[string]*endpoint.Answer{"/large": pieces{n: 9, size: 1 << 20}.noise()})
	serveStreams(s, false, map[string]*endpoint.Answer{
		"/some": endpoint.Encoded([]byte(`{"data":"` + strings.Repeat("x", 7<<20) + `"`))})
	var clients []*access.Issued
	for range 10 {
		clients = append(clients, newClient(t, s, access.Server, access.ReadScopes, manyRequests))
	}
	for _, tt := range []struct {
		target, coding string
		most           int
	}{
		{"/large", "zstd", 32},
		{"/some", "identity", 17}, // of 7 MiB and a quarter each, in 128 MiB
	} {
		synctest.Test(t, func(t *testing.T) {
			answers, leave := askUnread(s, 40, tt.target, tt.coding, clients...)
			wantBusy(t, answers, tt.most)
			if held, _, _ := s.answers.Held(); held.Bytes > answerBytes {
				t.Errorf("%s: %d bytes are under way, want at most %d", tt.target, held.Bytes, answerBytes)
			}
			parse(t, get(t, s, "/antennas?limit=5"), 200)
			leave()
		})
	}
	wantNothingUnderway(t, s)
}
