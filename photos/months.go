package photos

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"relais/internal/folder"
	"relais/internal/store"
)

// Buckets of the file of a month.
const (
	// imagesBucket has a bucket for each photo, by its id, with the images by size. So bbolt keeps
	// them on separate pages and does not rewrite other photos.
	imagesBucket = "images"
	// openBucket has the ids of photos whose record may be missing.
	openBucket = "open"
)

// A month is the file with the images of the photos that were added in a month of UTC.
type month struct {
	opening sync.Mutex
	db      *store.DB // nil until it is opened
	mu      sync.Mutex
	// ended are the ids in openBucket whose addition or deletion has ended: their record decides
	// whether their images stay. busy are those that are still being added or deleted.
	ended, busy map[string]bool
}

const (
	monthLayout = "2006-01"
	suffix      = ".db"
)

// MonthOf returns the month of a file by its path below the data folder, "" for any other file.
func MonthOf(path string) string {
	name, below := strings.CutPrefix(path, "photos/")
	name, ok := strings.CutSuffix(name, suffix)
	t, err := time.Parse(monthLayout, name)
	if !below || !ok || err != nil || t.Format(monthLayout) != name {
		return ""
	}
	return name
}

// FileOf returns the path of a month's file below the data folder.
func FileOf(month string) string { return "photos/" + month + suffix }

// Months lists the months of a data folder that have a file, the oldest first.
func Months(dir folder.Dir) (months []string, err error) {
	entries, err := os.ReadDir(dir.Photos())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if m := MonthOf("photos/" + e.Name()); m != "" {
			months = append(months, m)
		}
	}
	return months, err
}

// Month returns the file of a month. Closing it stays the store's task. Errors: those of
// store.Open; fs.ErrNotExist without a file.
func (s *Store) Month(name string) (*store.DB, error) {
	m, err := s.month(name, false)
	if err != nil {
		return nil, err
	}
	return m.db, nil
}

// month returns a month with its file open. It creates a missing file if create is true.
func (s *Store) month(name string, create bool) (*month, error) {
	s.mu.Lock()
	m, ok := s.months[name]
	if !ok {
		m = &month{ended: map[string]bool{}, busy: map[string]bool{}}
		s.months[name] = m
	}
	s.mu.Unlock()
	m.opening.Lock()
	defer m.opening.Unlock()
	if m.db != nil {
		return m, nil
	}
	path := filepath.Join(s.dir.Photos(), name+suffix)
	if create && s.lost[name] {
		return nil, fmt.Errorf("%s: %w", FileOf(name), ErrMonthLost)
	}
	if create {
		if err := folder.MakeDir(s.dir.Photos()); err != nil {
			return nil, err
		}
	} else if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	db, err := s.openMonth(path)
	if err != nil {
		return nil, err
	}
	if err := m.load(db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	m.db = db
	return m, nil
}

// Problems returns why open files of months cannot be read or written at the
// moment, by month.
func (s *Store) Problems() map[string]error {
	s.mu.Lock()
	all := maps.Clone(s.months)
	s.mu.Unlock()
	problems := map[string]error{}
	for name, m := range all {
		if !m.opening.TryLock() { // which may take long
			continue
		}
		db := m.db
		m.opening.Unlock()
		if db == nil {
			continue
		}
		if err := db.Problem(); err != nil {
			problems[name] = err
		}
	}
	return problems
}

func (s *Store) openMonth(path string) (*store.DB, error) {
	if s.readOnly() {
		return store.OpenReadOnly(path)
	}
	return store.Open(path, imagesBucket, openBucket)
}

func (m *month) close() error {
	m.opening.Lock()
	defer m.opening.Unlock()
	if m.db == nil {
		return nil
	}
	return m.db.Close()
}

// load reads the ids that an earlier process left open.
func (m *month) load(db *store.DB) error {
	return db.View(func(tx *store.Tx) error {
		return store.EachKey(tx, openBucket, func(key []byte) error {
			m.end(key)
			return nil
		})
	})
}
