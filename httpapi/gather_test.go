package httpapi

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A countingListener counts how often its connections are written to.
type countingListener struct {
	net.Listener
	writes *atomic.Int64
}

func (l countingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return &countingConn{c, l.writes}, err
}

type countingConn struct {
	net.Conn
	writes *atomic.Int64
}

func (c *countingConn) Write(p []byte) (int, error) {
	c.writes.Add(1)
	return c.Conn.Write(p)
}

// gathering serves s as the command line does.
func gathering(t *testing.T, s http.Handler) (address string, writes *atomic.Int64) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	writes = &atomic.Int64{}
	server := &http.Server{Handler: s, ConnContext: ConnContext, ErrorLog: nil}
	var ended sync.WaitGroup
	ended.Go(func() { server.Serve(Gather(countingListener{l, writes})) })
	t.Cleanup(func() { server.Close(); ended.Wait() })
	return l.Addr().String(), writes
}

func dialTo(t *testing.T, address string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(20 * time.Second))
	return c
}

// The connection carries what the handler answered, several requests after each
// other, of every size and kind; what fits goes out in one write.
func TestGatheredAnswers(t *testing.T) {
	s := newServer(t)
	address, writes := gathering(t, s)
	key, _ := testKeys.Load(s.Gate)
	c := dialTo(t, address)
	answers := bufio.NewReader(c)
	targets := []string{"/antennas/90000010", "/antennas?limit=1", "/antennas?limit=10", "/antennas?limit=1000", "/antennas/0", "/antennas?limit=0", "/antennas/export?format=geojson", "/markets"}
	for _, method := range []string{"GET", "HEAD"} {
		for _, target := range targets {
			for _, coding := range []string{"identity", "gzip", "zstd"} {
				headers := []string{"Accept-Encoding", coding, "X-Request-Id", "the-same"}
				want := do(t, s, method, mount+target, headers...)
				before := writes.Load()
				fmt.Fprintf(c, "%s %s HTTP/1.1\r\nHost: x\r\nX-API-Key: %s\r\nAccept-Encoding: %s\r\nX-Request-Id: the-same\r\n\r\n", method, mount+target, key, coding)
				got, err := http.ReadResponse(answers, &http.Request{Method: method})
				if err != nil {
					t.Fatalf("%s %s %s: %v", method, target, coding, err)
				}
				body, err := io.ReadAll(got.Body)
				if err != nil || got.StatusCode != want.Code {
					t.Fatalf("%s %s %s: %d %v", method, target, coding, got.StatusCode, err)
				}
				if method == "GET" && !bytes.Equal(body, want.Body.Bytes()) {
					t.Errorf("%s %s: %d bytes, want %d", target, coding, len(body), want.Body.Len())
				}
				for _, name := range []string{"X-RateLimit-Limit", "X-RateLimit-Limit-Day", "RateLimit-Policy", "Etag", "Content-Type"} {
					if g, w := got.Header.Values(name), want.Header().Values(name); !slices.Equal(g, w) {
						t.Errorf("%s %s: %s %q, want %q", method, target, name, g, w)
					}
				}
				most := int64(1)
				if got.ContentLength < 0 {
					most = 2 // the end of the chunks comes after the handler
				}
				if n := writes.Load() - before; len(body) < gatherBytes-4096 && n > most {
					t.Errorf("%s %s %s: %d bytes in %d writes", method, target, coding, len(body), n)
				}
			}
		}
	}
}

// What a mounted handler writes and flushes goes out at once, unless its answer is whole.
func TestWhole(t *testing.T) {
	s := newServer(t)
	for path, whole := range map[string]bool{"/pieces": false, "/whole": true} {
		s.Mount(path, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if whole {
				Whole(w)
			}
			w.Header().Set("Content-Length", "6000")
			for range 3 {
				_, _ = w.Write(bytes.Repeat([]byte("x"), 2000))
				_ = http.NewResponseController(w).Flush()
			}
		}))
	}
	address, writes := gathering(t, s)
	c := dialTo(t, address)
	answers := bufio.NewReader(c)
	for path, want := range map[string]int64{"/pieces": 3, "/whole": 1} {
		before := writes.Load()
		fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", path)
		got, err := http.ReadResponse(answers, nil)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		body, err := io.ReadAll(got.Body)
		if err != nil || len(body) != 6000 || got.Header.Get("X-Request-Id") == "" {
			t.Errorf("%s: %d bytes, %v, %v", path, len(body), got.Header, err)
		}
		if n := writes.Load() - before; n != want {
			t.Errorf("%s: %d writes, want %d", path, n, want)
		}
	}
}

// Two requests in one packet get two answers, in order.
func TestGatheredPipeline(t *testing.T) {
	s := newServer(t)
	address, _ := gathering(t, s)
	key, _ := testKeys.Load(s.Gate)
	c := dialTo(t, address)
	var sent strings.Builder
	for n := range 20 {
		fmt.Fprintf(&sent, "GET %s/antennas?limit=%d HTTP/1.1\r\nHost: x\r\nX-API-Key: %s\r\nX-Request-Id: n%d\r\n\r\n", mount, n%5+1, key, n)
	}
	if _, err := io.WriteString(c, sent.String()); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewReader(c)
	for n := range 20 {
		a, err := http.ReadResponse(answers, nil)
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		if _, err := io.Copy(w, a.Body); err != nil {
			t.Fatal(err)
		}
		o := parse(t, w, 200)
		if len(o["data"].([]any)) != n%5+1 || o["requestId"] != fmt.Sprintf("n%d", n) {
			t.Errorf("answer %d: %d items, %v", n, len(o["data"].([]any)), o["requestId"])
		}
	}
}

// A client that asks whether it may send its body is told so before the answer,
// and an answer that is cut off is seen to be.
func TestGatheredExceptions(t *testing.T) {
	s, done := noting(t)
	s.public.handle("/late", "GET", fixed(func(_ *Server, x *exchange) {
		x.Header().Set("Content-Length", "100")
		x.begin(200)
		x.Write([]byte("half"))
		panic("on purpose")
	}))
	address, _ := gathering(t, s)
	i := writer(t, s, false)
	c := dialTo(t, address)
	fmt.Fprintf(c, "POST %s/notes HTTP/1.1\r\nHost: x\r\nX-API-Key: %s\r\nContent-Type: text/plain\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n", mount, i.APIKey)
	answers := bufio.NewReader(c)
	if a, err := http.ReadResponse(answers, nil); err != nil || a.StatusCode != 100 {
		t.Fatalf("%v %v", a, err)
	}
	io.WriteString(c, "note")
	a, err := http.ReadResponse(answers, nil)
	if err != nil || a.StatusCode != 201 || done.Load() != 1 {
		t.Fatalf("%v %v", a, err)
	}
	io.Copy(io.Discard, a.Body)
	fmt.Fprint(c, "GET /late HTTP/1.1\r\nHost: x\r\n\r\n")
	if a, err = http.ReadResponse(answers, nil); err == nil {
		if _, err = io.ReadAll(a.Body); err == nil {
			t.Error("half an answer looks whole")
		}
	}
}
