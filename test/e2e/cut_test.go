//go:build linux

package e2e

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A partial is an answer under way, whose client does not read any more.
type partial struct {
	name   string
	answer *http.Response
}

// begin asks over a connection of its own, with a small buffer, and reads the header of the answer.
func (s *server) begin(name, key, target, protocol, coding string) partial {
	s.t.Helper()
	d := net.Dialer{Control: func(_, _ string, c syscall.RawConn) (err error) {
		return errors.Join(c.Control(func(fd uintptr) {
			err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096)
		}), err)
	}}
	c, err := d.DialContext(s.t.Context(), "tcp", strings.TrimPrefix(s.base, "http://"))
	must(s.t, err)
	s.t.Cleanup(func() { c.Close() })
	fmt.Fprintf(c, "GET /external/v1/antennas/export?%s %s\r\nHost: x\r\nX-API-Key: %s\r\nAccept-Encoding: %s\r\n\r\n", target, protocol,
		key, coding)
	answer, err := http.ReadResponse(bufio.NewReaderSize(c, 4096), nil)
	if err != nil || answer.StatusCode != http.StatusOK {
		s.t.Fatalf("%s: %v, %v, want an answer with status 200", name, answer, err)
	}
	return partial{name, answer}
}

// rest reads what is left, as the coding says.
func (h partial) rest() ([]byte, error) {
	body := io.Reader(h.answer.Body)
	if h.answer.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(body)
		if err != nil {
			return nil, err
		}
		body = z
	}
	return io.ReadAll(body)
}

// An export that ends with the server, whether it is stopped or killed, is an error for its client, and no reader
// takes the half of a file.
func TestInterruptedExports(t *testing.T) {
	t.Parallel() // a server that is stopped waits for what runs
	c := makeCountry(t, 12000)
	other := createClient(t, c.dir, ofBackend("another", "all-read")...).APIKey
	for _, tt := range []struct {
		name string
		end  func(*server)
	}{
		{"killed", (*server).kill},
		{"stopped", (*server).stop},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, c.dir)
			answers := []partial{
				s.begin("Parquet", s.key, "format=parquet&rows=emissions", "HTTP/1.1", "identity"),
				s.begin("KMZ", other, "format=kmz&operator=FREE&bbox=-5,42,8,51&generation=5G&technology=5G%20NR%203500", "HTTP/1.1", "gzip"),
				s.begin("CSV", s.key, "format=csv&rows=emissions", "HTTP/1.1", "identity"),
				s.begin("CSV in gzip", s.key, "format=csv&rows=emissions", "HTTP/1.1", "gzip"),
				s.begin("CSV over HTTP/1.0", s.key, "format=csv&rows=emissions", "HTTP/1.0", "identity"),
				s.begin("GeoJSON", other, "format=geojson&properties=full", "HTTP/1.1", "identity"),
			}
			tt.end(s)
			for _, h := range answers {
				body, err := h.rest()
				if !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, syscall.ECONNRESET) {
					t.Errorf("%s: %d bytes and error %v, want io.ErrUnexpectedEOF or a reset connection", h.name, len(body), err)
				}
				if _, err := zip.NewReader(bytes.NewReader(body), int64(len(body))); h.name == "KMZ" && err == nil {
					t.Errorf("the first %d bytes of a KMZ can be read", len(body))
				}
				if h.name == "Parquet" && bytes.HasSuffix(body, []byte("PAR1")) {
					t.Errorf("the first %d bytes of a Parquet file have its end", len(body))
				}
			}
		})
	}
}

// An export by the command that is interrupted leaves no file.
func TestInterruptedCommand(t *testing.T) {
	dir := makeCountry(t, 3000).dir
	path := filepath.Join(t.TempDir(), "out.csv")
	cmd := prepared(t, "export", "--data", dir, "--market", "FR", "--format", "csv", "--rows", "emissions", "-o", path)
	must(t, cmd.Start())
	waitFor(func() bool {
		parts, _ := filepath.Glob(path + "*")
		return len(parts) > 0
	})
	if err := cmd.Process.Signal(os.Interrupt); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
	err := cmd.Wait()
	files, globErr := filepath.Glob(path + "*")
	if globErr != nil {
		t.Fatal(globErr)
	}
	if err != nil && len(files) > 0 || err == nil && len(files) != 1 {
		t.Errorf("the command ended with %v, and there are %q: want no file after an error", err, files)
	}
}
