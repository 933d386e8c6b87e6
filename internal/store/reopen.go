package store

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"syscall"
	"time"

	bolt "go.etcd.io/bbolt"

	"relais/internal/folder"
)

// A file is opened again, while it is in use, for two reasons. A page of it could not be
// read: bolt may then keep its locks for ever, though the disk may give the page back in a
// moment. Or a commit failed: bolt reads its list of free pages from one header, and the
// header that it reads next may be the other one, since the system drops what it could
// not write; a page would then be used twice.

// tryAgain is how long is waited after what failed.
const tryAgain = time.Second

// An attempt is the last try of an operation. DB.writing guards it.
type attempt struct {
	at  time.Time
	err error
}

// again runs f, unless it failed a moment ago: then it returns that error.
func (a *attempt) again(f func() error) error {
	if a.err == nil || time.Since(a.at) >= tryAgain {
		a.err = f()
		a.at = time.Now()
	}
	return a.err
}

// writable makes sure that the file can be written to. The caller holds db.writing.
func (db *DB) writable() error {
	if err := db.certain(); err != nil {
		return err
	}
	return db.alone()
}

// certain makes sure that bolt's view of the file is the state on the disk.
func (db *DB) certain() error {
	if f := db.current; f.doubtful || f.failed.Load() || f.stuck.Load() != nil {
		return db.opening.again(db.reopen)
	}
	return nil
}

// alone waits for those who read the same file as it was opened before: a page that they
// read may be free for the writer.
func (db *DB) alone() error {
	f := db.current
	if f.before == nil {
		return nil
	}
	select {
	case <-f.before:
		f.before = nil
		return nil
	case <-time.After(patience):
		return fmt.Errorf("%s was opened again after an error, and is still read as it was before: try again", db.name)
	}
}

// recover opens the file again when a page could not be read, at most once a second.
func (db *DB) recover() {
	db.mu.RLock()
	failed := db.current.failed.Load() || db.current.stuck.Load() != nil
	db.mu.RUnlock()
	if failed && db.writing.TryLock() {
		defer db.writing.Unlock()
		_ = db.certain() // Problem has it
	}
}

// Problem is why the file cannot be read or written, as far as that is known: nil when
// all is well. It tries again what failed, at most once a second.
func (db *DB) Problem() error {
	if !db.writing.TryLock() { // an Update is under way
		if last := db.problem.Load(); last != nil {
			return *last
		}
		return nil
	}
	defer db.writing.Unlock()
	err := db.certain()
	db.problem.Store(&err)
	return err
}

// reopen puts the file, opened again, in its own place. Those who read it go on. When
// that fails the file stays as it is.
func (db *DB) reopen() error {
	flag, how := os.O_RDWR, syscall.LOCK_EX
	if db.readOnly {
		flag, how = os.O_RDONLY, syscall.LOCK_SH
	}
	old := db.current
	syscall.Flock(int(old.held.Fd()), syscall.LOCK_UN)
	next, err := openFile(db.path, db.name, flag, walkable)
	if err == nil {
		if err = next.sound(db.name); err == nil && !db.readOnly {
			err = next.settle(db.path)
		}
		if err == nil {
			err = db.reload(next)
		}
		if err != nil {
			err = errors.Join(err, next.close())
		}
	}
	if err != nil {
		syscall.Flock(int(old.held.Fd()), how|syscall.LOCK_NB)
		return failed("open", db.name, err)
	}
	next.before = make(chan struct{})
	if old.doubtful {
		db.doubts.Add(1)
	}
	db.replace(next)
	db.commits.Store(next.commits)
	db.mark.Store(&next.mark)
	return nil
}

// sound reads all of a file that is not too large.
func (f *file) sound(name string) error {
	r := io.NewSectionReader(f.held, 0, math.MaxInt64)
	info, err := f.held.Stat()
	if err == nil && info.Size() <= walkable {
		_, err = io.Copy(io.Discard, r)
	}
	if err != nil {
		return unsound(name, err)
	}
	return nil
}

// settle writes the headers of a file as they are read, and waits until the disk has
// them. A process that was killed may have left a commit in memory only: what is told of
// it from now on must not be taken back by a power cut.
func (f *file) settle(path string) error {
	headers := make([]byte, 2*f.bolt.Info().PageSize)
	if _, err := f.held.ReadAt(headers, 0); err != nil {
		return err
	}
	if _, err := f.held.WriteAt(headers, 0); err != nil {
		return err
	}
	if err := f.held.Sync(); err != nil {
		return err
	}
	return folder.SyncDir(filepath.Dir(path))
}

// explained is run, with an error that says why a page could not be read. The
// caller holds db.writing.
func (db *DB) explained(f *file, managed func(func(*bolt.Tx) error) error, fn func(*Tx) error) error {
	err := db.run(f, managed, fn)
	if errors.Is(err, errFault) {
		err = db.explain(f, err)
	}
	return err
}

// explain looks why a page of a file could not be read, and remembers it.
func (db *DB) explain(f *file, fault error) error {
	info, err := f.held.Stat()
	if err == nil {
		err = verify(f.held, info.Size(), info.Size() <= walkable)
	}
	if err == nil {
		err = f.sound(db.name)
	}
	switch {
	case errors.Is(err, ErrUnreadable):
	case err != nil:
		err = unsound(db.name, err)
	default:
		err = fault
	}
	if f.stuck.Load() != nil {
		f.stuck.Store(&err)
	}
	if f == db.current {
		db.opening = attempt{time.Now(), err}
	}
	return err
}
