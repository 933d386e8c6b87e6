package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
)

// slowReader asks for a path and reads the header of the answer, and nothing else as long
// as the connection is open.
func slowReader(t *testing.T, s *server, path, key string) (net.Conn, *http.Response) {
	t.Helper()
	d := net.Dialer{Control: func(_, _ string, c syscall.RawConn) (err error) {
		return c.Control(func(
			fd uintptr) {
			err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096)
		})
	}}
	conn, err := d.Dial("tcp", strings.TrimPrefix(s.base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(time.Minute))
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\nX-API-Key: %s\r\n\r\n", path, key)
	a, err := http.ReadResponse(bufio.NewReaderSize(conn, 16), nil)
	if err != nil {
		t.Fatal(err)
	}
	return conn, a
}

// Callers who ask for whole archives and do not read them have four at a time, and hold up
// nobody else.
func TestSlowReadersOfArchives(t *testing.T) {
	c := makeCountry(t, 3000)
	s := serve(t, nil, "serve", "--data", c.dir)
	if !waitFor(func() bool { return s.version("FR") != "" }) {
		t.Fatalf("not ready: %s", s.log)
	}
	slow := createClient(t, c.dir, "--name", "slow", "--mode", "server", "--cidr", "127.0.0.1/32", "--scopes",
		"all-read", "--minute", "100000", "--day", "100000")
	path := "/external/v1/anfr/archive/" + s.ask("/anfr/archives")["data"].([]any)[0].(string) + "?view=full"
	var open []net.Conn
	for n := range 24 {
		conn, a := slowReader(t, s, path, slow.APIKey)
		switch {
		case n < 4 && a.StatusCode == 200:
			open = append(open, conn)
		case n >= 4 && a.StatusCode == 503:
			if text, err := io.ReadAll(a.Body); err != nil || !strings.Contains(string(text), `"BUSY"`) ||
				a.Header.Get("Retry-After") == "" {
				t.Errorf("answer %d: %s %v", n, text, err)
			}
		default:
			t.Errorf("answer %d: %d", n, a.StatusCode)
		}
	}
	whole := func(key string) int {
		r, err := http.NewRequest(http.MethodGet, s.base+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-API-Key", key)
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Body.Close()
		if _, err := io.Copy(io.Discard, a.Body); err != nil {
			t.Error(err)
		}
		return a.StatusCode
	}
	if status := whole(s.key); status != 200 {
		t.Errorf("another client: %d", status)
	}
	for _, conn := range open {
		conn.Close()
	}
	if !waitFor(func() bool { return whole(slow.APIKey) == 200 }) {
		t.Error("the slow client's places are not free when its connections are closed")
	}
}
