package account

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
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
	return &state{map[string]*record{}, map[string]string{}, map[string]string{}, map[string]*Client{}, map[string]*grant{},
		map[sum]*grant{}, map[sum]*grant{}, map[sum]*access{}}
}

// read reads everything; what cannot be used is an error.
func (st *state) read(tx *store.Tx) error {
	err := each(tx, accountsBucket, func(id string, r *record) error {
		if err := r.check(id); err != nil {
			return err
		}
		return st.addAccount(r)
	})
	if err != nil {
		return err
	}
	err = each(tx, clientsBucket, func(id string, c *Client) error {
		st.clients[id] = c
		return c.check(id)
	})
	if err != nil {
		return err
	}
	return each(tx, grantsBucket, func(id string, g *grant) error {
		if err := g.check(id, st); err != nil {
			return err
		}
		st.addGrant(g)
		return nil
	})
}

// each reads every record of a bucket, which may be missing.
func each[T any](tx *store.Tx, bucket string, f func(id string, v *T) error) error {
	b := tx.Bucket([]byte(bucket))
	if b == nil {
		return nil
	}
	return b.ForEach(func(k, text []byte) error {
		v := new(T)
		if err := json.Unmarshal(text, v); err != nil {
			return fmt.Errorf("%s %.50q: %w", bucket, k, err)
		}
		return f(string(k), v)
	})
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
	c.shows = append(c.shows, func(st *state) { _ = st.addAccount(r) }) // the name was looked for before
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
