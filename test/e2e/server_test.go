//go:build linux

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"relais/internal/outputtest"
	"relais/test/relaistest"
)

// A server is a running relais serve.
type server struct {
	t    *testing.T
	cmd  *exec.Cmd
	base string
	key  string // of the client that letIn made
	log  *outputtest.Buffer
}

var listening = regexp.MustCompile(`listen=(127\.0\.0\.1:\d+)`)

// wine reports whether RELAIS_BINARY is the Windows program under wine.
var wine = os.Getenv("RELAIS_WINE") != ""

// start starts a server on a free port and waits until it listens.
func start(t *testing.T, prepare func(*exec.Cmd), args ...string) *server {
	t.Helper()
	if wine && args[0] == "serve" {
		args = append(args, "--accept-unconfined-uploads")
	}
	s := &server{t: t, cmd: prepared(t, append(args, "--listen", "127.0.0.1:0")...), log: &outputtest.Buffer{}}
	s.cmd.Stderr = s.log
	for i, a := range args[1:] {
		if args[i] == "--data" {
			key, _ := keys.Load(a)
			s.key, _ = key.(string)
		}
	}
	if prepare != nil {
		prepare(s.cmd)
	}
	must(t, s.cmd.Start())
	t.Cleanup(func() {
		if s.cmd.ProcessState == nil {
			s.kill()
		}
	})
	if !waitFor(func() bool { // a demonstration is made first
		m := listening.FindStringSubmatch(s.log.String())
		if m != nil {
			s.base = "http://" + m[1]
		}
		return m != nil
	}) {
		t.Fatalf("the server does not listen: %s", s.log)
	}
	return s
}

// serve serves a folder, and waits until all its markets are loaded.
func serve(t *testing.T, dir string, flags ...string) *server {
	t.Helper()
	s := start(t, nil, append([]string{"serve", "--data", dir}, flags...)...)
	s.isLoaded(dir)
	return s
}

func (s *server) isLoaded(dir string) {
	s.t.Helper()
	snapshots, err := filepath.Glob(filepath.Join(dir, "snapshots", "*.snap"))
	must(s.t, err)
	for _, path := range snapshots {
		market := strings.TrimSuffix(filepath.Base(path), ".snap")
		s.waitUntil(market+" is loaded", func() bool { return s.version(market) != "" })
	}
}

// waitUntil waits for what must happen.
func (s *server) waitUntil(what string, ok func() bool) {
	s.t.Helper()
	if !waitFor(ok) {
		s.t.Fatalf("waited %s until %s, in vain: %s", patience, what, s.log)
	}
}

// stop sends SIGTERM, or under wine what becomes Ctrl-C, which must end the server with exit code 0.
func (s *server) stop() {
	s.t.Helper()
	var ask os.Signal = syscall.SIGTERM
	if wine {
		ask = os.Interrupt
	}
	must(s.t, s.cmd.Process.Signal(ask))
	ended := make(chan struct{})
	go func() { s.cmd.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(patience):
		s.t.Fatal("the server does not stop")
	}
	if code := s.cmd.ProcessState.ExitCode(); code != 0 {
		s.t.Errorf("exit after SIGTERM: got %d, want 0: %s", code, s.log)
	}
}

// kill ends the server as kill -9 does.
func (s *server) kill() {
	s.cmd.Process.Kill()
	s.cmd.Wait()
}

type object = map[string]any

// differs says how an object differs from another in the other's members.
func differs(o, want object) (diff string) {
	got := object{}
	for name := range want {
		got[name] = o[name]
	}
	return cmp.Diff(want, got)
}

// An answer was read to its end.
type answer struct {
	status int
	header http.Header
	length int64
	body   []byte
}

func (a answer) String() string { return fmt.Sprintf("%d %.500s", a.status, a.body) }

// object is the JSON object of the body, nil when that is something else.
func (a answer) object() (o object) {
	_ = json.Unmarshal(a.body, &o)
	return o
}

// code is the code of an error.
func (a answer) code() string {
	code, _ := a.object()["code"].(string)
	return code
}

// header makes a header of names and values.
func header(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Add(pairs[i], pairs[i+1])
	}
	return h
}

// exchange sends a request and reads the answer.
func exchange(from *http.Client, method, address string, body []byte, headers ...string) (answer, error) {
	r, err := http.NewRequest(method, address, bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	r.Header = header(headers...)
	got, err := from.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	return answer{got.StatusCode, got.Header, got.ContentLength, text}, err
}

// call is exchange for a request that must be answered.
func call(t *testing.T, from *http.Client, method, address string, body []byte, headers ...string) answer {
	t.Helper()
	a, err := exchange(from, method, address, body, headers...)
	if err != nil {
		t.Fatalf("%s %s: %v", method, address, err)
	}
	return a
}

// clientAt is an HTTP client that calls from an address and leaves answers as they came.
func clientAt(t *testing.T, local string) *http.Client {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(local)}}
	transport := &http.Transport{DisableCompression: true, DialContext: d.DialContext}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: 30 * time.Second}
}

// try asks for a path with the key of the folder's client.
func (s *server) try(path string, headers ...string) (answer, error) {
	return exchange(http.DefaultClient, http.MethodGet, s.base+path, nil, append(headers, "X-API-Key", s.key)...)
}

// get is try for a path that must be answered.
func (s *server) get(path string, headers ...string) answer {
	s.t.Helper()
	a, err := s.try(path, headers...)
	if err != nil {
		s.t.Fatalf("GET %s: %v", path, err)
	}
	return a
}

// getAs asks for a path with another client's key.
func (s *server) getAs(key, path string, headers ...string) answer {
	s.t.Helper()
	return call(s.t, http.DefaultClient, http.MethodGet, s.base+path, nil, append(headers, "X-API-Key", key)...)
}

// succeeds is an error unless the path is answered 200.
func (s *server) succeeds(path string) error {
	a, err := s.try(path)
	if err == nil && a.status != http.StatusOK {
		err = fmt.Errorf("GET %s: got %s, want 200", path, a)
	}
	return err
}

// ask asks the API for what must be there.
func (s *server) ask(path string) object {
	s.t.Helper()
	a := s.get("/external/v1" + path)
	o := a.object()
	if a.status != http.StatusOK || o == nil {
		s.t.Fatalf("GET %s: got %s, want 200 and an object", path, a)
	}
	return o
}

// list asks the API for a list.
func (s *server) list(path string) []any {
	s.t.Helper()
	return s.ask(path)["data"].([]any)
}

// one asks the API for one thing.
func (s *server) one(path string) object {
	s.t.Helper()
	return s.ask(path)["data"].(object)
}

// meta asks the API for what it says of a list.
func (s *server) meta(path string) object {
	s.t.Helper()
	return s.ask(path)["meta"].(object)
}

func (s *server) readyz() object {
	s.t.Helper()
	return s.get("/readyz").object()
}

// version is the version of a market in /readyz, "" when it is not loaded.
func (s *server) version(market string) string {
	s.t.Helper()
	markets, _ := s.readyz()["markets"].(object)
	m, _ := markets[market].(object)
	v, _ := m["version"].(string)
	return v
}

// tag is the entity tag of an answer.
func (s *server) tag(path string) string {
	s.t.Helper()
	a := s.get("/external/v1" + path)
	tag := a.header.Get("ETag")
	if a.status != http.StatusOK || tag == "" {
		s.t.Fatalf("GET %s: got status %d, entity tag %q", path, a.status, tag)
	}
	return tag
}

// status asks for an answer that is not the one with the tag.
func (s *server) status(path, tag string) int {
	s.t.Helper()
	return s.get("/external/v1"+path, "If-None-Match", tag).status
}

// patience is how long a test waits for what happens at once where nothing else runs.
const patience = time.Minute

// waitFor waits until ok, and reports whether it was.
func waitFor(ok func() bool) bool { return relaistest.WaitAtMost(patience, ok) }

// A load does things again and again until it is stopped, or one of them fails.
type load struct {
	running sync.WaitGroup
	stopped atomic.Bool
	done    atomic.Int64 // how often all of them succeeded
	mu      sync.Mutex
	err     error // the first
}

func (l *load) add(do func() error) {
	l.running.Go(func() {
		for !l.stopped.Load() {
			if err := do(); err != nil {
				l.mu.Lock()
				defer l.mu.Unlock()
				if l.err == nil {
					l.err = err
				}
				return
			}
			l.done.Add(1)
		}
	})
}

// stop waits until nothing is done any more, and returns the first error.
func (l *load) stop() error {
	l.stopped.Store(true)
	l.running.Wait()
	return l.err
}
