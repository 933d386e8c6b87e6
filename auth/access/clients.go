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

	"relais/internal/store"
)

// Clients are the API clients of a data folder: in a file, and in memory as a table that is
// replaced and never changed.
type Clients struct {
	db      *store.DB
	sealer  *Sealer
	now     func() time.Time
	showing sync.Mutex // held while table is replaced
	table   atomic.Pointer[table]
	failed  error // why the file cannot be used
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

// OpenClients loads the clients of db. Closing db stays the caller's task. With nil, there are no
// clients and none can be added. Clients whose signing secret cannot be opened are refused, see
// Locked.
func OpenClients(db *store.DB, sealer *Sealer, now func() time.Time) (*Clients, error) {
	c := &Clients{db: db, sealer: sealer, now: now}
	c.table.Store(newTable())
	if err := db.Follow(c.load, c.apply, Bucket); err != nil {
		return nil, err
	}
	return c, nil
}

// load replaces the table by that of a file.
func (c *Clients) load(tx *store.Tx) error {
	c.showing.Lock()
	defer c.showing.Unlock()
	t, old := newTable(), c.table.Load()
	for _, l := range old.clients {
		if l.lent {
			t.put(l)
		}
	}
	err := eachClient(tx, func(err error) { t.damaged = append(t.damaged, err) },
		func(id, text []byte) error { return t.load(id, text, c.sealer, old.clients[string(id)]) })
	if err == nil {
		c.table.Store(t)
	}
	return err
}

// apply brings what a commit changed into the table.
func (c *Clients) apply(changes []store.Change) {
	c.showing.Lock()
	defer c.showing.Unlock()
	t := c.table.Load().clone()
	for _, change := range changes {
		old := t.clients[string(change.Key)]
		t.remove(string(change.Key))
		if change.Value == nil {
			continue
		}
		if err := t.load(change.Key, change.Value, c.sealer, old); err != nil {
			t.damaged = append(t.damaged, err)
		}
	}
	c.table.Store(t)
}

// update runs f while no other update runs. The table has the changes of f when update returns.
func (c *Clients) update(f func(tx *store.Tx) error) error {
	if c.db == nil {
		return ErrReadOnly
	}
	return c.db.Update(f)
}

// FailedClients are the clients of a file that cannot be used: every key is refused, but never as a
// wrong one.
func FailedClients(why error, now func() time.Time) *Clients {
	c := &Clients{now: now, failed: why}
	c.table.Store(newTable())
	return c
}

// Locked returns an error for each client that is refused because its record is damaged or its
// signing secret cannot be opened.
func (c *Clients) Locked() (errs []error) {
	t := c.table.Load()
	return append(slices.Clone(t.damaged), t.locked()...)
}

// Sealed is how many clients have a signing secret that cannot be opened with secret.key.
func (c *Clients) Sealed() int { return len(c.table.Load().locked()) }

// CheckClients reads every client of db, opens its signing secret, and returns the number of
// clients. The error names the first client that cannot be used.
func CheckClients(db *store.DB, sealer *Sealer) (n int, err error) {
	var found store.Problems
	t := newTable()
	err = db.View(func(tx *store.Tx) error {
		return eachClient(tx, found.Add, func(id, text []byte) error {
			n++
			err := t.load(id, text, sealer, nil)
			if l := t.clients[string(id)]; err == nil {
				err = l.locked
			}
			found.Add(err)
			return nil
		})
	})
	return n, errors.Join(found.Err(), err)
}

// eachClient calls f for each client, and damaged for each damaged record.
func eachClient(tx *store.Tx, damaged func(error), f func(id, text []byte) error) error {
	return store.EachKey(tx, Bucket, func(id []byte) error {
		text, err := tx.Bucket([]byte(Bucket)).Read(id)
		if err != nil {
			damaged(fmt.Errorf("client %q: %w", id, err))
			return nil
		}
		return f(id, text)
	})
}

// load adds a client to the table as it is stored. old is the client before the change, or nil.
func (t *table) load(id, text []byte, sealer *Sealer, old *live) error {
	r := &record{}
	if err := json.Unmarshal(text, r); err != nil {
		return fmt.Errorf("client %q: %w", id, err)
	}
	if r.ID != string(id) {
		return fmt.Errorf("client %q: it is stored as that of %q", id, r.ID)
	}
	l, err := newLive(r, sealer, old)
	if err == nil {
		t.put(l)
	}
	return err
}

// Create adds a client with its first key. Its ID, Created and Keys are filled in. No other client may
// have its name.
func (c *Clients) Create(spec Client) (*Issued, error) {
	r, issued, err := c.issue(spec)
	if err != nil {
		return nil, err
	}
	err = c.update(func(tx *store.Tx) error {
		if err := c.table.Load().free(r.Name, r.ID); err != nil {
			return err
		}
		if r.Signs() {
			if err := c.canSeal(); err != nil {
				return err
			}
			issued.SigningSecret = newSecret()
			r.Sealed = c.sealer.seal(issued.SigningSecret, r.ID)
		}
		return write(tx, r)
	})
	if err != nil {
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
	if err := spec.Check(); err != nil {
		return nil, nil, err
	}
	// [] in JSON
	spec.Origins, spec.CIDRs = append([]string{}, spec.Origins...), append([]netip.Prefix{}, spec.CIDRs...)
	r := &record{Client: spec, Hashes: map[string][]byte{}}
	return r, &Issued{APIKey: r.newKey(spec.Created)}, nil
}

// CanSeal makes the sealing key if it is missing, for others who seal with it. Errors: ErrReadOnly, a
// key that is not the one that sealed the clients' secrets, those of writing the file.
func (c *Clients) CanSeal() error {
	if c.db == nil {
		return ErrReadOnly
	}
	return c.canSeal()
}

// canSeal makes the sealing key if it is missing. It fails while the present key is not the one
// that sealed the stored secrets: nothing more is sealed then, because the right key may come back.
func (c *Clients) canSeal() error {
	if locked := c.table.Load().locked(); len(locked) > 0 {
		return locked[0]
	}
	if c.sealer.Err() == nil {
		return nil
	}
	return c.sealer.Make()
}

// Rotate gives a client another key. Those that it has end after overlap; the
// signing secret stays.
func (c *Clients) Rotate(id string, overlap time.Duration) (*Issued, error) {
	issued := &Issued{}
	err := c.change(id, func(r *record, now time.Time) error {
		if r.ended(now) {
			return fmt.Errorf("the client's time ended on %s: a new key would be refused",
				r.Expires.Format(time.DateOnly))
		}
		if r.forgetEnded(now); len(r.Keys) >= maxKeys {
			return fmt.Errorf("the client already has %d active keys, the maximum: revoke some", maxKeys)
		}
		end := now.Add(overlap)
		for i := range r.Keys {
			if k := &r.Keys[i]; k.live(end) {
				k.Expires = &end
			}
		}
		issued.APIKey = r.newKey(now)
		issued.Client = r.Client
		return nil
	})
	return issued, err
}

// forgetEnded drops ended keys if another key would not fit.
func (r *record) forgetEnded(now time.Time) {
	if len(r.Keys) < maxKeys {
		return
	}
	r.Keys = slices.DeleteFunc(slices.Clone(r.Keys), func(k Key) bool { return !k.live(now) })
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
			return errNoKey
		}
		return nil
	})
	return changed, err
}

// Delete removes a client and its keys. The next store.DB.Compact removes their last traces from
// the file.
func (c *Clients) Delete(id string) error {
	return c.update(func(tx *store.Tx) error {
		if _, ok := c.table.Load().clients[id]; !ok {
			return ErrNoClient
		}
		if err := tx.Bucket([]byte(Bucket)).Delete([]byte(id)); err != nil {
			return err
		}
		return store.MarkDeleted(tx)
	})
}

// Find returns the client with this id or name.
func (c *Clients) Find(idOrName string) (*Client, error) {
	t := c.table.Load()
	if l, ok := t.clients[idOrName]; ok {
		return l.client(), nil
	}
	for _, l := range t.clients {
		if l.Name == idOrName {
			return l.client(), nil
		}
	}
	return nil, ErrNoClient
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

// AnyOrigin reports whether some client allows pages of this origin.
func (c *Clients) AnyOrigin(origin string) bool { return c.table.Load().origins[origin] > 0 }

// Usage returns the state of a client's limits.
func (c *Clients) Usage(id string) (Usage, error) {
	l, ok := c.table.Load().clients[id]
	if !ok {
		return Usage{}, ErrNoClient
	}
	return l.counter.peek(l.Limits, c.now()), nil
}

// change applies f to a copy of a client and stores it.
func (c *Clients) change(id string, f func(r *record, now time.Time) error) error {
	return c.update(func(tx *store.Tx) error {
		l, ok := c.table.Load().clients[id]
		if !ok {
			return ErrNoClient
		}
		r := l.record
		r.Client, r.Hashes = *l.client(), maps.Clone(l.Hashes)
		if err := f(&r, c.second()); err != nil {
			return err
		}
		return write(tx, &r)
	})
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
