// Package account stores the people who may sign in: their accounts and passwords, the programs
// that may act for them (OAuth clients, authorization codes and tokens), the browsers in which they
// are signed in (sessions), and what they submitted.
// It knows neither HTTP nor the content of a fact.
//
// Everything is in users.db. Passwords, codes and tokens are stored as hashes only. The link
// between a person and a submission exists only here: deleting the person removes it. Everything
// except facts is also in memory, so that checking a token does not read the file.
package account

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"relais/internal/admit"
	"relais/internal/store"
)

// Errors that callers distinguish. Other errors are those of package store and of values out of
// bounds.
var (
	ErrReadOnly  = fmt.Errorf("the folder cannot be written to, so that nobody can sign in: %w", fs.ErrPermission)
	ErrNoAccount = errors.New("no such account")
	errAmbiguous = errors.New("several accounts have this name; use the id")
	ErrNameTaken = errors.New("an account has this name (case, accents and hyphens do not count)")
	errNoLogin   = errors.New("an API client acts as the account: it has no password")
	ErrDisabled  = errors.New("the account is disabled")
	// ErrLost says that the record of an account cannot be used. No account is made meanwhile that
	// might have the same name or belong to the same API client.
	ErrLost = errors.New("an account in users.db is damaged: restore the file from a backup, or delete the account, " +
		"which relais user list names")

	ErrLogin    = errors.New("name or password wrong")
	ErrPassword = errors.New("a password has")
	ErrLimited  = errors.New("too many attempts")
	ErrBusy     = errors.New("too many sign in at once")

	ErrNoClient = errors.New("no such program is registered")
	ErrMetadata = errors.New("a program needs a name")
	ErrRedirect = errors.New("not a redirect address that can be registered")
	ErrGrant    = errors.New("the code or token is unknown, expired, revoked or another program's")
	errReused   = fmt.Errorf("%w: it was used before, and everything that came of it is revoked", ErrGrant)
	ErrTarget   = errors.New("not the resource that the code or token is for")
	ErrScope    = errors.New("not a scope that was granted")

	ErrFull = errors.New("no more of this is kept for one person")
)

// Buckets of users.db. Ids are texts.
const (
	accountsBucket = "accounts" // id → record in JSON
	clientsBucket  = "clients"  // id → Client in JSON
	grantsBucket   = "grants"   // id → grant in JSON
	sessionsBucket = "sessions" // SHA-256 of the token → session in JSON
	factsBucket    = "facts"    // person → bucket: kind → bucket: ref → time and data
)

// Buckets are those of this package.
var Buckets = []string{accountsBucket, clientsBucket, grantsBucket, sessionsBucket, factsBucket}

// A Store is the people of a data folder. Its methods may be called from several
// goroutines.
type Store struct {
	db        *store.DB // nil for a read-only folder without the file
	now       func() time.Time
	key       []byte // of refresh tokens
	guesses   *guesses
	hashes    *admit.Queue // of passwords
	shown     shown
	mu        sync.RWMutex // of state, which changes when a commit is on disk
	state     *state
	answering [64]sync.Mutex // by the hash of who writes what
}

// Open reads the people of users.db. Closing db stays the caller's task. With nil or a read-only
// db, nobody can sign in and every change fails with ErrReadOnly, but existing tokens stay valid
// until they end. Unusable records are left out; Problems lists them.
func Open(db *store.DB, now func() time.Time) (*Store, error) {
	s := &Store{db: db, now: now, key: make([]byte, sha256.Size), guesses: newGuesses(),
		hashes: admit.NewQueue(hashesAtOnce, mostWaiting),
		shown:  shown{last: map[string]time.Time{}}, state: newState()}
	rand.Read(s.key) // never fails
	if err := store.Keep(db, &s.mu, s.state.collections()...); err != nil {
		return nil, fmt.Errorf("users.db: %w: restore it from a backup", err)
	}
	return s, nil
}

// UseKey has refresh tokens derived from a key. Servers with the same key derive the same ones. It is
// called before the first token is made. Without it, or with an empty key, the key is random and ends
// with the process.
func (s *Store) UseKey(key []byte) {
	if len(key) > 0 {
		s.key = key
	}
}

// ShareGuesses has failed attempts to sign in counted by a tally, for all servers that share it. It
// is called before the first attempt.
func (s *Store) ShareGuesses(t admit.Tally) { s.guesses.rate = admit.NewSharedRate(guessWindow, t) }

// Fresh waits until the store has all that any server acknowledged before the call. Error:
// store.ErrAway. A server that is alone has it.
func (s *Store) Fresh(ctx context.Context) error { return s.db.Fresh(ctx) }

// second returns the clock's time in UTC, in whole seconds.
func (s *Store) second() time.Time { return s.now().UTC().Truncate(time.Second) }

// ReadOnly reports whether nobody can sign in and every change fails.
func (s *Store) ReadOnly() bool { return s.readOnly() }

func (s *Store) readOnly() bool { return s.db == nil || s.db.ReadOnly() }

// A change is a transaction. The state does not change before its end.
type change struct {
	*state
	tx  *store.Tx
	err error // of what was written
}

// change runs decide while no other change runs. The state has the changes when change returns.
func (s *Store) change(decide func(c *change) error) error {
	if s.readOnly() {
		return ErrReadOnly
	}
	return s.db.Update(func(tx *store.Tx) error {
		c := &change{state: s.state, tx: tx}
		err := decide(c)
		return cmp.Or(err, c.err)
	})
}

// note notes errors of writing.
func (c *change) note(errs ...error) { c.err = cmp.Or(c.err, cmp.Or(errs...)) }
