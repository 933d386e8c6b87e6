//go:build unix

package worker

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"relais/photos/render"
)

// runs reports whether a process runs.
func runs(id int) bool { return syscall.Kill(id, 0) != syscall.ESRCH }

// priority is that of this process.
func priority() (int, error) {
	nice, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0)
	return 20 - nice, err // as the system call of Linux counts
}

// lowPriority is what priority returns in a worker.
const lowPriority = niceness

// bare reports whether a worker has no environment.
func bare(env []string) bool { return len(env) == 0 }

// A worker that somebody else killed while idle is not used. One that was killed during a
// job is not blamed on the image.
func TestKilledByOthers(t *testing.T) {
	p := newPool(t, Options{})
	first, _, err := p.ask("hash")
	must(t, err)
	must(t, syscall.Kill(first.PID, syscall.SIGKILL))
	for range 6000 {
		if syscall.Kill(first.PID, 0) == syscall.ESRCH {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	second, _, err := p.ask("hash")
	if err != nil || second.PID == first.PID {
		t.Errorf("after a worker was killed: process %d, %v; want a new one", second.PID, err)
	}
	time.AfterFunc(100*time.Millisecond, func() { syscall.Kill(second.PID, syscall.SIGKILL) })
	if _, _, err := p.ask("sleep"); !errors.Is(err, errKilled) || errors.Is(err, errFault) {
		t.Errorf("killed during a job: error = %v, want ErrKilled only", err)
	}
	if _, _, err := p.ask("hash"); err != nil {
		t.Error(err)
	}
}

// A worker writes to no file.
func TestWritesNothing(t *testing.T) {
	p := newPool(t, Options{})
	path := filepath.Join(t.TempDir(), "f")
	var a answer
	_, err := p.do(context.Background(), task{payload: order{"write", path}, input: strings.NewReader("")}, &a)
	if written, _ := os.ReadFile(path); len(written) > 0 {
		t.Errorf("write a file: %q, %v; want a failure", a.Failure, err)
	}
}

// A program that is not a worker, or cannot start, is the server's fault.
func TestNoWorker(t *testing.T) {
	for _, program := range [][]string{{"/bin/false"}, {"/bin/echo", "a program of another kind"}, {"/nonexistent"},
		{os.Args[0], "-test.list=NoSuchTest"}} {
		p := newPool(t, Options{})
		p.Program = program
		if _, _, err := p.ask("hash"); err == nil || errors.Is(err, errFault) ||
			!strings.Contains(err.Error(), "start a worker") {
			t.Errorf("program %q: error = %v, want that the worker did not start", program, err)
		}
	}
}

// The image of a worker that runs out of memory is too large.
func TestRenderRunsOutOfMemory(t *testing.T) {
	const ready = `printf '\031\000\000\000{"blobs":[],"is":"ready"}' >&1; read -r x; `
	for _, tt := range []struct {
		name   string
		script string
		want   error
	}{
		{"its own bound", ready + `echo 'fatal error: runtime: out of memory' >&2; exit 2`, render.ErrTooLarge},
		{"a bound of C's", ready +
			`echo 'runtime/cgo: pthread_create failed: Resource temporarily unavailable' >&2; kill -ABRT $$`,
			render.ErrTooLarge},
		{"killed by the kernel", ready + `kill -9 $$`, ErrBusy},
		{"killed before it began", `kill -9 $$`, ErrBusy},
		{"ended by something else", ready + `exit 1`, render.ErrUnsupported},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := New(Options{Program: []string{"/bin/sh", "-c", tt.script}, Log: slog.New(slog.DiscardHandler)})
			defer p.Close()
			if _, err := p.Render(context.Background(), "a", strings.NewReader("image\n"), 6); !errors.Is(err,
				tt.want) {
				t.Errorf("error = %v, want %v", err, tt.want)
			}
		})
	}
}
