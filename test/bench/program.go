package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// A program is a relais with data folders of its own.
type program struct {
	path   string
	work   string // holds its data folders
	listen string // address of its server
	key    string // of its client in the folder keyed
	keyed  string
}

func (p *program) folder(name string) string { return filepath.Join(p.work, name) }

// A cost is what a command took.
type cost struct {
	seconds float64
	cpu     float64 // seconds of all cores
	peakMB  float64
	out     []byte
}

// run runs a command to its end.
func (p *program) run(ctx context.Context, args ...string) (cost, error) {
	cmd := exec.CommandContext(ctx, p.path, args...)
	var errs strings.Builder
	cmd.Stderr = &errs
	began := time.Now()
	out, err := cmd.Output()
	if err != nil {
		return cost{}, fmt.Errorf("%s %s: %w\n%s", p.path, args[0], err, errs.String())
	}
	c := cost{seconds: time.Since(began).Seconds(), out: out}
	c.cpu = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		c.peakMB = float64(u.Maxrss) * 1024 / 1e6
	}
	return c, nil
}

// ingest ingests files into a new folder. published is when the last snapshot had its name.
func (p *program) ingest(ctx context.Context, folder string, files []string) (published float64, c cost, err error) {
	if err := os.RemoveAll(folder); err != nil {
		return 0, c, err
	}
	began, done, seen := time.Now(), make(chan struct{}), make(chan float64)
	go func() {
		last, n := 0.0, 0
		defer func() { seen <- last }()
		for {
			paths, _ := filepath.Glob(filepath.Join(folder, "snapshots", "*.snap")) // the pattern is valid
			if len(paths) != n {
				last, n = time.Since(began).Seconds(), len(paths)
			}
			select {
			case <-done:
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	}()
	c, err = p.run(ctx, append([]string{"ingest", "--data", folder, "FR,DROM"}, files...)...)
	close(done)
	return <-seen, c, err
}

// serve starts the server of a folder, with a client whose limits are not reached.
func (p *program) serve(ctx context.Context, folder string) (*child, error) {
	if p.keyed != folder {
		c, err := p.run(ctx, "client", "create", "--data", folder, "--json", "--name", "bench "+time.Now().Format(time.RFC3339Nano),
			"--mode", "server", "--cidr", "127.0.0.1/32", "--scopes", "all-read", "--minute", "1000000000", "--day", "1000000000")
		if err != nil {
			return nil, err
		}
		var made struct{ APIKey string }
		if err := json.Unmarshal(c.out, &made); err != nil {
			return nil, err
		}
		p.key, p.keyed = made.APIKey, folder
	}
	return start(exec.CommandContext(ctx, p.path, "serve", "--data", folder, "--listen", p.listen), p.listen)
}

// base is where its server answers.
func (p *program) base() string { return "http://" + p.listen + "/external/v1" }

func (p *program) get(path string, headers map[string]string) (answer, error) {
	return fetch(p.base()+path, p.key, headers)
}

// copyTo copies the files of a folder into a new one.
func copyTo(from, to string) error {
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	return os.CopyFS(to, os.DirFS(from))
}
