package access

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"relais/store"
)

// Clients are the API clients of a data folder: in a file, and in memory as a
// table that is never changed but replaced.
type Clients struct {
	db      *store.DB
	sealer  *Sealer
	now     func() time.Time
	writing sync.Mutex // one change at a time; readers go by table
	table   atomic.Pointer[table]
	damaged []error // of records that are left out
	failed  error   // why the file cannot be used
}

// A record is a client as it is stored.
type record struct {
	Client
	Hashes map[string][]byte `json:"hashes"` // SHA-256 of each key's secret part, by prefix
	Sealed []byte            `json:"sealed,omitempty"`
}

// Issued is a client with the secrets that are shown once.
type Issued struct {
	Client
	APIKey        string `json:"apiKey"`
	SigningSecret string `json:"signingSecret,omitempty"`
}

// Bucket is where the clients are in their file.
const Bucket = "clients"

// OpenClients loads the clients of db, which stays the caller's; nil has none and
// takes none. Clients whose signing secret cannot be opened are refused, see Locked.
func OpenClients(db *store.DB, sealer *Sealer, now func() time.Time) (*Clients, error) {
	c := &Clients{db: db, sealer: sealer, now: now}
	t := newTable()
	c.table.Store(t)
	if db == nil { // a read-only folder without clients
		return c, nil
	}
	err := eachClient(db, func(err error) { c.damaged = append(c.damaged, err) },
		func(id, text []byte) error { return t.load(id, text, sealer) })
	if err != nil {
		return nil, err
	}
	return c, nil
}

// FailedClients are those of a file that cannot be used: nobody is let in, and nobody is
// told that his key is wrong.
func FailedClients(why error, now func() time.Time) *Clients {
	c := &Clients{now: now, failed: why}
	c.table.Store(newTable())
	return c
}

// Locked tells of each client that is refused because its record is damaged or its
// signing secret cannot be opened.
func (c *Clients) Locked() (errs []error) {
	errs = append(errs, c.damaged...)
	for _, l := range c.table.Load().clients {
		if l.locked != nil {
			errs = append(errs, l.locked)
		}
	}
	return errs
}

// CheckClients reads every client of db, opens its signing secret, and returns the
// number of the clients. The error tells the first of those that cannot be used.
func CheckClients(db *store.DB, sealer *Sealer) (n int, err error) {
	var found store.Problems
	t := newTable()
	err = eachClient(db, found.Add, func(id, text []byte) error {
		n++
		err := t.load(id, text, sealer)
		if l := t.clients[string(id)]; err == nil {
			err = l.locked
		}
		found.Add(err)
		return nil
	})
	return n, errors.Join(found.Err(), err)
}

// eachClient calls f for each client, and damaged for each whose record is.
func eachClient(db *store.DB, damaged func(error), f func(id, text []byte) error) error {
	return db.View(func(tx *store.Tx) error {
		return store.EachKey(tx, Bucket, func(id []byte) error {
			text, err := tx.Bucket([]byte(Bucket)).Read(id)
			if err != nil {
				damaged(fmt.Errorf("client %q: %w", id, err))
				return nil
			}
			return f(id, text)
		})
	})
}

// load takes a client in as it is stored.
func (t *table) load(id, text []byte, sealer *Sealer) error {
	r := &record{}
	if err := json.Unmarshal(text, r); err != nil {
		return fmt.Errorf("client %q: %w", id, err)
	}
	if r.ID != string(id) {
		return fmt.Errorf("client %q: it is stored as that of %q", id, r.ID)
	}
	return t.add(r, sealer, nil)
}

// Create adds a client with its first key. Its ID, Created and Keys are filled in.
func (c *Clients) Create(spec Client) (*Issued, error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	r, issued, err := c.issue(spec)
	if err != nil {
		return nil, err
	}
	if c.db == nil {
		return nil, ErrReadOnly
	}
	if r.Signs() {
		if err := c.canSeal(); err != nil {
			return nil, err
		}
		issued.SigningSecret = newSecret()
		r.Sealed = c.sealer.seal(issued.SigningSecret, r.ID)
	}
	if err := c.put(r); err != nil {
		return nil, err
	}
	issued.Client = r.Client
	return issued, nil
}

// issue makes a record of a client with its first key, and no signing secret yet.
func (c *Clients) issue(spec Client) (*record, *Issued, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return nil, nil, err
	}
	spec.ID, spec.Created, spec.Keys = id.String(), c.second(), nil
	if spec.Limits.Minute == 0 {
		spec.Limits.Minute = DefaultLimits.Minute
	}
	if spec.Limits.Day == 0 {
		spec.Limits.Day = DefaultLimits.Day
	}
	if err := spec.CheckNew(); err != nil {
		return nil, nil, err
	}
	// [] in JSON
	spec.Origins, spec.CIDRs = append([]string{}, spec.Origins...), append([]netip.Prefix{}, spec.CIDRs...)
	r := &record{Client: spec, Hashes: map[string][]byte{}}
	return r, &Issued{APIKey: r.newKey(spec.Created)}, nil
}

// canSeal makes the key that seals when there is none yet. While it is not the one
// that sealed what is there, nothing more is sealed: the right one may come back.
func (c *Clients) canSeal() error {
	if locked := c.Locked()[len(c.damaged):]; len(locked) > 0 {
		return locked[0]
	}
	if c.sealer.Err() == nil {
		return nil
	}
	return c.sealer.make()
}

// Rotate gives a client another key. Those that it has end after overlap; the
// signing secret stays.
func (c *Clients) Rotate(id string, overlap time.Duration) (*Issued, error) {
	issued := &Issued{}
	err := c.change(id, func(r *record, now time.Time) error {
		if r.Ended(now) {
			return fmt.Errorf("the client's time ended on %s: a key of it would not be let in",
				r.Expires.Format(time.DateOnly))
		}
		if r.forgetEnded(now); len(r.Keys) >= maxKeys {
			return fmt.Errorf("the client has %d keys that live, which is the most: revoke some", maxKeys)
		}
		end := now.Add(overlap)
		for i := range r.Keys {
			if k := &r.Keys[i]; k.Live(end) {
				k.Expires = &end
			}
		}
		issued.APIKey = r.newKey(now)
		issued.Client = r.Client
		return nil
	})
	return issued, err
}

// forgetEnded drops keys that ended, when there is no room for another.
func (r *record) forgetEnded(now time.Time) {
	if len(r.Keys) < maxKeys {
		return
	}
	r.Keys = slices.DeleteFunc(slices.Clone(r.Keys), func(k Key) bool { return !k.Live(now) })
	maps.DeleteFunc(r.Hashes, func(prefix string, _ []byte) bool {
		return !slices.ContainsFunc(r.Keys, func(k Key) bool { return k.Prefix == prefix })
	})
}

// Revoke ends the key with this prefix at once, or all keys when it is empty.
func (c *Clients) Revoke(id, prefix string) (*Client, error) {
	var changed *Client
	err := c.change(id, func(r *record, now time.Time) error {
		changed = &r.Client
		n := 0
		for i := range r.Keys {
			if k := &r.Keys[i]; (prefix == "" || k.Prefix == prefix) && k.Revoked == nil {
				k.Revoked = &now
				n++
			}
		}
		if n == 0 {
			return ErrNoKey
		}
		return nil
	})
	return changed, err
}

// Delete removes a client and its keys. What the file still has of them goes with
// the next store.DB.Compact.
func (c *Clients) Delete(id string) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	if _, ok := c.table.Load().clients[id]; !ok {
		return ErrNoClient
	}
	err := c.db.Update(func(tx *store.Tx) error {
		if err := tx.Bucket([]byte(Bucket)).Delete([]byte(id)); err != nil {
			return err
		}
		return store.MarkDeleted(tx)
	})
	if err != nil {
		return err
	}
	t := c.table.Load().clone()
	t.remove(id)
	c.table.Store(t)
	return nil
}

// Find returns the client with this id or name.
func (c *Clients) Find(idOrName string) (*Client, error) {
	t := c.table.Load()
	if l, ok := t.clients[idOrName]; ok {
		return l.client(), nil
	}
	var found *live
	for _, l := range t.clients {
		if l.Name == idOrName {
			if found != nil {
				return nil, ErrAmbiguous
			}
			found = l
		}
	}
	if found == nil {
		return nil, ErrNoClient
	}
	return found.client(), nil
}

// List returns the clients, the oldest first.
func (c *Clients) List() []*Client {
	list := []*Client{}
	for _, l := range c.table.Load().clients {
		list = append(list, l.client())
	}
	slices.SortFunc(list, func(a, b *Client) int { return strings.Compare(a.ID, b.ID) }) // version 7: by time
	return list
}

// AnyOrigin tells whether some client allows pages of this origin.
func (c *Clients) AnyOrigin(origin string) bool { return c.table.Load().origins[origin] > 0 }

// Usage returns the state of a client's limits.
func (c *Clients) Usage(id string) (Usage, error) {
	l, ok := c.table.Load().clients[id]
	if !ok {
		return Usage{}, ErrNoClient
	}
	return l.counter.Peek(l.Limits, c.now()), nil
}

// SaveLastUsed writes the times at which keys were used last.
func (c *Clients) SaveLastUsed() error {
	c.writing.Lock()
	defer c.writing.Unlock()
	var changed []*record
	for _, l := range c.table.Load().clients {
		if l.used.Swap(false) && !l.lent {
			r := l.record
			r.Client = *l.client()
			changed = append(changed, &r)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	return c.db.Update(func(tx *store.Tx) error {
		for _, r := range changed {
			if err := write(tx, r); err != nil {
				return err
			}
		}
		return nil
	})
}

// change applies f to a copy of a client, stores it and shows it.
func (c *Clients) change(id string, f func(r *record, now time.Time) error) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	l, ok := c.table.Load().clients[id]
	if !ok {
		return ErrNoClient
	}
	r := l.record
	r.Client, r.Hashes = *l.client(), map[string][]byte{}
	for prefix, hash := range l.Hashes {
		r.Hashes[prefix] = hash
	}
	if err := f(&r, c.second()); err != nil {
		return err
	}
	return c.put(&r)
}

// put stores a client, and shows it once it is on disk.
func (c *Clients) put(r *record) error {
	if c.db == nil {
		return ErrReadOnly
	}
	t := c.table.Load().clone()
	old := t.clients[r.ID]
	t.remove(r.ID)
	if err := t.add(r, c.sealer, old); err != nil {
		return err
	}
	if err := c.db.Update(func(tx *store.Tx) error { return write(tx, r) }); err != nil {
		return err
	}
	c.table.Store(t)
	return nil
}

func write(tx *store.Tx, r *record) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	b := tx.Bucket([]byte(Bucket))
	if b == nil {
		return errors.New("the file of clients has no clients")
	}
	return b.Put([]byte(r.ID), text)
}

func (c *Clients) second() time.Time { return c.now().UTC().Truncate(time.Second) }

// newKey adds a key to the record and returns it.
func (r *record) newKey(now time.Time) string {
	key, prefix, hash := newKey()
	r.Keys = append(r.Keys, Key{Prefix: string(prefix[:]), Created: now})
	r.Hashes[string(prefix[:])] = hash[:]
	return key
}
