package hook

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"relais/auth/access"
	"relais/internal/store"
)

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
			source.DB.Journal().SetRead(cursor(tx, source.Name))
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
				source.DB.Journal().SetRead(binary.BigEndian.Uint64(c.Value))
			}
		}
	}
	s.attend()
}

// attend notes events while there are hooks, and wakes what waits for changes.
func (s *Store) attend() {
	s.mu.RLock()
	hooks := len(s.hooks.All())
	s.mu.RUnlock()
	for _, source := range s.sources {
		if hooks > 0 {
			source.DB.Journal().SetNews(source.News)
		} else {
			source.DB.Journal().SetNews(nil)
		}
	}
	s.wake()
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

func (s *Store) second() time.Time { return s.now().UTC().Truncate(time.Second) }

// Problems returns the errors of the records that are left out.
func (s *Store) Problems() []error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return append(s.hooks.Problems(), s.queue.Problems()...)
}

// List returns the hooks, damaged ones too, the oldest first.
func (s *Store) List() []Hook {
	s.mu.RLock()
	defer s.mu.RUnlock()
	list := []Hook{}
	for id := range s.hooks.All() {
		list = append(list, *s.shown(id))
	}
	for id := range s.hooks.Lost() {
		list = append(list, *s.shown(id))
	}
	slices.SortFunc(list, func(a, b Hook) int { return cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.ID, b.ID)) })
	return list
}

// Find returns a hook, which may be damaged. Error: ErrNoHook.
func (s *Store) Find(id string) (Hook, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if h := s.shown(id); h != nil {
		return *h, nil
	}
	return Hook{}, fmt.Errorf("%w: %.64q; relais hook list names them", ErrNoHook, id)
}

// shown returns a hook as it is now, nil for an unknown id. The caller holds mu.
func (s *Store) shown(id string) *Hook {
	h := Hook{ID: id, Events: []Kind{}, Damaged: true}
	if r := s.hooks.Get(id); r != nil {
		h = r.Hook
	} else if s.hooks.Lost()[id] == nil {
		return nil
	}
	h.Pending = len(s.lines[id])
	return &h
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

// any reports whether there are hooks that can be changed.
func (s *Store) any() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.hooks.All()) > 0 && !s.db.ReadOnly()
}
