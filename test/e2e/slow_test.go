//go:build linux

package e2e

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"relais/internal/outputtest"
)

var slowConnected = regexp.MustCompile(`connected:\s*\S*\s+(\d+)`)

// Callers who send their requests byte by byte do not slow the others down.
func TestSlowCallers(t *testing.T) {
	program, err := exec.LookPath("slowhttptest")
	if err != nil {
		t.Skip("slowhttptest is not installed (Debian: slowhttptest)")
	}
	c := makeCountry(t, 1000)
	s := serve(t, c.dir)
	const callers = 300
	for _, mode := range []string{"-H", "-B"} {
		most, requests := 0, 0 // of the slow ones at once; of the others
		var p99 time.Duration
		for range 3 { // other programs on the machine may be what is slow
			var took []time.Duration
			if took, most = askDuring(t,
				s, exec.Command(program, mode, "-c", strconv.Itoa(callers), "-r", "150", "-i", "1", "-l", "6", "-s",
					"8192", "-u", s.base+"/external/v1/antennas")); t.Failed() {
				return
			}
			p99 = took[len(took)*99/100]
			t.Logf("%s: %d requests, half of them within %s, 99 %% within %s, all within %s", mode, len(took),
				took[len(took)/2], p99, took[len(took)-1])
			if requests = len(took); requests >= 400 && p99 < time.Second {
				break
			}
		}
		if requests < 100 {
			t.Errorf("%s: got %d requests, want 100 or more", mode, requests)
		}
		if p99 >= time.Second { // a header or a body takes six seconds to come
			t.Errorf("%s: got 99 %% of the requests within %s, want 1 s", mode, p99)
		}
		if mode == "-H" && most < callers {
			t.Errorf("slow headers at once: got %d, want %d", most, callers)
		}
	}
	const bodies = `relais_requests_total{code="405",route="/external/v1/antennas"} `
	s.waitUntil("all slow bodies are answered", func() bool { return s.metric(bodies) >= callers })
}

// Callers who ask for whole archives and do not read them have four at a time, and hold up
// nobody else.
func TestSlowReaders(t *testing.T) {
	c := makeCountry(t, 3000)
	s := serve(t, c.dir)
	slow := createClient(t, c.dir, ofBackend("slow", "all-read")...)
	path := "/external/v1/anfr/archive/" + s.list("/anfr/archives")[0].(string) + "?view=full"
	small := net.Dialer{Control: func(_, _ string, c syscall.RawConn) (err error) {
		return c.Control(func(fd uintptr) {
			err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096)
		})
	}}
	var open []net.Conn
	for n := range 24 {
		conn, err := small.Dial("tcp", strings.TrimPrefix(s.base, "http://"))
		must(t, err)
		defer conn.Close()
		open = append(open, conn)
		conn.SetDeadline(time.Now().Add(patience))
		fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\nX-API-Key: %s\r\n\r\n", path, slow.APIKey)
		a, err := http.ReadResponse(bufio.NewReaderSize(conn, 16), nil) // and nothing else
		must(t, err)
		want := http.StatusOK
		if n >= 4 {
			want = http.StatusServiceUnavailable
		}
		if a.StatusCode != want {
			t.Errorf("answer %d: got %s, want %d", n, a.Status, want)
		}
	}
	if err := s.succeeds(path); err != nil {
		t.Errorf("another client: %v", err)
	}
	for _, conn := range open {
		conn.Close()
	}
	s.waitUntil("the places are free", func() bool { return s.getAs(slow.APIKey, path).status == http.StatusOK })
}

// metric is the value of a line of /metrics, by how it begins.
func (s *server) metric(line string) float64 {
	s.t.Helper()
	_, rest, _ := strings.Cut(string(s.get("/metrics").body), "\n"+line)
	value, _, _ := strings.Cut(rest, "\n")
	n, _ := strconv.ParseFloat(value, 64) // 0 before the line exists
	return n
}

// askDuring asks for eight seconds while slowhttptest runs, which is run again if it
// ends because everybody was answered. It returns the times that answers took, in
// order, and how many connections slowhttptest had at most.
func askDuring(t *testing.T, s *server, slow *exec.Cmd) (took []time.Duration, most int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second) // slowhttptest ends after six, and prints then
	defer cancel()
	var out outputtest.Buffer
	var running sync.WaitGroup
	running.Go(func() {
		for ctx.Err() == nil {
			cmd := exec.CommandContext(ctx, slow.Path, slow.Args[1:]...)
			cmd.Stdout = &out
			cmd.Run() // what it printed is looked at
		}
	})
	for ctx.Err() == nil {
		began := time.Now()
		if err := s.succeeds("/external/v1/antennas/90000010"); err != nil {
			t.Error(err)
			break
		}
		took = append(took, time.Since(began))
		time.Sleep(5 * time.Millisecond)
	}
	cancel()
	running.Wait()
	slices.Sort(took)
	for _, m := range slowConnected.FindAllStringSubmatch(out.String(), -1) {
		if n, err := strconv.Atoi(m[1]); err == nil {
			most = max(most, n)
		}
	}
	return took, most
}
