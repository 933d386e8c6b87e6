package worker

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A process is a worker from outside.
type process struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader // of answers
	said *beginning
	last time.Time // that a job ended

	answers *os.File
}

// kill ends the process at once.
func (p *process) kill() { _ = p.cmd.Process.Kill() } // it may be gone by itself

// end kills the process, waits for it and returns what it said.
func (p *process) end() string {
	p.kill()
	p.in.Close()
	p.answers.Close()
	_ = p.cmd.Wait() // that it was killed
	return p.said.String()
}

// A starter starts processes that die with this one. Linux tells by the thread
// that started them, which therefore has to stay.
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

func (s *starter) start(program []string) (p *process, err error) {
	done := make(chan struct{})
	s.wanted <- func() {
		defer close(done)
		p, err = startHere(program)
	}
	<-done
	return p, err
}

func startHere(program []string) (*process, error) {
	cmd := exec.Command(program[0], program[1:]...)
	cmd.Env = []string{} // no secret of the server's
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	p := &process{cmd: cmd, said: &beginning{}, last: time.Now()}
	cmd.Stdout, cmd.Stderr = p.said, p.said
	var err error
	if p.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	answers, theirs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	cmd.ExtraFiles = []*os.File{theirs}
	p.answers, p.out = answers, bufio.NewReader(answers)
	if err := cmd.Start(); err != nil {
		answers.Close()
		return nil, err
	}
	return p, nil
}

// beginningBytes is how much is kept of what a worker says; the first lines of a crash
// tell why.
const beginningBytes = 512

// A beginning keeps the beginning of what is written.
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
