package worker

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"relais/internal/filetest"
)

// tryForbidden tries what a worker may not do, and returns the errors.
func tryForbidden(path string) map[string]string {
	said := map[string]string{}
	try := func(what string, err error) { said[what] = fmt.Sprint(err) }
	_, err := os.ReadFile(path)
	try("read a file", err)
	try("write a file", os.WriteFile(path+".new", nil, 0o600))
	try("remove a file", os.Remove(path))
	try("rename a file", os.Rename(path, path+".old"))
	_, err = os.ReadDir("/")
	try("read a folder", err)
	_, err = net.Dial("tcp", "127.0.0.1:1")
	try("connect", err)
	_, err = net.Listen("unix", path+".socket")
	try("listen", err)
	try("start a program", exec.Command("/bin/true").Run())
	try("replace itself", syscall.Exec("/bin/true", []string{"true"}, nil))
	try("signal the server", syscall.Kill(os.Getppid(), 0))
	return said
}

// skipUnconfined skips a test where the system cannot confine.
func skipUnconfined(t *testing.T, p *Pool) {
	t.Helper()
	for _, i := range p.idle {
		if i.unconfined != "" {
			t.Skip(i.unconfined)
		}
	}
}

// A worker reaches no file, no network and no other process.
func TestConfined(t *testing.T) {
	p := newPool(t, Options{})
	path := filetest.New(t, "secret.key", "secret")
	var a answer
	if _, err := p.do(context.Background(), task{payload: order{"reach", path}, input: strings.NewReader("")},
		&a); err != nil {
		t.Fatal(err)
	}
	skipUnconfined(t, p)
	for what, said := range a.Reached {
		if !strings.Contains(said, "operation not permitted") {
			t.Errorf("%s: %s, want operation not permitted", what, said)
		}
	}
	if len(a.Reached) != 10 {
		t.Errorf("%d operations were tried, want 10", len(a.Reached))
	}
	if len(a.Env) != 0 {
		t.Errorf("its environment is %q, want none", a.Env)
	}
	if kept, err := os.ReadFile(path); string(kept) != "secret" || err != nil {
		t.Errorf("file = %q, %v; want it unchanged", kept, err)
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", a.PID))
	if err != nil {
		t.Skip("no /proc")
	}
	for _, want := range []string{"NoNewPrivs:\t1", "Seccomp:\t2"} {
		if !strings.Contains(string(status), want) {
			t.Errorf("its state lacks %q", want)
		}
	}
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", a.PID))
	must(t, err)
	for _, task := range tasks { // each of its threads
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/status", a.PID, task.Name()))
		if err == nil && !strings.Contains(string(status), "Seccomp:\t2") {
			t.Errorf("thread %s is not confined", task.Name())
		}
	}
}

// A worker has only its pipes open, not the descriptors that the server inherited.
func TestInheritedDescriptors(t *testing.T) {
	var left [2]int
	if err := syscall.Pipe(left[:]); err != nil { // without close-on-exec
		t.Fatal(err)
	}
	defer syscall.Close(left[0])
	defer syscall.Close(left[1])
	pipe, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", left[0]))
	if err != nil {
		t.Skip("no /proc")
	}
	p := newPool(t, Options{})
	a, _, err := p.ask("hash")
	must(t, err)
	dir := fmt.Sprintf("/proc/%d/fd", a.PID)
	open, err := os.ReadDir(dir)
	must(t, err)
	for _, fd := range open {
		if to, err := os.Readlink(filepath.Join(dir, fd.Name())); err == nil && to == pipe {
			t.Errorf("descriptor %s is the server's %s", fd.Name(), to)
		}
	}
	if len(open) < 4 {
		t.Errorf("%d descriptors, want at least 4", len(open))
	}
}
