package httpapi

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"relais/api"
	"relais/api/endpoint"
	"relais/internal/admit"
	"relais/internal/tier"
)

var errHalfway = errors.New("the rest cannot be read")

// serveHalves adds operations whose answers fail after 9 MB: a list, a large answer that is sent while it is
// made, and a file that is made first.
func serveHalves(s *Server) {
	half := pieces{n: 9, size: 1 << 20, err: errHalfway}.noise()
	serveStreams(s, false, map[string]*endpoint.Answer{"/list": half})
	serveStreams(s, true, map[string]*endpoint.Answer{"/export": half})
	s.mountOperations([]*endpoint.Op[*api.Env]{endpoint.New(endpoint.Decl{Name: "/file", Path: "/file", Scope: "antennas:read",
		FailureName: "ANTENNAS", Large: true, Columns: []string{"data"}, MakesFile: func(any) bool { return true }},
		func(*api.Env, context.Context, *struct{}) (*endpoint.Answer, error) { return half, nil })})
}

// wire asks over a connection of its own, and returns the status with the body, as it came, and why reading ended.
func wire(t *testing.T, s *Server, address, protocol, target, coding string) (status int, body []byte, err error) {
	t.Helper()
	key, _ := testKeys.Load(s.Gate)
	c, err := net.Dial("tcp", address)
	must(t, err)
	defer c.Close()
	fmt.Fprintf(c, "GET %s%s %s\r\nHost: relais.test\r\nX-API-Key: %s\r\nAccept-Encoding: %s\r\nConnection: close\r\n\r\n",
		mount, target, protocol, key, coding)
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	body, err = io.ReadAll(answer.Body)
	if err != nil {
		return answer.StatusCode, body, err
	}
	switch answer.Header.Get("Content-Encoding") {
	case "gzip":
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return answer.StatusCode, nil, err
		}
		body, err = io.ReadAll(z)
		return answer.StatusCode, body, err
	case "zstd":
		z, err := zstd.NewReader(bytes.NewReader(body))
		if err != nil {
			return answer.StatusCode, nil, err
		}
		defer z.Close()
		body, err = io.ReadAll(z)
		return answer.StatusCode, body, err
	}
	return answer.StatusCode, body, nil
}

// No client takes the beginning of an answer that could not be finished for the whole, whichever protocol and coding
// it speaks. What is made before it is sent is an error.
func TestCutAnswers(t *testing.T) {
	tier.Slow(t)
	s := newServer(t)
	serveHalves(s)
	server := httptest.NewServer(s)
	defer server.Close()
	address := server.Listener.Addr().String()
	for _, kept := range []string{t.TempDir(), ""} { // "" has no place for files
		s.files = newFiles(kept, keptBytes)
		for _, protocol := range []string{"HTTP/1.1", "HTTP/1.0"} {
			for _, coding := range []string{"identity", "gzip", "zstd"} {
				for _, target := range []string{"/list", "/export", "/file"} {
					t.Run(fmt.Sprint(kept != "", protocol, coding, target), func(t *testing.T) {
						status, body, err := wire(t, s, address, protocol, target, coding)
						made := kept != "" && (target == "/file" || target == "/export" && protocol == "HTTP/1.0")
						switch {
						case made && status != http.StatusInternalServerError:
							t.Errorf("status %d, want 500: it is made before it is sent", status)
						case !made && err == nil:
							t.Errorf("status %d and %d bytes that end well, want an error", status, len(body))
						case !made && protocol == "HTTP/1.1" && !errors.Is(err, io.ErrUnexpectedEOF):
							t.Errorf("error %v, want io.ErrUnexpectedEOF", err)
						case !made && protocol == "HTTP/1.0" && !errors.Is(err, syscall.ECONNRESET):
							t.Errorf("error %v, want a connection that was reset", err)
						}
					})
				}
			}
		}
	}
	for range 1000 { // a handler may end after its connection
		if held, _, _ := s.answers.Held(); held == (admit.Cost{}) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	wantNothingUnderway(t, s)
}

// A client of HTTP/1.0 gets exports with their length.
func TestExportsOverHTTP10(t *testing.T) {
	s := newServer(t)
	s.files = newFiles(t.TempDir(), keptBytes)
	want := get(t, s, "/antennas/export?format=csv").Body.Bytes()
	server := httptest.NewServer(s)
	defer server.Close()
	for _, coding := range []string{"identity", "gzip", "zstd"} {
		status, body, err := wire(t, s, server.Listener.Addr().String(), "HTTP/1.0", "/antennas/export?format=csv", coding)
		if status != 200 || err != nil || !bytes.Equal(body, want) {
			t.Errorf("%s: status %d, %d bytes, error %v; want 200 and %d bytes", coding, status, len(body), err, len(want))
		}
	}
	if got := len(s.files.entries); got != 3 {
		t.Errorf("%d answers were made whole, want one for each coding", got)
	}
}
