//go:build linux

package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"relais/internal/filetest"
	"relais/test/relaistest"
)

// The command lines of a node are in this file alone.

// serve returns the arguments of a node.
func (n *node) serve() []string {
	args := []string{"serve", "--data", n.dir, "--listen", n.addr, "--base-url", n.base, "--trusted-proxy", "127.0.0.1/32",
		"--mcp-minute", "1000000", "--hook-private"}
	if n.engine != "" {
		args = append(args, "--cluster", n.engine, "--node", n.name)
	}
	return args
}

// initCluster makes the cluster from a folder.
func initCluster(t *testing.T, dir, engine string) {
	t.Helper()
	run(t, "cluster", "init", "--data", dir, "--cluster", engine)
}

// join makes an empty folder that may join the cluster: with its key.
func join(t *testing.T, from, dir string) {
	t.Helper()
	key := filetest.Read(t, filepath.Join(from, "secret.key"))
	must(t, os.MkdirAll(dir, 0o750))
	filetest.Write(t, filepath.Join(dir, "secret.key"), key)
}

// A comparison is what relais cluster check says of a node.
type comparison struct {
	Stores []struct {
		Store       string
		Records     int
		Differences []any
		Damage      []string
	}
	Differences int
	Damaged     int
}

// compare compares a node's replicas with the engine.
func (n *node) compare(t *testing.T) (c comparison) {
	t.Helper()
	out, errs, code := relais(t, "cluster", "check", "--data", n.dir, "--json")
	if err := json.Unmarshal([]byte(out), &c); err != nil || (code != 0) != (c.Differences+c.Damaged > 0) {
		t.Fatalf("relais cluster check of %s: exit %d, %v: %s%s", n.name, code, err, out, errs)
	}
	return c
}

// prepared is a command that is not started yet.
func prepared(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	path, err := relaistest.Binary()
	must(t, err)
	cmd := exec.Command(path, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}

// relais runs a command to its end.
func relais(t testing.TB, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := prepared(t, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// run runs a command that must succeed, and returns what it prints.
func run(t testing.TB, args ...string) string {
	t.Helper()
	out, errs, code := relais(t, args...)
	if code != 0 {
		t.Fatalf("relais %q: exit %d, want 0: %s%s", args, code, out, errs)
	}
	return out
}

// runJSON is run for what prints an object.
func runJSON(t testing.TB, v any, args ...string) {
	t.Helper()
	out := run(t, append(args, "--json")...)
	if err := json.Unmarshal([]byte(out), v); err != nil {
		t.Fatalf("relais %q: %v: %s", args, err, out)
	}
}

// A node is a process relais serve with its folder, which outlives it.
type node struct {
	name, dir, addr string
	base            string        // of the proxy
	engine          string        // connection string; "" without a cluster
	program         string        // "" for the one that is tested
	http            *http.Client  // leads to this node, whatever host is asked for
	admin           *http.Client  // leads to its socket
	cmd             *exec.Cmd     // nil while it is dead
	ended           chan struct{} // closed when it is
	lives           atomic.Bool   // since it was ready
}

func newNode(name, dir, addr, base, engine string) *node {
	n := &node{name: name, dir: dir, addr: addr, base: base, engine: engine}
	leads := func(network, to string) *http.Client {
		return &http.Client{Timeout: patience, CheckRedirect: stay, Transport: &http.Transport{
			MaxIdleConnsPerHost: 50,
			DisableKeepAlives:   network == "unix",
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return (&net.Dialer{}).DialContext(ctx, network, to)
			}}}
	}
	n.http, n.admin = leads("tcp", addr), leads("unix", filepath.Join(dir, "admin.sock"))
	return n
}

func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// start starts the process. It does not wait until it is ready.
func (n *node) start(t testing.TB) {
	t.Helper()
	log, err := os.OpenFile(n.log(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	must(t, err)
	defer log.Close()
	cmd := prepared(t, n.serve()...)
	if n.program != "" {
		cmd.Path = n.program
	}
	cmd.Stderr = log
	must(t, cmd.Start())
	ended := make(chan struct{})
	n.cmd, n.ended = cmd, ended
	go func() {
		cmd.Wait()
		close(ended)
	}()
}

// hasEnded reports whether the process ended by itself.
func (n *node) hasEnded() bool {
	select {
	case <-n.ended:
		return true
	default:
		return false
	}
}

func (n *node) log() string { return n.dir + ".log" }

// logged returns the lines of the log that have a text in them.
func (n *node) logged(text string) (lines []string) {
	all, _ := os.ReadFile(n.log())
	for line := range strings.Lines(string(all)) {
		if strings.Contains(line, text) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// isReady reports whether the node says that it is.
func (n *node) isReady() bool {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, n.base+"/readyz", nil)
	if err != nil {
		return false
	}
	a, err := n.http.Do(r)
	if err != nil {
		return false
	}
	defer a.Body.Close()
	return a.StatusCode == http.StatusOK
}

// waitReady waits until the node is ready. A process that ended is an error, unless a command had
// the folder: then it is started again, as systemd would.
func (n *node) waitReady(t testing.TB) {
	t.Helper()
	if !waitFor(func() bool {
		if !n.hasEnded() {
			return n.isReady()
		}
		if !strings.Contains(lastLine(n.tail()), "is in use by ") {
			return true
		}
		time.Sleep(100 * time.Millisecond)
		n.kill()
		n.start(t)
		return false
	}) || n.hasEnded() {
		t.Fatalf("%s is not ready:\n%s", n.name, n.tail())
	}
	n.lives.Store(true)
}

// waitFollowing waits until the node reaches the engine and follows it. A node that lost the engine a
// moment ago is ready, too.
func (n *node) waitFollowing(t *testing.T) {
	t.Helper()
	if !waitFor(func() bool {
		a, _, err := call(n.http, http.MethodGet, n.base+"/readyz", nil)
		cluster, ok := a.object()["cluster"].(map[string]any)
		return err == nil && ok && cluster["state"] == "following"
	}) {
		t.Fatalf("%s does not follow the cluster:\n%s", n.name, n.tail())
	}
}

// metric returns the sum of a metric of the node.
func (n *node) metric(t *testing.T, name string) (sum float64) {
	t.Helper()
	a, _, err := call(n.http, http.MethodGet, n.base+"/metrics", nil)
	if err != nil || a.status != http.StatusOK {
		t.Fatalf("%s: /metrics: %v, %s", n.name, err, a)
	}
	for line := range strings.Lines(string(a.body)) {
		metric, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if v, err := strconv.ParseFloat(value, 64); err == nil && (metric == name || strings.HasPrefix(metric, name+"{")) {
			sum += v
		}
	}
	return sum
}

// tail returns the end of the log, without the lines of requests.
func (n *node) tail() string {
	all, _ := os.ReadFile(n.log())
	var lines []string
	for line := range strings.Lines(string(all)) {
		if !strings.Contains(line, "msg=request") && !strings.Contains(line, "requestId=") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-30):], "")
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// kill ends the process as kill -9 does.
func (n *node) kill() {
	n.lives.Store(false)
	if n.cmd != nil {
		n.cmd.Process.Kill()
		<-n.ended
		n.cmd = nil
	}
}

// pause stops the process until resume.
func (n *node) pause() error { return n.cmd.Process.Signal(syscall.SIGSTOP) }

func (n *node) resume() error { return n.cmd.Process.Signal(syscall.SIGCONT) }

// patience is how long a test waits for what happens at once where nothing else runs.
const patience = time.Minute

// waitFor waits until ok, and reports whether it was.
func waitFor(ok func() bool) bool { return relaistest.WaitAtMost(patience, ok) }

func (n *node) String() string { return fmt.Sprintf("%s (%s)", n.name, n.addr) }

// stop ends the process as a service manager does.
func (n *node) stop(t testing.TB) {
	t.Helper()
	n.lives.Store(false)
	must(t, n.cmd.Process.Signal(syscall.SIGTERM))
	<-n.ended
	n.cmd = nil
}
