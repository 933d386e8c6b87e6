package e2e

import (
	"context"
	"io"
	"net"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// A body that does not come holds up nobody: no route reads one, so the answer and
// the end of the connection come long before the time for reading is over.
func TestBodyThatDoesNotCome(t *testing.T) {
	c := makeCountry(t, 200)
	s := serve(t, nil, "serve", "--data", c.dir)
	var all sync.WaitGroup
	for _, tt := range []struct{ request, answer string }{
		{"POST /external/v1/antennas HTTP/1.1\r\nHost: x\r\nContent-Length: 8192\r\n\r\nsome", "HTTP/1.1 405 "},
		{"POST /external/v1/antennas HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nso",
			"HTTP/1.1 405 "},
		{"POST /external/v1/antennas HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 8192\r\n\r\n",
			"HTTP/1.1 405 "},
		{"GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 8192\r\n\r\nsome", "HTTP/1.1 200 "},
	} {
		all.Go(func() {
			conn, err := net.Dial("tcp", strings.TrimPrefix(s.base, "http://"))
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			if _, err := io.WriteString(conn, tt.request); err != nil {
				t.Error(err)
				return
			}
			conn.SetReadDeadline(time.Now().Add(20 * time.Second)) // the server reads for 30
			answer, err := io.ReadAll(conn)
			if err != nil || !strings.HasPrefix(string(answer), tt.answer) ||
				!strings.Contains(string(answer), "\r\nConnection: close\r\n") {
				t.Errorf("%q: %q %v", tt.request, answer, err)
			}
		})
	}
	all.Wait()
}

var slowConnected = regexp.MustCompile(`connected:\s*\S*\s+(\d+)`)

// Callers who send their requests byte by byte do not slow the others down.
func TestSlowCallers(t *testing.T) {
	program, err := exec.LookPath("slowhttptest")
	if err != nil {
		t.Skip("slowhttptest is not installed (Debian: slowhttptest)")
	}
	c := makeCountry(t, 1000)
	s := serve(t, nil, "serve", "--data", c.dir)
	if !waitFor(func() bool { return s.version("FR") != "" }) {
		t.Fatalf("not ready: %s", s.log)
	}
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
			t.Errorf("%s: only %d requests", mode, requests)
		}
		if p99 >= time.Second { // a header or a body takes six seconds to come
			t.Errorf("%s: 99 %% of the requests take up to %s", mode, p99)
		}
		if mode == "-H" && most < callers {
			t.Errorf("only %d slow headers at once", most)
		}
	}
	const bodies = `relais_requests_total{code="405",route="/external/v1/antennas"} `
	if !waitFor(func() bool { return s.metric(t, bodies) >= callers }) {
		t.Errorf("only %v slow bodies were answered", s.metric(t, bodies))
	}
}

// metric is the value of a line of /metrics, by how it begins.
func (s *server) metric(t *testing.T, line string) float64 {
	t.Helper()
	r, err := s.fetch("/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\n"+line)
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
	var out lockedBuffer
	var running sync.WaitGroup
	running.Go(func() {
		for ctx.Err() == nil {
			cmd := exec.CommandContext(ctx, slow.Path, slow.Args[1:]...)
			cmd.Stdout = &out
			cmd.Run() // what it printed is looked at
		}
	})
	for ctx.Err() == nil {
		start := time.Now()
		if code, o := s.get("/external/v1/antennas/90000010"); code != 200 {
			t.Errorf("%d %v", code, o)
			break
		}
		took = append(took, time.Since(start))
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
