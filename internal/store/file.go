package store

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	bolt "go.etcd.io/bbolt"

	"relais/internal/folder"
)

// A file is the open file of a DB. Compact, a rebuild and opening it again put another in its place; its readers
// then go on with the old one. It has no lock of its own: DB.mu guards which file is in use, and DB.writing all that
// writes. A View counts among the users until it has ended, and does not wait for DB.writing meanwhile, because who
// holds that may wait for the users.
type file struct {
	name      string // for errors
	osFile    *os.File
	bolt      *bolt.DB
	commits   uint64 // that it had when it was opened
	mark      Mark   // that it had when it was opened
	users     sync.WaitGroup
	reading   atomic.Int64          // the number of users
	stuck     atomic.Pointer[error] // why bolt no longer gives back its locks
	pageFault atomic.Bool           // a page could not be read
	// doubtful says that nobody knows which header is on the disk, because a commit
	// failed. DB.writing guards it.
	doubtful bool
	// oldReaders is closed when the readers that began before the file was opened again have ended; or nil.
	oldReaders chan struct{}
}

// openFile opens and verifies a file. Errors call it name.
func openFile(path, name string, flag int, limit int64) (*file, error) {
	f, err := openLocked(path, flag)
	if err != nil {
		return nil, failed("open", name, err)
	}
	info, err := f.Stat()
	if err == nil {
		err = verify(f, info.Size(), info.Size() <= limit)
	}
	if err != nil {
		f.Close()
		return nil, unsound(name, err)
	}
	options := &bolt.Options{
		Timeout:      patience,
		ReadOnly:     flag == os.O_RDONLY,
		FreelistType: bolt.FreelistMapType,
		// The file that is locked and verified, and no other that has the name by now.
		OpenFile: func(string, int, os.FileMode) (*os.File, error) { return f, nil },
	}
	if !options.ReadOnly {
		options.InitialMmapSize = int(info.Size()) + room(info.Size())
	}
	opened := &file{name: name, osFile: f}
	err = guard(name, func() (err error) {
		opened.bolt, err = bolt.Open(path, 0, options)
		if err != nil {
			return err
		}
		return opened.readFormat()
	})
	if err != nil {
		release(f)
		return nil, failed("open", name, err)
	}
	opened.bolt.AllocSize = step
	return opened, nil
}

// done ends a use.
func (f *file) done() {
	f.reading.Add(-1)
	f.users.Done()
}

// close waits for the open transactions.
func (f *file) close() error {
	if f.stuck.Load() != nil {
		release(f.osFile) // all that can be done: bolt would wait forever
		return nil
	}
	if err := f.bolt.Close(); !notLocked(err) { // reopen may have taken bolt's lock away, and opened nothing
		return err
	}
	return nil
}

// run runs fn in one of bolt's managed transactions of the file.
func (f *file) run(managed func(func(*bolt.Tx) error) error, fn func(*Tx) error) error {
	if err := f.stuck.Load(); err != nil {
		return *err
	}
	var (
		tx    *bolt.Tx
		own   error // the error of fn
		ended bool  // without a panic
	)
	err := guard(f.name, func() error {
		err := managed(func(t *bolt.Tx) error {
			tx = t
			sealed := &Tx{bolt: t, name: f.name}
			if own = fn(sealed); sealed.damage != nil {
				own = sealed.damage
			}
			return own
		})
		ended = true
		return err
	})
	switch {
	case !ended: // bolt panicked, and guard made it an error
		if errors.Is(err, errFault) {
			f.pageFault.Store(true)
		}
		// bolt rolls back after a panic. If that failed as well, the transaction still has its database and its locks.
		if tx == nil || tx.DB() != nil {
			f.stuck.Store(&err)
		}
		return err
	case own != nil:
		return own
	case err != nil:
		return fmt.Errorf("%s: %w", f.name, err)
	}
	return nil
}

// alone waits for readers that began before the file was opened again. The bolt of the writer does not know
// them, so that a page that they read may be free for it.
func (f *file) alone() error {
	if f.oldReaders == nil {
		return nil
	}
	select {
	case <-f.oldReaders:
		f.oldReaders = nil
		return nil
	case <-time.After(patience):
		return fmt.Errorf("%s was opened again after an error, and is still read as it was before: try again", f.name)
	}
}

// readAll reads every sector of a file of at most limit bytes: one that cannot be read is an error here, and would
// be a fault in mapped memory.
func (f *file) readAll(limit int64) error {
	info, err := f.osFile.Stat()
	if err == nil && info.Size() <= limit {
		_, err = io.Copy(io.Discard, io.NewSectionReader(f.osFile, 0, math.MaxInt64))
	}
	switch {
	case errors.Is(err, os.ErrClosed):
		return failed("check", f.name, err)
	case err != nil:
		return unsound(f.name, err)
	}
	return nil
}

// settle writes the headers of a file as they are read, and waits until the disk has
// them. A process that was killed may have left a commit in the system's memory only: answers that show it
// from now on must not be taken back by a power cut.
func (f *file) settle(path string) error {
	headers := make([]byte, 2*f.bolt.Info().PageSize)
	if _, err := f.osFile.ReadAt(headers, 0); err != nil {
		return err
	}
	if _, err := f.osFile.WriteAt(headers, 0); err != nil {
		return err
	}
	if err := f.osFile.Sync(); err != nil {
		return err
	}
	return folder.SyncDir(filepath.Dir(path))
}

// verify walks the whole tree of the file, for which the caller
// holds db.writing: bolt trusts its numbers. It returns the size and mode of the file.
func (f *file) verify() (os.FileInfo, error) {
	if err := f.stuck.Load(); err != nil {
		return nil, *err
	}
	info, err := f.osFile.Stat()
	if err != nil {
		return nil, err
	}
	if err := verify(f.osFile, info.Size(), true); err != nil {
		return nil, unsound(f.name, err)
	}
	return info, nil
}

// copyTo copies everything into an empty file except deletedBucket.
func (f *file) copyTo(dst *bolt.DB) error {
	const most = 1 << 20 // bytes of a transaction
	if err := guard(f.name, func() error { return bolt.Compact(dst, f.bolt, most) }); err != nil {
		return err
	}
	return dst.Update(func(tx *bolt.Tx) error {
		if tx.Bucket([]byte(deletedBucket)) == nil {
			return nil
		}
		return tx.DeleteBucket([]byte(deletedBucket))
	})
}
