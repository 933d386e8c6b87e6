// Package photos stores the photos of sites: their records, their images as they are shown, and the
// reports about them. It does not decode images, and does not know whether a site exists.
//
// The records are in one file, photos.db. The images are in one file for each month. They are
// written once, with a mark that their record may be missing. The record follows when the images
// are on disk. So a crash leaves either a complete photo, or marked images that Sweep removes.
//
// Several machines that share photos.db keep the images in Blobs instead, with the same order of
// steps.
package photos

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/google/uuid"

	"relais/internal/folder"
	"relais/internal/store"
)

// Errors that callers distinguish. Other errors are those of package store, of writing a file, and
// of values out of range.
var (
	ErrNoPhoto  = errors.New("no such photo")
	ErrNoReport = errors.New("no such report")
	ErrReadOnly = fmt.Errorf("the folder cannot be written to: %w", fs.ErrPermission)
	// errLost says that the images of a photo are not in the file that its record names.
	errLost = errors.New("the images of the photo are lost: restore them from a backup")
	// ErrMonthLost says that the file of a month with images is missing.
	ErrMonthLost = errors.New(
		"the file of the month is missing: restore it from a backup, or accept that with relais check --accept")
)

// Buckets of photos.db. An id is a UUID of version 7 in 16 bytes, so ids are in the order of time.
const (
	photosBucket    = "photos"    // id → Photo in JSON
	sitesBucket     = "sites"     // siteKey, 0, id → visible or hidden, then the operator
	hiddenBucket    = "hidden"    // id of each hidden photo → held, or nothing
	reportsBucket   = "reports"   // id of the photo, id of the client → Report in JSON
	reportIDsBucket = "reportIds" // id of the report → its key in reports
	pendingBucket   = "pending"   // Unix milliseconds, id of the report: the queue
)

// Buckets are those of photos.db.
var Buckets = []string{photosBucket, sitesBucket, hiddenBucket, reportsBucket, reportIDsBucket, pendingBucket}

// A Store is the photos of a data folder. Its methods may be called from several
// goroutines.
type Store struct {
	db       *store.DB // nil for a read-only folder without photos
	dir      folder.Dir
	now      func() time.Time
	images   imageKeeper
	stamping sync.Mutex
	steps    sync.RWMutex // held while what spans two files is done, by Pause alone
	mu       sync.Mutex   // of months
	months   map[string]*month
	lost     map[string]bool // months whose file is missing and must not be made again
	briefs   briefs
}

// Open returns the photos of a folder with photos.db as db. Closing db stays the caller's task.
// With nil or a read-only db, every change fails with ErrReadOnly. Monthly files are opened when
// they are needed.
func Open(db *store.DB, dir folder.Dir, now func() time.Time) *Store {
	s := &Store{db: db, dir: dir, now: now, months: map[string]*month{}}
	s.images = inMonths{s}
	return s
}

// Lose notes that the monthly file of images is missing, so that no new file replaces it. It is
// called before the store is used.
func (s *Store) Lose(month string) {
	if s.lost == nil {
		s.lost = map[string]bool{}
	}
	s.lost[month] = true
}

// Commits returns the commit counters of the open files of months.
func (s *Store) Commits() map[string]uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]uint64{}
	for name, m := range s.months {
		if m.opening.TryLock() { // it is being opened: the next time
			if m.db != nil {
				all[name] = m.db.Commits()
			}
			m.opening.Unlock()
		}
	}
	return all
}

// Close closes the files of months.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, m := range s.months {
		errs = append(errs, m.close())
	}
	clear(s.months)
	return errors.Join(errs...)
}

// Pause waits for running additions and deletions, and delays others until resume is called.
// Meanwhile all files are consistent with each other.
func (s *Store) Pause() (resume func()) {
	s.steps.Lock()
	return sync.OnceFunc(s.steps.Unlock)
}

// ReadOnly reports whether every change fails.
func (s *Store) ReadOnly() bool { return s.readOnly() }

func (s *Store) readOnly() bool { return s.db == nil || s.db.ReadOnly() }

// Version returns the version of photos.db: see store.DB.Version.
func (s *Store) Version() string { return s.db.Version() }

func (s *Store) view(fn func(*store.Tx) error) error {
	if s.db == nil {
		return nil
	}
	return s.db.View(fn)
}

// viewList is view for lists, which leave out damaged records.
func (s *Store) viewList(fn func(*store.Tx) error) error {
	return s.view(func(tx *store.Tx) error {
		tx.LeaveOut(func(error) {})
		return fn(tx)
	})
}

func (s *Store) update(fn func(*store.Tx) error) error {
	if s.readOnly() {
		return ErrReadOnly
	}
	return s.db.Update(fn)
}

// stamp returns a new id and its time, to the millisecond. Ids are in the order of their times.
func (s *Store) stamp() (uuid.UUID, time.Time, error) {
	s.stamping.Lock()
	defer s.stamping.Unlock()
	id, err := uuid.NewV7()
	return id, s.millisecond(), err
}

func (s *Store) millisecond() time.Time { return s.now().UTC().Truncate(time.Millisecond) }

// key returns the key of an id in its canonical spelling, or nil.
func key(id string) []byte {
	u, err := uuid.Parse(id)
	if err != nil || u.String() != id {
		return nil
	}
	return u[:]
}

// id returns the id of a key.
func id(key []byte) string {
	u, err := uuid.FromBytes(key)
	if err != nil {
		return fmt.Sprintf("%x", key)
	}
	return u.String()
}

// putJSON stores v in a bucket.
func putJSON(tx *store.Tx, bucket string, key []byte, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return tx.Bucket([]byte(bucket)).Put(key, text)
}
