// Package store keeps a bbolt file safe: it makes the file whole or not at all,
// opens it in one process at a time, and answers a damaged file with an error
// instead of a crash. It does not know the records.
package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

var (
	// ErrDamaged says that the file cannot be read as it was written.
	ErrDamaged = errors.New("the file is damaged")
	// ErrUnreadable says that the disk did not give the file back. It may later, and is
	// asked again.
	ErrUnreadable = errors.New("cannot be read at present")
	// ErrRecord comes with an ErrDamaged that concerns single records: others can be
	// read and written.
	ErrRecord = errors.New("not as it was written")
	// ErrHeld says that the file is open elsewhere, in this process or another.
	ErrHeld = errors.New("the file is in use by another process")
	// errNewer says that a newer program has written the file.
	errNewer = errors.New("it was written by a newer relais: install that version")
	// errOlder says that a program from before the first release has written the file.
	errOlder = errors.New("it is of a format from before the first release, which this relais does not read: use another folder")
)

func damaged(name string, why error) error {
	return fmt.Errorf("%s: %w (%w): restore it from a backup", name, ErrDamaged, why)
}

// unsound returns the error of a file that could not be verified: the disk failed, or its bytes are not those that
// were written.
func unsound(name string, err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return fmt.Errorf("%s %w: %w", name, ErrUnreadable, errno)
	}
	return damaged(name, err)
}

// failed returns the error of an operation on a file, without the name of its folder.
func failed(what, name string, err error) error {
	if errors.Is(err, ErrDamaged) || errors.Is(err, ErrUnreadable) {
		return err // that names the file
	}
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		err = link.Err
	}
	return fmt.Errorf("%s %s: %w", what, name, err)
}

// patience is the longest wait for the lock of a file. Tests change it.
var patience = time.Second

const (
	step     = 1 << 20  // a file grows by this many bytes
	walkable = 64 << 20 // bytes of a file whose whole tree is read before it is opened: about 0.1 s
)

// A DB is an open file. Its methods may be called from several goroutines.
type DB struct {
	path, name string
	readOnly   bool
	writing    sync.Mutex   // an Update, Check, Compact or Close at a time
	mu         sync.RWMutex // of current, for as long as it takes to begin to use it
	current    *file
	commits    atomic.Uint64
	// failedCommits is part of Version.
	failedCommits atomic.Uint64

	history    string    // see SetHistory
	followers  followers // guarded by writing
	buckets    []string  // that Open was given
	journal    Journal
	log        Log                  // see Share
	mark       atomic.Pointer[Mark] // that memory has
	rounds     rounds               // of Fresh
	life       context.Context      // ends with Close
	end        context.CancelFunc
	rebuilding atomic.Bool           // the log is copied as a whole
	rebuilt    atomic.Int64          // how often a Log did not have the mark
	opening    attempt               // to open the file again
	building   attempt               // to replace the file by all that the log has
	problem    atomic.Pointer[error] // that Problem told last
	replaced   sync.WaitGroup        // files that were taken out of use and are still read
}

// use returns the file, which stays open until its users are done.
func (db *DB) use() *file {
	db.mu.RLock()
	defer db.mu.RUnlock()
	db.current.users.Add(1)
	db.current.reading.Add(1)
	return db.current
}

// Open opens a file for reading and writing, and makes the file and the buckets
// that are missing; the folder must exist. Open waits at most a second for a process that has the file
// open, then fails with ErrHeld. Other errors: ErrDamaged, errNewer, errOlder, and those that
// folder.ReadOnly knows. Up to 64 MiB the file is read to its last
// page first; of a larger one only Check finds all that could end the process.
func Open(path string, buckets ...string) (*DB, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := create(path, buckets); err != nil {
			return nil, failed("create", filepath.Base(path), err)
		}
	}
	db, err := open(path, os.O_RDWR, walkable)
	if err != nil {
		return nil, err
	}
	db.buckets = buckets
	// A disk that takes no writes must not keep the file from being read: the next Update tries again.
	db.current.doubtful = db.current.settle(path) != nil
	if err := addMissing(db, buckets); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// OpenReadOnly opens a file that several processes may read at once, and that
// nobody may have open for writing. Errors: fs.ErrNotExist, ErrHeld after a
// second, ErrDamaged, errNewer, errOlder.
func OpenReadOnly(path string) (*DB, error) { return open(path, os.O_RDONLY, walkable) }

// open opens a file that exists and walks its tree when the file has at most
// limit bytes. The flag is os.O_RDWR or os.O_RDONLY.
func open(path string, flag int, limit int64) (*DB, error) {
	name := filepath.Base(path)
	f, err := openFile(path, name, flag, limit)
	if err != nil {
		return nil, err
	}
	db := &DB{path: path, name: name, readOnly: flag == os.O_RDONLY, current: f, history: rand.Text()}
	db.journal.db = db
	db.life, db.end = context.WithCancel(context.Background())
	db.commits.Store(f.commits)
	db.mark.Store(&f.mark)
	return db, nil
}

// addMissing makes the buckets that are missing.
func addMissing(db *DB, buckets []string) error {
	missing := false
	err := db.View(func(tx *Tx) error {
		for _, name := range buckets {
			missing = missing || tx.Bucket([]byte(name)) == nil
		}
		return nil
	})
	if err != nil || !missing {
		return err
	}
	return db.Update(func(tx *Tx) error { return makeBuckets(tx, buckets) })
}

func makeBuckets(tx *Tx, buckets []string) error {
	for _, name := range buckets {
		if _, err := tx.CreateBucketIfNotExists([]byte(name)); err != nil {
			return fmt.Errorf("bucket %q: %w", name, err)
		}
	}
	return nil
}

// ReadOnly reports whether the file is opened for reading only.
func (db *DB) ReadOnly() bool { return db.readOnly }

// Close waits for the open transactions and closes the file.
func (db *DB) Close() error {
	db.end()
	db.writing.Lock() // a Compact would open the file again
	defer db.writing.Unlock()
	err := db.current.close()
	db.replaced.Wait()
	if err != nil {
		return failed("close", db.name, err)
	}
	return nil
}
