package worker

import (
	"bufio"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"relais/photos/render"
)

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

// Jobs that must be alone leave room for others.
func TestAloneLeavesRoom(t *testing.T) {
	p := newPool(t, Options{Workers: 2, Waiting: 4})
	release, results := holdAll(p, 8, task{sender: "another", payload: order{What: "hash"}, alone: true})
	for range 5 { // one runs, two wait
		if err := <-results; !errors.Is(err, ErrBusy) {
			t.Errorf("got %v, want no room for five of eight jobs", err)
		}
	}
	if _, _, err := p.ask("hash"); err != nil {
		t.Errorf("job next to jobs that must be alone: %v", err)
	}
	release()
	for range 3 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
}

func TestHEIFOf(t *testing.T) {
	for _, tt := range []struct {
		text string
		want error
	}{
		{"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic", render.ErrHEIC},
		{"\x00\x00\x00\x18ftypmif1\x00\x00\x00\x00mif1avif", render.ErrUnsupported},
		{"\x00\x00\x00\x18ftypavif\x00\x00\x00\x00", render.ErrUnsupported},
		{"\xff\xd8\xff\xe0", render.ErrUnsupported},
		{"", render.ErrUnsupported},
	} {
		t.Run(tt.text, func(t *testing.T) {
			alone, fails := heifOf(bufio.NewReader(strings.NewReader(tt.text)))
			if alone != strings.Contains(tt.text, "ftyp") || fails != tt.want {
				t.Errorf("heifOf(%q) = %v, %v, want %v and %v", tt.text, alone, fails,
					strings.Contains(tt.text, "ftyp"), tt.want)
			}
		})
	}
}
