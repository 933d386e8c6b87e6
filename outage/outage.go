// Package outage keeps what operators publish of their sites that do not work, in files
// of unavailable sites. It fetches nothing, and does not know whether a site exists; what
// people report is in package community.
//
// Everything is in community.db. The last good file of an operator stays until a
// better one comes or it is cleared; what is asked is answered from memory.
package outage

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"relais/market"
	"relais/store"
)

// What callers must tell apart. Other errors are those of package store, of reading a
// file, and of values that are out of bounds.
var (
	ErrNoFeed   = errors.New("the operators of the market publish no unavailable sites")
	ErrOperator = errors.New("not an operator of the market")
	ErrReadOnly = fmt.Errorf("the folder cannot be written to: %w", fs.ErrPermission)
)

// Buckets of community.db that are this package's. The key of a feed is its market,
// 0, its operator.
const (
	feedsBucket   = "feeds"            // feed → Feed in JSON
	entriesBucket = "unavailableSites" // feed → []*Entry in JSON: its last good file
)

// Buckets are those of this package.
var Buckets = []string{feedsBucket, entriesBucket}

// A Store is the feeds of a data folder. Its methods may be called from several
// goroutines.
type Store struct {
	db       *store.DB // nil for a read-only folder without the file
	now      func() time.Time
	opened   string // names this opening
	history  string // names how the file went from commit to commit
	commits  uint64 // of a Still
	problems []error
	changing sync.Mutex
	state    atomic.Pointer[state]
}

// Open reads the feeds of community.db, which stays the caller's. With nil, or a db
// that is opened read-only, every change fails with ErrReadOnly. What cannot be used is
// left out, of which Problems tells; its feed has failed until it is imported again.
func Open(db *store.DB, now func() time.Time) (*Store, error) {
	s := &Store{db: db, now: now, opened: uuid.NewString()}
	st := newState()
	if db != nil {
		if err := db.View(func(tx *store.Tx) (err error) {
			s.problems, err = st.read(tx, s.second())
			return err
		}); err != nil {
			return nil, fmt.Errorf("community.db: %w: restore it from a backup", err)
		}
	}
	for code := range st.markets() {
		st.arrange(code)
	}
	s.state.Store(st)
	return s, nil
}

// History names how the file went from commit to commit: with a restore another one begins.
// It is called before the store is used.
func (s *Store) History(name string) { s.history = name }

// Problems says what Open left out.
func (s *Store) Problems() []error { return s.problems }

// Still is what is answered at this moment, for reading: whatever changes meanwhile, what
// is asked of it belongs together and to one Version.
func (s *Store) Still() *Store {
	at := s.now()
	still := &Store{now: func() time.Time { return at }, opened: s.opened, history: s.history, commits: s.committed()}
	still.state.Store(s.state.Load())
	return still
}

// committed is how many commits have changed the file.
func (s *Store) committed() uint64 {
	if s.db == nil {
		return s.commits
	}
	return s.db.Commits()
}

// DataVersion changes with what is answered, and is the same after a restart.
func (s *Store) DataVersion() string {
	commits := s.committed() // before the state: at worst the next answer has another version
	return fmt.Sprint(s.history, ".", commits, ".", s.state.Load().passed(s.now()))
}

// Version names what is answered: as long as it is the same, so is every answer. It
// changes with every change and whenever a feed becomes too old.
func (s *Store) Version() string {
	st := s.state.Load()
	return fmt.Sprint(s.opened, ".", st.version, ".", st.passed(s.now()))
}

// update changes the file and then, when that is on disk, what is answered: apply gets
// a copy of the state, of which it changes a feed of one market.
func (s *Store) update(code market.Code, change func(*store.Tx) error, apply func(*state)) error {
	if s.db == nil || s.db.ReadOnly() {
		return ErrReadOnly
	}
	s.changing.Lock()
	defer s.changing.Unlock()
	if err := s.db.Update(change); err != nil {
		return err
	}
	next := s.state.Load().clone()
	apply(next)
	next.arrange(code)
	s.state.Store(next)
	return nil
}

// second is the clock's time in UTC, to the second.
func (s *Store) second() time.Time { return s.now().UTC().Truncate(time.Second) }
