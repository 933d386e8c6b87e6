package store

import (
	"errors"
	"os"
	"time"

	bolt "go.etcd.io/bbolt"

	"relais/internal/system"
)

// A file is opened again, while it is in use, for two reasons. A page of it could not be
// read: bolt may then keep its locks for ever, though the disk may give the page back in a
// moment. Or a commit failed: bolt reads its list of free pages from one header, and the
// header that it reads next may be the other one, since the system drops what it could
// not write; a page would then be used twice.

// tryAgain is the shortest time between two attempts. A file that is down would be opened again for each request.
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
	return db.current.alone()
}

// certain makes sure that bolt's view of the file is the state on the disk.
func (db *DB) certain() error {
	if f := db.current; f.doubtful || f.pageFault.Load() || f.stuck.Load() != nil {
		return db.opening.again(db.reopen)
	}
	return nil
}

// recover opens the file again when a page could not be read, at most once a second. A reader does not wait for an
// Update that runs: then the next View does it.
func (db *DB) recover() {
	db.mu.RLock()
	failed := db.current.pageFault.Load() || db.current.stuck.Load() != nil
	db.mu.RUnlock()
	if failed && db.writing.TryLock() {
		defer db.writing.Unlock()
		_ = db.certain() // Problem returns the error
	}
}

// Problem returns the reason why the file cannot be read or written, as far as that is known: nil when
// all is well. It tries again, at most once a second.
func (db *DB) Problem() error {
	if !db.writing.TryLock() { // an Update is under way, which may take long
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

// reopen puts the file, opened again, in its own place. Readers that have begun go on. When
// that fails the file stays as it is. Its lock is released in between, since the new descriptor cannot have it
// before: another process may come, and then the file is held elsewhere.
func (db *DB) reopen() error {
	flag := os.O_RDWR
	if db.readOnly {
		flag = os.O_RDONLY
	}
	old := db.current
	_ = system.Unlock(old.osFile)
	next, err := openFile(db.path, db.name, flag, walkable)
	if err == nil {
		if err = next.readAll(walkable); err == nil && !db.readOnly {
			err = next.settle(db.path)
		}
		if err == nil {
			err = db.followers.reload(next)
		}
		if err != nil {
			err = errors.Join(err, next.close())
		}
	}
	if err != nil {
		_ = system.Lock(old.osFile, db.readOnly) // as it was, unless another process has it now
		return failed("open", db.name, err)
	}
	next.oldReaders = make(chan struct{})
	if old.doubtful {
		db.failedCommits.Add(1) // memory may have gone back to an earlier state with a number that was shown
	}
	db.replace(next)
	db.commits.Store(next.commits)
	db.mark.Store(&next.mark)
	return nil
}

// explained calls run, and replaces errFault by an error that says why a page could not be read. The
// caller holds db.writing.
func (db *DB) explained(f *file, managed func(func(*bolt.Tx) error) error, fn func(*Tx) error) error {
	err := f.run(managed, fn)
	if errors.Is(err, errFault) {
		err = db.explain(f, err)
	}
	return err
}

// explain finds out why a page of a file could not be read, and remembers it: the file was cut, it is damaged, or the
// disk failed. A fault says none of this.
func (db *DB) explain(f *file, fault error) error {
	info, err := f.osFile.Stat()
	if err == nil {
		err = verify(f.osFile, info.Size(), info.Size() <= walkable)
	}
	if err == nil {
		err = f.readAll(walkable)
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
