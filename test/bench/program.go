//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// A program is a relais with a data folder of its own, or a peer, which has only a base.
type program struct {
	path, data   string
	listen, base string // where its server listens, and where it answers
	key          string // of its client in the folder
}

// copy makes the program one that was just copied: the resident memory differs by 12 MB with how a file was written.
func (p *program) copy() error {
	text, err := os.ReadFile(p.path)
	if err != nil {
		return err
	}
	p.path = p.data + "-program"
	return errors.Join(os.MkdirAll(filepath.Dir(p.path), 0o755), os.WriteFile(p.path, text, 0o755))
}

// ingest ingests files into a new folder. It returns when the last snapshot was published, when the command had
// ended and its processor time, all in seconds, and its most memory in MB.
func (p *program) ingest(ctx context.Context, files []string) ([]float64, error) {
	p.key = ""
	if err := os.RemoveAll(p.data); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, p.path, append([]string{"ingest", "--data", p.data, "FR,DROM"}, files...)...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	published, most, n := 0.0, 0.0, 0
	for {
		paths, _ := filepath.Glob(filepath.Join(p.data, "snapshots", "*.snap")) // the pattern is valid
		if len(paths) != n {
			published, n = time.Since(began).Seconds(), len(paths)
		}
		most = max(most, statusMB(cmd.Process.Pid, "VmHWM"))
		select {
		case err := <-ended:
			if err != nil {
				return nil, fmt.Errorf("%s ingest: %w\n%s", p.path, err, said.String())
			}
			cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
			return []float64{published, time.Since(began).Seconds(), cpu.Seconds(), most}, nil
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// serve starts the server of the folder, with a client whose limits are not reached. The folder is filled with
// files if it is not there.
func (p *program) serve(ctx context.Context, files []string) (*child, error) {
	if _, err := os.Stat(p.data); err != nil {
		if _, err := p.ingest(ctx, files); err != nil {
			return nil, err
		}
	}
	if p.key == "" {
		out, err := exec.CommandContext(ctx, p.path, "client", "create", "--data", p.data, "--json", "--name",
			"bench "+time.Now().Format(time.RFC3339Nano), "--mode", "server", "--cidr", "127.0.0.1/32",
			"--scopes", "all-read", "--minute", "1000000000", "--day", "1000000000").Output()
		if err != nil {
			return nil, fmt.Errorf("%s client create: %w", p.path, err)
		}
		var made struct{ APIKey string }
		if err := json.Unmarshal(out, &made); err != nil {
			return nil, err
		}
		p.key = made.APIKey
	}
	return start(exec.CommandContext(ctx, p.path, "serve", "--data", p.data, "--listen", p.listen), p.listen)
}

// An answer is an answer of a server.
type answer struct {
	header http.Header
	body   []byte
}

// plain does not add Accept-Encoding.
var plain = &http.Client{Transport: &http.Transport{DisableCompression: true}}

// get reads one answer, and waits while the server is not ready for it.
func (p *program) get(path string, headers map[string]string) (answer, error) {
	req, err := http.NewRequest(http.MethodGet, p.base+path, nil)
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("X-API-Key", p.key)
	for k, v := range headers {
		req.Header.Set(k, v)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		res, err := plain.Do(req)
		if err != nil {
			return answer{}, err
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode == http.StatusServiceUnavailable && time.Now().Before(end) {
			continue
		}
		if res.StatusCode >= 400 {
			err = fmt.Errorf("%s: %s %s", path, res.Status, body)
		}
		return answer{res.Header, body}, err
	}
}

// A child is a server that this program started.
type child struct {
	pid   int
	ready time.Duration // from its start
	stop  func()
}

// start starts a server and waits until it is ready.
func start(cmd *exec.Cmd, listen string) (*child, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} // it ends with this program
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	ended := make(chan struct{})
	go func() {
		cmd.Wait() // a server that failed is not ready
		close(ended)
	}()
	c := &child{pid: cmd.Process.Pid, stop: func() {
		cmd.Process.Signal(syscall.SIGTERM) // it may have ended already
		<-ended
	}}
	for {
		if r, err := http.Get("http://" + listen + "/readyz"); err == nil {
			r.Body.Close()
			if c.ready = time.Since(began); r.StatusCode == http.StatusOK {
				return c, nil
			}
		}
		select {
		case <-ended:
			return nil, fmt.Errorf("%s ended before it was ready", cmd.Path)
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// settle waits until the server is idle, and so has prepared its exports. It reads /proc/PID/stat, whose clock ticks
// a hundred times a second.
func (c *child) settle() {
	for last, busy := -100, 0; busy-last > 10; time.Sleep(2 * time.Second) {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", c.pid)) // nothing if it has ended
		var user, system int
		if fields := strings.Fields(string(text)); len(fields) > 14 {
			fmt.Sscan(fields[13]+" "+fields[14], &user, &system)
		}
		last, busy = busy, user+system
	}
}

// statusMB reads a line of /proc/PID/status. It returns 0 if the process has ended.
func statusMB(pid int, field string) float64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(text), field+":")
	kb := 0.0
	fmt.Sscan(rest, &kb)
	return kb * 1024 / 1e6
}
