//go:build unix

package store

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"relais/internal/killtest"
)

// A commit that fails is followed by opening the file again, also on a full disk. It is a
// child that has no room: the bound is that of a process.
func TestOpenedAgainAfterAFailure(t *testing.T) {
	child, lines := killtest.Start(t, "full", filepath.Join(t.TempDir(), "x.db"))
	defer child.Wait()
	defer child.Process.Kill()
	if !lines.Scan() || lines.Text() != "done" {
		t.Errorf("got %q, want done", lines.Text())
	}
}

// failToGrow updates a file that cannot grow, and then can.
func failToGrow(path string) error {
	db, err := Open(path, "a")
	if err != nil {
		return err
	}
	value := func(key string, size int) func(tx *Tx) error {
		return func(tx *Tx) error { return tx.Bucket([]byte("a")).Put([]byte(key), make([]byte, size)) }
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGXFSZ)
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: uint64(info.Size()), Max: limit.Max}); err != nil {
		return err
	}
	before := db.current
	for range 2 {
		if err := db.Update(value("large", 8<<20)); err == nil ||
			!strings.Contains(err.Error(), syscall.EFBIG.Error()) {
			return fmt.Errorf("without room for the file: %v", err)
		}
	}
	if err := db.Update(value("small", 10)); err != nil {
		return fmt.Errorf("where there is room for that: %w", err)
	}
	if db.current == before {
		return errors.New("it was not opened again")
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	if err := errors.Join(db.Update(value("large", 8<<20)), db.Check(), db.Problem(), db.Close(),
		Check(path)); err != nil {
		return fmt.Errorf("where there is room: %w", err)
	}
	fmt.Println("done")
	time.Sleep(time.Hour) // until it is killed
	return nil
}

// openWithLittle opens and fills many files in a bounded address space.
func openWithLittle(dir string) error {
	const space = 4 << 30
	if err := unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: space, Max: space}); err != nil {
		return err
	}
	for i := range 16 {
		db, err := Open(filepath.Join(dir, fmt.Sprint(i, ".db")), "a")
		if err != nil {
			return err
		}
		for j := range 3 {
			err := db.Update(func(
				tx *Tx) error {
				return tx.Bucket([]byte("a")).Put([]byte{byte(j)}, make([]byte, 1<<20))
			})
			if err != nil {
				return err
			}
		}
	}
	fmt.Println("opened")
	time.Sleep(time.Hour)
	return nil
}

// giveAway gives a file another mode and, if it can, another owner. kept checks that it still has them.
func giveAway(t *testing.T, path string) (kept func(os.FileInfo)) {
	t.Helper()
	must(t, os.Chmod(path, 0o640))
	if os.Geteuid() == 0 {
		must(t, os.Chown(path, 4711, 4712))
	}
	return func(info os.FileInfo) {
		t.Helper()
		if info.Mode().Perm() != 0o640 {
			t.Errorf("the mode is %04o, want 0640", info.Mode().Perm())
		}
		if st := info.Sys().(*syscall.Stat_t); os.Geteuid() == 0 && (st.Uid != 4711 || st.Gid != 4712) {
			t.Errorf("the owner is %d, %d, want 4711, 4712", st.Uid, st.Gid)
		}
	}
}
