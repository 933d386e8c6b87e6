package worker

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// A process is a worker as the server sees it.
type process struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader // of answers
	said *beginning
	last time.Time // end of the last job

	unconfined string // why, "" when it is confined

	answers *os.File
	bounds  bounds        // of the system's that the server holds
	killed  atomic.Bool   // by us
	gone    chan struct{} // closed when it has ended
}

// kill ends the process and its children at once.
func (p *process) kill() {
	p.killed.Store(true)
	if !p.ended() { // else another process may have the id
		killTree(p.cmd.Process)
	}
}

// end kills the process, waits for it and returns the beginning of its output.
func (p *process) end() string {
	p.kill()
	<-p.gone
	p.bounds.release()
	p.in.Close()
	p.answers.Close()
	return p.said.String()
}

// wait waits for the end of the process and records it.
func (p *process) wait() {
	_ = p.cmd.Wait() // how it ended is in ProcessState
	close(p.gone)
}

// ended reports whether the process has ended.
func (p *process) ended() bool {
	select {
	case <-p.gone:
		return true
	default:
		return false
	}
}

// lingering is how long a process that stopped answering may take to end by itself.
const lingering = 2 * time.Second

// killedByOthers reports whether somebody else killed the process, such as the kernel when memory
// ran out. Then the job is not the cause.
func (p *process) killedByOthers() bool {
	select {
	case <-p.gone:
	case <-time.After(lingering):
		return false
	}
	status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL && !p.killed.Load()
}

// A starter starts processes that end with this one. Linux ties them to the thread that started
// them, so this thread must stay.
type starter struct{ wanted chan func() }

func newStarter() *starter {
	s := &starter{make(chan func())}
	go func() {
		runtime.LockOSThread()
		for start := range s.wanted {
			start()
		}
	}()
	return s
}

func (s *starter) close() { close(s.wanted) }

// start starts a process that may have so many bytes of memory.
func (s *starter) start(program []string, memory int64) (p *process, err error) {
	done := make(chan struct{})
	s.wanted <- func() {
		defer close(done)
		p, err = startHere(program, memory)
		if path := byPath(program[0]); errors.Is(err, fs.ErrNotExist) && path != "" {
			p, err = startHere(append([]string{path}, program[1:]...), memory)
		}
	}
	<-done
	if err != nil {
		return nil, err
	}
	return p, p.ready()
}

// byPath returns where this program is installed, if name is its link in /proc. An emulator such as
// qemu-user lets a program look at that link, but not start it.
func byPath(name string) string {
	if !strings.HasPrefix(name, "/proc/") {
		return ""
	}
	path, _ := os.Executable() // "" if that fails too: the error is that of the link
	return path
}

func startHere(program []string, memory int64) (*process, error) {
	cmd := exec.Command(program[0], program[1:]...)
	cmd.Env = []string{}      // the server's may have secrets
	cmd.WaitDelay = lingering // a child may keep its streams open
	if err := prepare(cmd); err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, said: &beginning{}, last: time.Now(), gone: make(chan struct{})}
	var err error
	if p.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	answers, theirs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	cmd.Stdout, cmd.Stderr = theirs, p.said
	p.answers, p.out = answers, bufio.NewReader(answers)
	if err := cmd.Start(); err != nil {
		answers.Close()
		if errors.Is(err, syscall.ENOMEM) || errors.Is(err, syscall.EAGAIN) {
			err = fmt.Errorf("%w: %w", errKilled, err)
		}
		return nil, err
	}
	go p.wait()
	if p.bounds, err = bind(cmd.Process, memory); err != nil { // it has nothing to do yet
		p.end()
		return nil, err
	}
	return p, nil
}

// readyTime is how long a process may take to begin.
const readyTime = 15 * time.Second

// ready waits until the process has begun.
func (p *process) ready() error {
	late := time.AfterFunc(readyTime, p.kill)
	defer late.Stop()
	var is string
	_, err := receive(p.out, &is, 0)
	word, why, _ := strings.Cut(is, ": ")
	p.unconfined = why
	if err != nil || word != readyWord {
		if err != nil && p.killedByOthers() {
			return fmt.Errorf("%w at its start; it wrote: %s", errKilled, p.end())
		}
		return fmt.Errorf("it did not start: %v; it wrote: %s", err, p.end())
	}
	return nil
}

// beginningBytes is how much of a worker's output is kept; the first lines of a crash
// state the reason.
const beginningBytes = 512

// A beginning is a writer that keeps the beginning.
type beginning struct {
	mu   sync.Mutex
	kept []byte
}

// Write implements io.Writer.
func (t *beginning) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, b[:min(len(b), beginningBytes-len(t.kept))]...)
	return len(b), nil
}

// String returns what was kept on one line.
func (t *beginning) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(strings.Fields(string(t.kept)), " ")
}
