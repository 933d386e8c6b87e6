package account

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"relais/store"
)

// A sum is the SHA-256 of a code or token.
type sum [sha256.Size]byte

func sumOf(text string) sum { return sha256.Sum256([]byte(text)) }

// A state is everything but the facts. What the maps hold never changes; a change puts
// something else in its place.
type state struct {
	accounts map[string]*record
	names    map[string]string // folded name → id, of accounts with a password
	acting   map[string]string // id of an API client → id
	clients  map[string]*Client
	grants   map[string]*grant

	lost    map[string]error // by id, accounts whose record cannot be used, and why
	leftOut []error          // why other records cannot be used

	codes, families map[sum]*grant
	access          map[sum]*access
}

// An access is an access token of a grant.
type access struct {
	*grant
	scopes []Scope
	ends   time.Time
}

func newState() *state {
	return &state{
		accounts: map[string]*record{}, names: map[string]string{}, acting: map[string]string{},
		clients: map[string]*Client{},
		grants:  map[string]*grant{}, lost: map[string]error{}, codes: map[sum]*grant{}, families: map[sum]*grant{},
		access: map[sum]*access{},
	}
}

// read reads everything, and leaves out what cannot be used. The error is one of the file.
func (st *state) read(tx *store.Tx) error {
	leaveOut := func(_ string, err error) { st.leftOut = append(st.leftOut, err) }
	return errors.Join(
		each(tx, accountsBucket, func(id string, r *record) error {
			if err := r.check(id); err != nil {
				return err
			}
			return st.addAccount(r)
		}, func(id string, err error) { st.lost[id] = err }),
		each(tx, clientsBucket, func(id string, c *Client) error {
			if err := c.check(id); err != nil {
				return fmt.Errorf("program %.50q: %w", id, err)
			}
			st.clients[id] = c
			return nil
		}, leaveOut),
		each(tx, grantsBucket, func(id string, g *grant) error {
			if err := g.check(id, st); err != nil {
				return err
			}
			st.addGrant(g)
			return nil
		}, leaveOut))
}

// each calls f with every record of a bucket, which may be missing, and lost with each that
// is damaged or that f refuses.
func each[T any](tx *store.Tx, bucket string, f func(id string, v *T) error, lost func(id string, err error)) error {
	return store.EachKey(tx, bucket, func(id []byte) error {
		text, err := tx.Bucket([]byte(bucket)).Read(id)
		v := new(T)
		if err == nil {
			err = json.Unmarshal(text, v)
		}
		if err != nil {
			err = fmt.Errorf("%s %.50q: %w", bucket, id, err)
		} else {
			err = f(string(id), v)
		}
		if err != nil {
			lost(string(id), err)
		}
		return nil
	})
}

// problems says what was left out, accounts first.
func (st *state) problems() (list []error) {
	for _, id := range slices.Sorted(maps.Keys(st.lost)) {
		list = append(list, st.lost[id])
	}
	return append(list, st.leftOut...)
}

// Problems says what cannot be used of users.db and is left out.
func (s *Store) Problems() []error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.state.problems()
}

// Incomplete tells whether there are accounts that cannot be used, so that nobody can say
// who has a name and who has not.
func (s *Store) Incomplete() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.state.lost) > 0
}

// put is the write of a record.
func put(bucket, id string, v any) func(*store.Tx) error {
	return func(tx *store.Tx) error {
		text, err := json.Marshal(v)
		if err != nil {
			return err
		}
		return tx.Bucket([]byte(bucket)).Put([]byte(id), text)
	}
}

// remove is the write that removes a record.
func remove(bucket, id string) func(*store.Tx) error {
	return func(tx *store.Tx) error { return tx.Bucket([]byte(bucket)).Delete([]byte(id)) }
}

// addAccount takes an account in, in place of what it was.
func (st *state) addAccount(r *record) error {
	names, key := st.names, nameKey(r.Name)
	if r.Client != "" {
		names, key = st.acting, r.Client
	}
	if id, taken := names[key]; taken && id != r.ID {
		return fmt.Errorf("account %s: %w", r.ID, ErrNameTaken)
	}
	names[key], st.accounts[r.ID] = r.ID, r
	return nil
}

func (st *state) dropAccount(r *record) {
	delete(st.accounts, r.ID)
	if r.Client != "" {
		delete(st.acting, r.Client)
		return
	}
	delete(st.names, nameKey(r.Name))
}

// addGrant takes a grant in, in place of what it was.
func (st *state) addGrant(g *grant) {
	if old := st.grants[g.ID]; old != nil {
		st.dropGrant(old)
	}
	st.grants[g.ID], st.codes[sum(g.Code)] = g, g
	if g.redeemed() {
		st.families[sum(g.Family)] = g
	}
	for _, a := range g.Access {
		st.access[sum(a.Sum)] = &access{g, a.Scopes, a.Ends}
	}
}

func (st *state) dropGrant(g *grant) {
	delete(st.grants, g.ID)
	delete(st.codes, sum(g.Code))
	if g.redeemed() {
		delete(st.families, sum(g.Family))
	}
	for _, a := range g.Access {
		delete(st.access, sum(a.Sum))
	}
}

func (c *change) putAccount(r *record) {
	c.writes = append(c.writes, put(accountsBucket, r.ID, r))
	// add and alter have made sure that the name is free
	c.shows = append(c.shows, func(st *state) { _ = st.addAccount(r) })
}

func (c *change) putClient(client *Client) {
	c.writes = append(c.writes, put(clientsBucket, client.ID, client))
	c.shows = append(c.shows, func(st *state) { st.clients[client.ID] = client })
}

func (c *change) dropClient(id string) {
	c.deleted = true
	c.writes = append(c.writes, remove(clientsBucket, id))
	c.shows = append(c.shows, func(st *state) { delete(st.clients, id) })
}

func (c *change) putGrant(g *grant) {
	c.writes = append(c.writes, put(grantsBucket, g.ID, g))
	c.shows = append(c.shows, func(st *state) { st.addGrant(g) })
}

func (c *change) dropGrant(g *grant) {
	c.deleted = true
	c.writes = append(c.writes, remove(grantsBucket, g.ID))
	c.shows = append(c.shows, func(st *state) { st.dropGrant(g) })
}

// dropGrantsOf ends everything that the person let in.
func (c *change) dropGrantsOf(person string) {
	for _, g := range c.grants {
		if g.Person == person {
			c.dropGrant(g)
		}
	}
}
