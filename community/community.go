// Package community keeps what people submit: reports of outages, validations of facts about
// a site, and bugs of the service. All are in community.db, next to what operators publish
// (package outage). Records name people only by hashes, which make that a person counts once
// and which Forget removes. The package does not know whether a site exists.
package community

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"relais/internal/store"
	"relais/outage"
)

// Errors that callers handle. Other errors are those of package store, and *InvalidError.
var (
	ErrNoReport = errors.New("no such outage report")
	errClosed   = errors.New("the outage report is resolved or rejected")
	ErrNoBug    = errors.New("no such bug")
	ErrFull     = errors.New("no more of this is kept")
	errReadOnly = fmt.Errorf("the folder cannot be written to: %w", fs.ErrPermission)
)

// An InvalidError says which field of a submission is invalid.
type InvalidError struct {
	Field string // market, subject, operator, value, day, title, text
	Value string
	Want  string
}

func (e *InvalidError) Error() string {
	return fmt.Sprintf("%s: %.64q is not allowed; %s", e.Field, e.Value, e.Want)
}

// The buckets of this package in community.db. Keys are ids. The key of a report is its UUID of
// version 7 in 16 bytes, so that reports are in the order of time.
const (
	reportsBucket     = "outageReports" // id → reportRecord in JSON
	tokensBucket      = "outageTokens"  // hash of user and token → id of the report
	validationsBucket = "validations"   // id → validationRecord in JSON
	bugsBucket        = "bugs"          // id → Bug in JSON
)

// Buckets are those of this package.
var Buckets = []string{reportsBucket, tokensBucket, validationsBucket, bugsBucket}

// A Store is the submissions of people in a data folder. Its methods may be called from several
// goroutines.
type Store struct {
	Feeds *outage.Store // what operators publish
	db    *store.DB     // nil for a read-only folder without the file
	now   func() time.Time
	mu    sync.RWMutex // of what follows, which changes when a commit is on disk

	reports     *store.Collection[Report] // that are neither resolved nor rejected
	validations *store.Collection[Validation]
	bugs        *store.Collection[struct{}]
	sites       map[string][]*Validation
	open        atomic.Pointer[openReports] // made of reports when it is needed, nil before
}

// Open reads community.db. Closing db stays the caller's task. With nil or a read-only db, every
// change fails with errReadOnly. Unusable records are left out and listed by Problems. feeds are
// those of the same file.
func Open(db *store.DB, feeds *outage.Store, now func() time.Time) (*Store, error) {
	s := &Store{Feeds: feeds, db: db, now: now, sites: map[string][]*Validation{}}
	s.reports = store.NewCollection(reportsBucket, func(key string, text []byte) (*Report, error) {
		r, err := parseReport([]byte(key), text)
		if err != nil || !r.open() {
			return nil, err
		}
		report := r.Report // without who confirmed it
		return &report, nil
	}, func(_, _ *Report) { s.open.Store(nil) })
	s.validations = store.NewCollection(validationsBucket, func(key string, text []byte) (*Validation, error) {
		r, err := parseValidation([]byte(key), text)
		if err != nil {
			return nil, err
		}
		v := r.Validation // without who said it
		return &v, nil
	}, s.show)
	s.bugs = store.NewCollection(bugsBucket, func(key string, text []byte) (*struct{}, error) {
		_, err := parseBug([]byte(key), text)
		return &struct{}{}, err
	}, nil)
	if err := store.Keep(db, &s.mu, s.reports, s.validations, s.bugs); err != nil {
		return nil, fmt.Errorf("community.db: %w: restore it from a backup", err)
	}
	return s, nil
}

// Problems returns the errors of the records that are left out.
func (s *Store) Problems() []error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Concat(s.reports.Problems(), s.validations.Problems(), s.bugs.Problems())
}

// second returns the clock's time in UTC, in whole seconds.
// Fresh waits until the store has all that any server acknowledged before the call. Error:
// store.ErrAway. A server that is alone has it.
func (s *Store) Fresh(ctx context.Context) error { return s.db.Fresh(ctx) }

func (s *Store) second() time.Time { return s.now().UTC().Truncate(time.Second) }

// update runs a change while no other change runs. The memory has the changes when update returns.
func (s *Store) update(change func(*store.Tx) error) error {
	if s.db == nil || s.db.ReadOnly() {
		return errReadOnly
	}
	return s.db.Update(change)
}

// hash returns the first bytes of a digest of texts without NUL. Ids of users are random, so
// that a hash does not reveal one.
func hash(texts ...string) []byte {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return sum[:16]
}

// indexOf returns the position of a hash in a list, -1 if it is missing.
func indexOf(list [][]byte, h []byte) int {
	return slices.IndexFunc(list, func(o []byte) bool { return bytes.Equal(o, h) })
}

const maxID = 200 // bytes of a user's id or a token

// checkIDs returns an error for invalid ids. The error does not repeat them, because it may be
// logged.
func checkIDs(user, token string) error {
	if user == "" || len(user) > maxID || len(token) > maxID || strings.Contains(user+token, "\x00") {
		return fmt.Errorf("the id of a user has %d bytes, of 1 to %d without NUL, and a token %d", len(user), maxID,
			len(token))
	}
	return nil
}
