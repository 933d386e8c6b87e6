//go:build linux

package e2e

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"relais/internal/filetest"
)

// A new snapshot is served soon, without one failed answer; a
// damaged one is refused and the old data goes on; a second server is refused.
func TestReloadUnderRequests(t *testing.T) {
	c := makeCountry(t, 800)
	s := serve(t, c.dir)
	fails(t, 1, fmt.Sprintf("process %d", s.cmd.Process.Pid), "serve", "--data", c.dir, "--listen", "127.0.0.1:0")

	var requests load
	for range 3 {
		requests.add(s.consistent)
	}
	before := s.version("FR")
	newer := filetest.New(t, "SYNTHETIC_observatoire_2026-01-22.csv", c.weekly(t, "2026-01-22"))
	run(t, "ingest", "--data", c.dir, "FR,DROM", newer)
	began := time.Now()
	s.waitUntil("the new snapshots are served", func() bool {
		return strings.HasPrefix(s.version("FR"), "2026-01-22") && strings.HasPrefix(s.version("DROM"), "2026-01-22")
	})
	t.Logf("the new snapshots are served after %s", time.Since(began).Round(time.Millisecond))
	if n := len(s.one("/antennas/90000010")["radio"].(object)["azimuts"].([]any)); n == 0 {
		t.Error("a weekly file alone lost the azimuths")
	}
	good := s.version("FR")
	if good == before {
		t.Errorf("version: got %s again, want another", good)
	}
	refusesSnapshots(t, s, c.dir)
	waitFor(func() bool { return requests.done.Load() >= 100 })
	if err := requests.stop(); err != nil || requests.done.Load() < 100 {
		t.Errorf("%d requests were answered, want 100 and none that failed: %v", requests.done.Load(), err)
	}
	s.stop()
}

// refusesSnapshots makes sure that a snapshot which is damaged does not replace the one
// that is served, and that it is taken when it is whole again.
func refusesSnapshots(t *testing.T, s *server, dir string) {
	t.Helper()
	good, snap := s.version("FR"), filepath.Join(dir, "snapshots", "FR.snap")
	whole := filetest.Read(t, snap)
	for _, tt := range []struct {
		name string
		bad  []byte
	}{
		{"truncated", half(whole)},
		{"flipped", flip(bytes.Clone(whole))},
		{"foreign", []byte("PNG, not a snapshot at all, but long enough for a header")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			replace(t, snap, tt.bad)
			s.waitUntil("/readyz has the problem", func() bool { return s.readyz()["problems"] != nil })
			if got := s.version("FR"); got != good {
				t.Errorf("version: got %s, want %s as before", got, good)
			}
			if got := s.meta("/antennas?limit=1")["sourceDate"]; got != "2026-01-22" {
				t.Errorf("sourceDate: got %v, want 2026-01-22", got)
			}
			fails(t, 1, "FR.snap", "snapshot", "verify", "--data", dir)
			replace(t, snap, whole)
			s.waitUntil("the whole file is taken", func() bool { return s.readyz()["problems"] == nil })
		})
	}
}

// consistent asks for FR and DROM in one answer and for a page, and makes sure
// that each answer is of one data version.
func (s *server) consistent() error {
	markets, err := s.try("/external/v1/markets")
	if err != nil {
		return err
	}
	list, ok := markets.object()["data"].([]any)
	if !ok {
		return fmt.Errorf("/markets: got %s, want a list", markets)
	}
	if fr, drom := list[0].(object)["sourceDate"], list[1].(object)["sourceDate"]; fr == nil || fr != drom {
		return fmt.Errorf("/markets: got FR of %v, DROM of %v; want one date", fr, drom)
	}
	page, err := s.try("/external/v1/antennas?limit=500")
	if err != nil {
		return err
	}
	old, young := bytes.Contains(page.body, []byte("2026-01-15")), bytes.Contains(page.body, []byte("2026-01-22"))
	if old == young {
		return fmt.Errorf("/antennas: got a page with data of before %t, of after %t: %s; want one of them", old, young, page)
	}
	return nil
}

// replace puts a file in the place of another, as ingest does.
func replace(t *testing.T, path string, text []byte) {
	t.Helper()
	filetest.Write(t, path+".new", text)
	must(t, os.Rename(path+".new", path))
}

// dial opens a connection to a server, and writes on it.
func dial(t *testing.T, s *server, text string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.base, "http://"))
	must(t, err)
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(patience))
	go io.WriteString(conn, text) // it ends with the connection
	return conn
}

// A client that does not finish its header is let go, and one whose header has no
// end is told so; others are answered meanwhile.
func TestClientsThatDoNotBehave(t *testing.T) {
	t.Parallel()
	s := serve(t, newFolder(t))
	slow := dial(t, s, "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ")
	huge := dial(t, s, "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Huge: "+strings.Repeat("a", 2<<20))
	answer := make([]byte, 64)
	n, err := io.ReadAtLeast(huge, answer, 12)
	if got, want := string(answer[:n]), "HTTP/1.1 431"; !strings.HasPrefix(got, want) {
		t.Errorf("a header without an end: got %q, %v; want %s", got, err, want)
	}
	s.ask("/markets")
	if _, err := io.ReadAll(slow); err != nil { // until the server closes it
		t.Errorf("a header that does not end: got %v, want the end of the connection", err)
	}
}

// A body that does not come holds up nobody: no route reads one, so the answer and
// the end of the connection come long before the time for reading is over.
func TestBodyThatDoesNotCome(t *testing.T) {
	t.Parallel()
	s := serve(t, newFolder(t))
	for _, tt := range []struct{ name, request, want string }{
		{"length", "POST /external/v1/antennas HTTP/1.1\r\nHost: x\r\nContent-Length: 8192\r\n\r\nsome", "405"},
		{"chunks", "POST /external/v1/antennas HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nso", "405"},
		{"expect", "POST /external/v1/antennas HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n",
			"405"},
		{"GET", "GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 8192\r\n\r\nsome", "200"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			conn := dial(t, s, tt.request)
			conn.SetReadDeadline(time.Now().Add(20 * time.Second)) // the server reads for 30
			text, err := io.ReadAll(conn)
			if err != nil || !strings.HasPrefix(string(text), "HTTP/1.1 "+tt.want+" ") ||
				!strings.Contains(string(text), "\r\nConnection: close\r\n") {
				t.Errorf("got %q, %v; want %s and the end of the connection", text, err, tt.want)
			}
		})
	}
}
