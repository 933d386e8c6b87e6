// Package hook keeps webhooks and delivers to them: an operator's hook gets a signed POST for each
// event that it selects, at least once. The hooks and what is still to deliver are in hooks.db.
//
// Events come from the journals of other stores (store.DB.Journal), which are written with their
// cause. hooks.db has the position up to which it has read each journal, in the commit that queues
// the messages. So an event whose cause is on disk is delivered, whenever the process is killed.
//
// The package does not know what is in a message. It follows the Standard Webhooks specification.
package hook

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"relais/auth/access"
	"relais/internal/store"
)

// Errors that callers handle. Other errors are those of package store, and *InvalidError.
var (
	ErrNoHook   = errors.New("no such hook")
	errReadOnly = fmt.Errorf("the folder cannot be written to: %w", fs.ErrPermission)
)

// An InvalidError says what is wrong with a new hook.
type InvalidError struct{ Field, Want string }

func (e *InvalidError) Error() string { return e.Field + ": " + e.Want }

// A Kind is the kind of events that a hook selects.
type Kind string

// The kinds.
const (
	Changes      Kind = "changes"       // an edition of a market was noted
	Report       Kind = "report"        // a photo was reported
	Photo        Kind = "photo"         // a photo was uploaded
	Outage       Kind = "outage"        // a person's report of an outage was made, or changed its state
	Bug          Kind = "bug"           // a bug was filed
	UpdateFailed Kind = "update-failed" // a scheduled update failed
)

// Values lists the kinds.
func (Kind) Values() []string {
	return []string{string(Changes), string(Report), string(Photo), string(Outage), string(Bug), string(UpdateFailed)}
}

// A Hook is where events are sent, and how that went. Times are UTC, to the second.
type Hook struct {
	ID      string    `json:"id"`
	URL     string    `json:"url"` // as it may be shown: no user, no values of its query, one segment of its path
	Events  []Kind    `json:"events"`
	Filter  string    `json:"filter"` // query string; "" selects everything
	Created time.Time `json:"createdAt"`
	Pending int       `json:"pending"`   // messages to deliver
	Done    uint64    `json:"delivered"` // messages
	// Dropped counts messages that were given up: after 24 hours of failures, because MostPending
	// newer ones wait, or because the hook was disabled.
	Dropped     uint64     `json:"dropped"`
	DroppedAt   *time.Time `json:"droppedAt"`
	DroppedWhy  string     `json:"droppedWhy,omitempty"`
	LastSuccess *time.Time `json:"lastSuccessAt"`
	LastFailure *time.Time `json:"lastFailureAt"`
	LastError   string     `json:"lastError,omitempty"`
	// Failures counts failed attempts since the last success. FailingSince is the first of them,
	// and Next when another one follows.
	Failures     int        `json:"failures"`
	FailingSince *time.Time `json:"failingSince"`
	Next         *time.Time `json:"nextAttemptAt"`
	// DisabledAt is when the receiver answered 410: nothing more is sent.
	DisabledAt *time.Time `json:"disabledAt"`
}

// Enabled reports whether events are sent to the hook.
func (h *Hook) Enabled() bool { return h.DisabledAt == nil }

// Wants reports whether the hook selects events of a kind.
func (h *Hook) Wants(k Kind) bool { return h.Enabled() && slices.Contains(h.Events, k) }

// The buckets of hooks.db.
const (
	hooksBucket   = "hooks"   // id → record in JSON
	queueBucket   = "queue"   // id of the hook, number (8 bytes big endian) → Message in JSON
	cursorsBucket = "cursors" // name of a Source → number of the last entry that was read
)

// Buckets are those of hooks.db.
var Buckets = []string{hooksBucket, queueBucket, cursorsBucket}

// A Source is a store whose journal has causes of events.
type Source struct {
	Name string
	DB   *store.DB // nil: it cannot be used
	News map[string]store.News
}

// A Store is the hooks of a data folder. Its methods may be called from several goroutines.
type Store struct {
	sealer  *access.Sealer
	sources []Source
	now     func() time.Time

	mu      sync.RWMutex // of what follows
	db      *store.DB    // nil before the first hook
	hooks   *store.Collection[record]
	queue   *store.Collection[waiting]
	lines   map[string][]*waiting // by hook, in the order of their numbers
	changed chan struct{}         // closed and replaced when something has changed
	deliver func()                // begins to deliver; nil in a process that does not
}

// NewStore returns the hooks of a folder that has none yet. sealer opens and seals their secrets.
func NewStore(sealer *access.Sealer, sources []Source, now func() time.Time) *Store {
	s := &Store{sealer: sealer, sources: sources, now: now, lines: map[string][]*waiting{},
		changed: make(chan struct{})}
	s.hooks = store.NewCollection(hooksBucket, parseRecord, nil)
	s.queue = store.NewCollection(queueBucket, parseWaiting, s.show)
	return s
}

// Open reads hooks.db, and begins to note events in the journals if there are hooks. Closing db
// stays the caller's task. A nil db is a missing file. It is called once.
func (s *Store) Open(db *store.DB) error {
	if db == nil {
		return nil
	}
	s.mu.Lock()
	s.db = db
	s.mu.Unlock()
	if err := store.Keep(db, &s.mu, s.hooks, s.queue); err != nil {
		return fmt.Errorf("hooks.db: %w: restore it from a backup", err)
	}
	if err := db.Follow(func(tx *store.Tx) error {
		for _, source := range s.sources {
			source.DB.JournalRead(cursor(tx, source.Name))
		}
		s.attend()
		return nil
	}, s.told, Buckets...); err != nil {
		return err
	}
	for _, source := range s.sources {
		wake := func([]store.Change) { s.wake() }
		if err := source.DB.Follow(func(*store.Tx) error { s.wake(); return nil }, wake, store.JournalBucket); err != nil {
			return err
		}
	}
	return nil
}

// told brings what is not in a collection up to date with a commit.
func (s *Store) told(changes []store.Change) {
	for _, c := range changes {
		if c.Bucket != cursorsBucket || len(c.Value) != 8 {
			continue
		}
		for _, source := range s.sources {
			if source.Name == string(c.Key) {
				source.DB.JournalRead(binary.BigEndian.Uint64(c.Value))
			}
		}
	}
	s.attend()
}

// attend notes events while there are hooks, delivers them, and wakes what waits for changes.
func (s *Store) attend() {
	s.mu.RLock()
	hooks, deliver, db := len(s.hooks.All()), s.deliver, s.db
	s.mu.RUnlock()
	for _, source := range s.sources {
		if hooks == 0 {
			source.DB.Journal(nil)
			continue
		}
		source.DB.Journal(source.News)
	}
	s.wake()
	if hooks > 0 && deliver != nil && !db.ReadOnly() {
		deliver()
	}
}

func (s *Store) wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.changed)
	s.changed = make(chan struct{})
}

// changes returns a channel that is closed when something has changed.
func (s *Store) changes() <-chan struct{} {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.changed
}

// update changes hooks.db. The memory has the changes when update returns.
func (s *Store) update(change func(*store.Tx) error) error {
	s.mu.RLock()
	db := s.db
	s.mu.RUnlock()
	if db == nil || db.ReadOnly() {
		return errReadOnly
	}
	return db.Update(change)
}

// Problems returns the errors of the records that are left out.
func (s *Store) Problems() []error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return append(s.hooks.Problems(), s.queue.Problems()...)
}

// List returns the hooks, the oldest first.
func (s *Store) List() []Hook {
	s.mu.RLock()
	defer s.mu.RUnlock()
	list := []Hook{}
	for _, r := range s.hooks.All() {
		list = append(list, s.shown(r))
	}
	slices.SortFunc(list, func(a, b Hook) int { return cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.ID, b.ID)) })
	return list
}

// Find returns a hook. Error: ErrNoHook.
func (s *Store) Find(id string) (Hook, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	r := s.hooks.Get(id)
	if r == nil {
		return Hook{}, fmt.Errorf("%w: %.64q; relais hook list names them", ErrNoHook, id)
	}
	return s.shown(r), nil
}

// shown returns a hook as it is now. The caller holds mu.
func (s *Store) shown(r *record) Hook {
	h := r.Hook
	h.Pending = len(s.lines[h.ID])
	return h
}

// ids returns the ids of the enabled hooks.
func (s *Store) ids() (list []string) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, id := range slices.Sorted(maps.Keys(s.hooks.All())) {
		if s.hooks.Get(id).Enabled() {
			list = append(list, id)
		}
	}
	return list
}

// A record is a hook as it is stored.
type record struct {
	Hook
	Sealed []byte `json:"sealed"` // secrets in JSON
}

// secrets are what nobody but the receiver may know.
type secrets struct {
	URL    string `json:"url"`
	Secret []byte `json:"secret"`
}

func parseRecord(key string, text []byte) (*record, error) {
	r := &record{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("hook %.50q: %w", key, err)
	}
	if r.ID != key || len(r.Sealed) == 0 {
		return nil, fmt.Errorf("hook %.50q: it is stored as %.50q", key, r.ID)
	}
	return r, nil
}

// purpose binds what is sealed to its hook.
func purpose(id string) string { return "hook " + id }

func (s *Store) open(r *record) (*secrets, error) {
	text, err := s.sealer.Open(r.Sealed, purpose(r.ID))
	if err != nil {
		return nil, fmt.Errorf("hook %s: its secret cannot be opened with secret.key: %w", r.ID, err)
	}
	found := &secrets{}
	err = json.Unmarshal([]byte(text), found)
	return found, err
}

func (s *Store) second() time.Time { return s.now().UTC().Truncate(time.Second) }
