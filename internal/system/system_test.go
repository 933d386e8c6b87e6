package system

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"relais/internal/errtest"
	"relais/internal/killtest"
)

var must = errtest.Must

// A lock keeps out other handles of the file, and lets them read it.
func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "é x.lock")
	must(t, os.WriteFile(path, []byte("holder"), 0o600))
	open := func() *os.File {
		f, err := OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		must(t, err)
		t.Cleanup(func() { f.Close() })
		return f
	}
	first, second := open(), open()
	must(t, Lock(first, false))
	for _, shared := range []bool{true, false} {
		if err := Lock(second, shared); !errors.Is(err, ErrLocked) {
			t.Errorf("the second lock, shared %v: %v, want ErrLocked", shared, err)
		}
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "holder" {
		t.Errorf("read while it is locked: %q, %v", text, err)
	}
	must(t, Unlock(first))
	must(t, Lock(second, true))
	must(t, Lock(first, true))
	if err := Lock(open(), false); !errors.Is(err, ErrLocked) {
		t.Errorf("a lock for all others next to shared ones: %v, want ErrLocked", err)
	}
}

func TestMain(m *testing.M) {
	killtest.Main(m, func(args []string) error {
		f, err := OpenFile(args[0], os.O_RDWR|os.O_CREATE, 0o600)
		if err == nil {
			err = Lock(f, false)
		}
		if err == nil {
			_, err = LockFolder(filepath.Dir(args[0]), true)
		}
		if err == nil {
			fmt.Println("locked")
			time.Sleep(time.Hour) // until it is killed
		}
		return err
	})
}

// The locks of a process end with it.
func TestLocksOfKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	child, lines := killtest.Start(t, path)
	defer child.Process.Kill()
	if !lines.Scan() || lines.Text() != "locked" {
		t.Fatalf("the child says %q", lines.Text())
	}
	f, err := OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	defer f.Close()
	if err := Lock(f, false); !errors.Is(err, ErrLocked) {
		t.Errorf("the file, while the child runs: %v, want ErrLocked", err)
	}
	if _, err := LockFolder(filepath.Dir(path), true); !errors.Is(err, ErrLocked) {
		t.Errorf("the folder, while the child runs: %v, want ErrLocked", err)
	}
	must(t, child.Process.Kill())
	child.Wait() // it was killed
	must(t, Lock(f, false))
	lock, err := LockFolder(filepath.Dir(path), true)
	must(t, err)
	must(t, lock.Close())
}

// A folder is locked by whatever name it is called, and others are not.
func TestLockFolder(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	lock, err := LockFolder(dir, true)
	must(t, err)
	if !lock.Held {
		t.Skip("folders cannot be locked here")
	}
	if _, err := LockFolder(filepath.Join(dir, "..", filepath.Base(dir)), false); !errors.Is(err, ErrLocked) {
		t.Errorf("the same folder: %v, want ErrLocked", err)
	}
	another, err := LockFolder(other, true)
	must(t, err)
	must(t, another.Close())
	must(t, os.WriteFile(filepath.Join(dir, "x"), nil, 0o600))
	must(t, lock.Close())
	lock, err = LockFolder(dir, true)
	must(t, err)
	must(t, lock.Close())
	if _, err := LockFolder(filepath.Join(dir, "missing"), true); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing folder: %v, want fs.ErrNotExist", err)
	}
}

// A file that is read is replaced, and its reader goes on with the old one.
func TestRenameOverOpen(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "neu"), filepath.Join(dir, "café 1")
	must(t, os.WriteFile(to, []byte("old"), 0o600))
	must(t, os.WriteFile(from, []byte("new"), 0o600))
	f, err := OpenFile(to, os.O_RDONLY, 0)
	must(t, err)
	defer f.Close()
	if err := Rename(from, to); err != nil {
		if replacesOpen() {
			t.Fatal(err)
		}
		t.Skipf("this system does not replace open files: %v", err)
	}
	text := make([]byte, 3)
	if _, err := f.ReadAt(text, 0); err != nil || string(text) != "old" {
		t.Errorf("the reader got %q, %v, want old", text, err)
	}
	if text, err := os.ReadFile(to); err != nil || string(text) != "new" {
		t.Errorf("the name has %q, %v, want new", text, err)
	}
}

// A file without a name can be written and read, and leaves nothing.
func TestCreateUnlinked(t *testing.T) {
	dir := t.TempDir()
	f, err := CreateUnlinked(dir, ".spool.tmp-*")
	must(t, err)
	other, err := CreateUnlinked(dir, ".spool.tmp-*")
	must(t, err)
	_, err = f.Write([]byte("text"))
	must(t, err)
	got := make([]byte, 4)
	_, err = f.ReadAt(got, 0)
	must(t, err)
	if !bytes.Equal(got, []byte("text")) {
		t.Errorf("got %q, want text", got)
	}
	must(t, errors.Join(f.Close(), other.Close()))
	left, err := os.ReadDir(dir)
	must(t, err)
	if len(left) > 0 {
		t.Errorf("%s is left", left[0].Name())
	}
}

func TestFree(t *testing.T) {
	bytes, files, err := Free(t.TempDir())
	if err != nil || bytes < 1<<20 || files == 0 {
		t.Errorf("got %d bytes, %d files, %v", bytes, files, err)
	}
	if _, _, err := Free(filepath.Join(t.TempDir(), "missing")); err == nil {
		t.Error("a missing folder has no error")
	}
}

func TestAddressInUse(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	if _, err := net.Listen("tcp", l.Addr().String()); !AddressInUse(err) {
		t.Errorf("%v is not an address in use", err)
	}
}
