//go:build linux

package pgtest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/fstest"
	"time"
)

// program returns the path of a program of PostgreSQL: the newest of Debian's, or that of PATH.
var program = func() func(string) (string, error) {
	folders, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	slices.SortFunc(folders, func(a, b string) int { return version(b) - version(a) })
	return func(name string) (string, error) {
		for _, folder := range folders {
			if path, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
				return path, nil
			}
		}
		return exec.LookPath(name)
	}
}()

// version returns the major version of a folder /usr/lib/postgresql/15/bin.
func version(folder string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(folder)))
	return n
}

// owner returns the user that PostgreSQL runs as, which must not be root: nil is the own one.
var owner = sync.OnceValue(func() *syscall.Credential {
	if os.Getuid() != 0 {
		return nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err1 == nil && err2 == nil {
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		}
	}
	return &syscall.Credential{Uid: 65534, Gid: 65534}
})

// newFolder makes a folder that the owner may enter, which t.TempDir is not, and removes it when
// the test ends.
func newFolder(t testing.TB) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "relais-pg")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(folder); err != nil {
			t.Error(err)
		}
	})
	return folder
}

// giveAway makes all files below folder the owner's.
func giveAway(folder string) error {
	as := owner()
	return filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if err := os.Chmod(path, 0o700); err != nil {
				return err
			}
		}
		if as == nil {
			return nil
		}
		return os.Chown(path, int(as.Uid), int(as.Gid))
	})
}

// runAs runs a program of PostgreSQL as its owner to its end.
func runAs(name string, args ...string) error {
	path, err := program(name)
	if err != nil {
		return err
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: owner()}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", cmd, err, bytes.TrimSpace(out))
	}
	return nil
}

// template returns the files of an empty server, which initdb makes once a program.
var template = sync.OnceValues(func() (fs.FS, error) {
	folder, err := os.MkdirTemp("", "relais-pg")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	if err := giveAway(folder); err != nil {
		return nil, err
	}
	data := filepath.Join(folder, "data")
	err = runAs("initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	if err != nil {
		return nil, err
	}
	files := fstest.MapFS{}
	err = filepath.WalkDir(data, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == data {
			return err
		}
		f := &fstest.MapFile{Mode: 0o700 | fs.ModeDir}
		if !d.IsDir() {
			f.Mode = 0o600
			if f.Data, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		files[strings.TrimPrefix(path, data+"/")] = f
		return nil
	})
	return files, err
})

// A process is a running postmaster with its children.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when the postmaster has ended
}

// launch starts the postmaster of s. Nothing but TCP leads to it.
func (s *Server) launch() (*process, error) {
	path, err := program("postgres")
	if err != nil {
		return nil, err
	}
	log, err := os.OpenFile(filepath.Join(s.folder, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	args := []string{"-D", s.data(), "-p", strconv.Itoa(s.port)}
	for _, setting := range []string{
		"listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=on", "cluster_name=" + s.name,
		"shared_buffers=32MB", "max_connections=60", "max_wal_size=256MB", "wal_keep_size=64MB",
		"dynamic_shared_memory_type=mmap", "jit=off", "log_line_prefix=%m [%p] %a ",
	} {
		args = append(args, "-c", setting)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = "/"
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Credential: owner(), Setpgid: true,
		Pdeathsig: syscall.SIGQUIT, // a test that is killed leaves no server
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd, make(chan struct{})}
	go func() {
		cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// interrupt is the fast shutdown.
func (p *process) interrupt() error {
	p.cmd.Process.Signal(syscall.SIGINT)
	select {
	case <-p.done:
		return nil
	case <-time.After(patience):
		return errors.Join(errors.New("PostgreSQL does not stop"), p.kill())
	}
}

// stop stops the postmaster, and returns when it has: it may be starting a child.
func (p *process) stop() {
	p.cmd.Process.Signal(syscall.SIGSTOP)
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if _, state, ok := stat(p.cmd.Process.Pid); !ok || state == "T" || state == "Z" || p.ended() {
			return
		}
	}
}

// kill ends the postmaster and its children, each a group of its own, and returns when they are gone.
func (p *process) kill() error {
	p.stop() // so that it starts no more of them
	children := childrenOf(p.cmd.Process.Pid)
	for _, pid := range children {
		syscall.Kill(pid, syscall.SIGKILL)
	}
	p.cmd.Process.Kill()
	end := time.After(patience)
	for {
		gone := p.ended() && !slices.ContainsFunc(children, func(pid int) bool {
			_, state, ok := stat(pid)
			return ok && state != "Z" && state != "X"
		})
		if gone {
			return nil
		}
		select {
		case <-end:
			return errors.New("a killed process of PostgreSQL does not end")
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// childrenOf returns the processes whose parent is pid.
func childrenOf(pid int) (children []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		child, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if parent, _, ok := stat(child); ok && parent == pid {
			children = append(children, child)
		}
	}
	return children
}

// stat returns the parent and the state of a process.
func stat(pid int) (parent int, state string, ok bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, "", false
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 2 {
		return 0, "", false
	}
	parent, err = strconv.Atoi(fields[1])
	return parent, fields[0], err == nil
}
