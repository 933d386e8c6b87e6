// Package outage stores the unavailable sites that operators publish in files. It does not fetch
// files, and does not know whether a site exists. Reports of people are in package community.
//
// Everything is in community.db. The last good file of an operator stays until a better one is
// imported or it is cleared. Queries are answered from memory.
package outage

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"relais/internal/store"
)

// Errors that callers handle. Other errors are those of package store, of reading a file,
// and of values that are out of bounds.
var (
	errNoFeed   = errors.New("the operators of the market publish no unavailable sites")
	ErrNoList   = errors.New("nobody publishes lists of the unavailable sites of all operators of the market: give --operator")
	ErrOperator = errors.New("not an operator of the market")
	errReadOnly = fmt.Errorf("the folder cannot be written to: %w", fs.ErrPermission)
)

// The buckets of this package in community.db. The key of a feed is its market, 0, its operator.
const (
	feedsBucket   = "feeds"            // feed → Feed in JSON
	entriesBucket = "unavailableSites" // feed → []*Entry in JSON: its last good file
)

// Buckets are those of this package.
var Buckets = []string{feedsBucket, entriesBucket}

// A Store is the feeds of a data folder. Its methods may be called from several
// goroutines.
type Store struct {
	db      *store.DB // nil for a read-only folder without the file, and for a Snapshot
	now     func() time.Time
	version string // of a Snapshot
	state   atomic.Pointer[state]
}

// Open reads the feeds of community.db. Closing db stays the caller's task. With nil or a read-only
// db, every change fails with errReadOnly. Unusable records are left out and listed by Problems;
// their feeds count as failed until the next import.
func Open(db *store.DB, now func() time.Time) (*Store, error) {
	s := &Store{db: db, now: now}
	s.state.Store(newState())
	if err := db.Follow(s.load, s.apply, feedsBucket, entriesBucket); err != nil {
		return nil, fmt.Errorf("community.db: %w: restore it from a backup", err)
	}
	return s, nil
}

// load replaces the state by that of a file.
func (s *Store) load(tx *store.Tx) error {
	st := newState()
	err := store.EachKey(tx, feedsBucket, func(k []byte) error {
		st.reload(tx, k, s.second())
		return nil
	})
	if err == nil {
		s.state.Store(st.arrange())
	}
	return err
}

// apply reads the feeds that a commit changed again.
func (s *Store) apply(changes []store.Change) {
	next := s.state.Load().clone()
	changed := map[string]bool{}
	for _, c := range changes {
		changed[string(c.Key)] = true
	}
	err := s.db.View(func(tx *store.Tx) error {
		for k := range changed {
			next.reload(tx, []byte(k), s.second())
		}
		return nil
	})
	if err == nil { // else all is read again when the disk gives it
		s.state.Store(next.arrange())
	}
}

// Problems returns the errors of the records that are left out.
func (s *Store) Problems() []error { return slices.Collect(maps.Values(s.state.Load().problems)) }

// Snapshot returns the feeds at this moment, for reading. All answers belong to one Version, even
// if data changes meanwhile.
func (s *Store) Snapshot() *Store {
	at := s.now()
	snapshot := &Store{now: func() time.Time { return at }, version: s.db.Version()} // before the state
	snapshot.state.Store(s.state.Load())
	return snapshot
}

// Version changes whenever an answer may change: with every commit, and when a feed becomes too
// old. It survives a restart.
func (s *Store) Version() string {
	return fmt.Sprint(cmp.Or(s.version, s.db.Version()), ".", s.state.Load().passed(s.now()))
}

// update runs a change while no other change runs. The memory has the changes when update returns.
func (s *Store) update(change func(*store.Tx) error) error {
	if s.db == nil || s.db.ReadOnly() {
		return errReadOnly
	}
	return s.db.Update(change)
}

// second returns the clock's time in UTC, in whole seconds.
func (s *Store) second() time.Time { return s.now().UTC().Truncate(time.Second) }
