package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"relais/internal/filetest"
	"relais/internal/tier"
)

// hurry makes the next call try again what failed.
func hurry(db *DB) {
	db.writing.Lock()
	defer db.writing.Unlock()
	db.opening.at = db.opening.at.Add(-tryAgain)
}

// What the mapped file no longer gives is read again, without a restart.
func TestPageFaults(t *testing.T) {
	tier.Slow(t)
	for _, size := range []int64{0, 4096, 8192, 40960} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.db")
			fill(t, path, 400)
			db := opened(t, path)
			whole := filetest.Read(t, path)
			if err := db.Problem(); err != nil {
				t.Errorf("before: %v", err)
			}
			must(t, os.Truncate(path, size))
			all := func(tx *Tx) error { return describe(&strings.Builder{}, tx.Bucket([]byte("a"))) }
			write := func(tx *Tx) error { return tx.Bucket([]byte("a")).Put([]byte("new"), []byte("v")) }
			for i, err := range []error{db.View(all), db.Update(write), db.View(all), db.Update(write)} {
				if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "it is ") { // cut off, or empty
					t.Errorf("call %d: %v, want ErrDamaged and %q in it", i, err, "it is ")
				}
			}
			if err := db.Problem(); !errors.Is(err, ErrDamaged) {
				t.Errorf("the problem: %v, want ErrDamaged", err)
			}
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			must(t, err)
			if _, err := f.WriteAt(whole, 0); err != nil {
				t.Fatal(err)
			}
			f.Close()
			hurry(db)
			if err := errors.Join(db.View(all), db.Problem(), db.Update(write), db.Check()); err != nil {
				t.Errorf("when it can be read again: %v", err)
			}
			if _, err := open(path, os.O_RDWR, 0); !errors.Is(err, ErrHeld) {
				t.Errorf("it is not held: %v, want ErrHeld", err)
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
			wantValue(t, opened(t, path), "new", "v")
		})
	}
}

// A page that could not be read and now can is nobody's damage.
func TestPageFaultsPass(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	fill(t, path, 400)
	db := opened(t, path)
	whole := filetest.Read(t, path)
	before := db.current
	err := db.View(func(tx *Tx) error {
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		// Back again before anybody looks why.
		defer f.Close()
		defer f.WriteAt(whole, 0)
		if err := f.Truncate(8192); err != nil {
			return err
		}
		return describe(&strings.Builder{}, tx.Bucket([]byte("a")))
	})
	if !errors.Is(err, ErrUnreadable) || errors.Is(err, ErrDamaged) || strings.Contains(err.Error(), "backup") {
		t.Errorf("got %v, want ErrUnreadable, not ErrDamaged, and nothing of a backup", err)
	}
	hurry(db)
	if err := errors.Join(db.Problem(), db.Check()); err != nil {
		t.Error(err)
	}
	if db.current == before {
		t.Error("it was not opened again")
	}
}

// failing is a file that the disk does not give.
type failing struct{}

func (failing) ReadAt([]byte, int64) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: "/data/x.db", Err: syscall.EIO}
}

func TestUnreadableIsNotDamaged(t *testing.T) {
	err := unsound("x.db", verify(failing{}, 1<<20, true))
	if want := "x.db cannot be read at present: input/output error"; err.Error() != want ||
		!errors.Is(err, ErrUnreadable) || !errors.Is(err, syscall.EIO) {
		t.Errorf("%v, want %s", err, want)
	}
	if err := unsound("x.db", verify(bytes.NewReader(make([]byte, 4096)), 4096, true)); !errors.Is(err, ErrDamaged) {
		t.Error(err)
	}
}

// headers are the two meta pages of a file.
func headers(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	must(t, err)
	defer f.Close()
	b := make([]byte, 8192)
	if _, err := io.ReadFull(f, b); err != nil {
		t.Fatal(err)
	}
	return b
}

// After a commit whose header did not reach the disk, the header before it is read. What
// bolt knows of free pages is then of another state, and is read again before anything is
// written.
func TestOpenedAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	fill(t, path, 2000)
	db := opened(t, path)
	change := func(round int) {
		t.Helper()
		err := db.Update(func(tx *Tx) error {
			for i := range 40 {
				if err := tx.Bucket([]byte("a")).Put(fmt.Appendf(nil, "key-%05d", (round*379+i*41)%2000),
					make([]byte, 200+round)); err != nil {
					return err
				}
			}
			return nil
		})
		must(t, err)
	}
	for round := range 20 {
		change(3 * round)
		before, commits := headers(t, path), db.Commits()
		change(3*round + 1)
		db.current.doubtful = true // as Update says when the fsync fails, and the system drops the page
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		must(t, err)
		if _, err := f.WriteAt(before, 0); err != nil {
			t.Fatal(err)
		}
		f.Close()
		change(3*round + 2)
		if got := db.Commits(); got != commits+1 {
			t.Errorf("%d commits after one that was lost and one that was not, want %d", got, commits+1)
		}
		if err := db.Check(); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
	}
}

// While somebody reads the file as it was opened before, no page of theirs is used.
func TestOpenedAgainBesideAView(t *testing.T) {
	tier.Slow(t)
	path := filepath.Join(t.TempDir(), "x.db")
	db := opened(t, path)
	put(t, db, "k", []byte("old"))
	reading, end := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		err := db.View(func(tx *Tx) error {
			close(reading)
			<-end
			if got := tx.Bucket([]byte("a")).Get([]byte("k")); string(got) != "old" {
				t.Errorf("the View sees %q, want old", got)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-reading
	db.current.doubtful = true
	write := func(tx *Tx) error { return tx.Bucket([]byte("a")).Put([]byte("k"), []byte("new")) }
	if err := db.Update(write); err == nil {
		t.Error("a page that is read was perhaps used")
	}
	wantValue(t, db, "k", "old") // readers do not wait
	close(end)
	wg.Wait()
	if err := db.Update(write); err != nil {
		t.Error(err)
	}
	wantValue(t, db, "k", "new")
}

// One of the two headers is gone: what was written last may be undone, and the file is
// sound even so.
func TestLostHeader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	fill(t, path, 10)
	data := filetest.Read(t, path)
	for _, at := range []int{16 + 40, 4096 + 16 + 40} {
		bad := bytes.Clone(data)
		bad[at] ^= 1
		filetest.Write(t, path, bad)
		if err := Check(path); !errors.Is(err, ErrDamaged) ||
			!strings.Contains(err.Error(), "the last changes may be lost") {
			t.Errorf("%d: %v, want ErrDamaged and the last changes may be lost in it", at, err)
		}
	}
}

// What a failed commit may have written is not certain before the file has been opened again.
func TestViewCertain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	db := opened(t, path)
	put(t, db, "k", []byte("v"))
	if err := db.ViewCertain(func(*Tx) error { return nil }); err != nil {
		t.Errorf("got %v for a file without doubt, want nil", err)
	}
	db.current.doubtful = true // as Update says when the fsync fails
	must(t, os.Rename(path, path+".away"))
	if err := db.View(func(*Tx) error { return nil }); err != nil {
		t.Errorf("View: got %v, want what it shows", err)
	}
	if err := db.ViewCertain(func(*Tx) error { t.Error("it shows what is not certain"); return nil }); err == nil {
		t.Error("ViewCertain: got nil for a file that cannot be opened again, want an error")
	}
	must(t, os.Rename(path+".away", path))
	db.opening = attempt{} // it would wait a second before it tries again
	var got []byte
	err := db.ViewCertain(func(tx *Tx) error { got = bytes.Clone(tx.Bucket([]byte("a")).Get([]byte("k"))); return nil })
	if err != nil || string(got) != "v" || db.current.doubtful {
		t.Errorf("got %q, %v, doubtful %v; want v, nil, false", got, err, db.current.doubtful)
	}
}
