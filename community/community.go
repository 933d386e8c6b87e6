// Package community keeps what people say of sites and of the service beside outages:
// validations, by which they confirm something of a site, and bugs. Both are in
// community.db, where package outage has its reports. Who said something is in no
// record but as a hash that Forget removes; that a validation of several people is one
// is what the hashes are for. It does not know whether a site exists.
package community

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"time"

	"relais/store"
)

// What callers must tell apart. Other errors are those of package store, and
// *InvalidError.
var (
	ErrNoBug    = errors.New("no such bug")
	ErrFull     = errors.New("no more of this is kept")
	ErrReadOnly = fmt.Errorf("the folder cannot be written to: %w", fs.ErrPermission)
)

// An InvalidError says which part of what was said cannot be used.
type InvalidError struct {
	Field string // subject, operator, value, day, title, text
	Value string
	Want  string
}

func (e *InvalidError) Error() string {
	return fmt.Sprintf("%s: %.64q is not allowed; %s", e.Field, e.Value, e.Want)
}

// Buckets of community.db that are this package's. Keys are ids.
const (
	validationsBucket = "validations" // id → record in JSON
	bugsBucket        = "bugs"        // id → Bug in JSON
)

// Buckets are those of this package.
var Buckets = []string{validationsBucket, bugsBucket}

// A Store is what people said in a data folder. Its methods may be called from several
// goroutines.
type Store struct {
	db       *store.DB // nil for a read-only folder without the file
	now      func() time.Time
	problems []error
	changing sync.Mutex   // one change at a time
	mu       sync.RWMutex // of what follows
	sites    map[string][]*Validation
	count    int // of validations
	bugs     int
}

// Open reads what is in community.db, which stays the caller's. With nil, or a db that is
// opened read-only, every change fails with ErrReadOnly. What cannot be used is left out,
// of which Problems tells.
func Open(db *store.DB, now func() time.Time) (*Store, error) {
	s := &Store{db: db, now: now, sites: map[string][]*Validation{}}
	if db == nil {
		return s, nil
	}
	err := db.View(func(tx *store.Tx) error {
		tx.LeaveOut(func(err error) { s.problems = append(s.problems, err) })
		return errors.Join(store.Each(tx, validationsBucket, func(k, v []byte) error {
			r, err := parseRecord(k, v)
			if err != nil {
				s.problems = append(s.problems, err)
				return nil
			}
			s.show(&r.Validation)
			return nil
		}), store.Each(tx, bugsBucket, func(k, v []byte) error {
			if _, err := parseBug(k, v); err != nil {
				s.problems = append(s.problems, err)
			}
			s.bugs++
			return nil
		}))
	})
	if err != nil {
		return nil, fmt.Errorf("community.db: %w: restore it from a backup", err)
	}
	return s, nil
}

// Problems says what Open left out.
func (s *Store) Problems() []error { return s.problems }

// second is the clock's time in UTC, to the second.
func (s *Store) second() time.Time { return s.now().UTC().Truncate(time.Second) }

// update changes the file and then, when that is on disk, what is in memory.
func (s *Store) update(change func(*store.Tx) error, show func()) error {
	if s.db == nil || s.db.ReadOnly() {
		return ErrReadOnly
	}
	s.changing.Lock()
	defer s.changing.Unlock()
	if err := s.db.Update(change); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	show()
	return nil
}

func putJSON(tx *store.Tx, bucket, id string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return tx.Bucket([]byte(bucket)).Put([]byte(id), text)
}

// hash is the first bytes of a digest of texts, none of which has a NUL. Ids of users are
// random: nobody finds one by its hash.
func hash(texts ...string) []byte {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return sum[:16]
}

const maxID = 200 // bytes of a user's id or a token

// checkIDs does not repeat them in its error: it might end in a log.
func checkIDs(user, token string) error {
	if user == "" || len(user) > maxID || len(token) > maxID || strings.Contains(user+token, "\x00") {
		return fmt.Errorf("the id of a user has %d bytes, of 1 to %d without NUL, and a token %d", len(user), maxID,
			len(token))
	}
	return nil
}
