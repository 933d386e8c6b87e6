package account

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"relais/internal/store"
)

// A sum is the SHA-256 of a code or token.
type sum [sha256.Size]byte

func sumOf(text string) sum { return sha256.Sum256([]byte(text)) }

// A state is everything except the facts: the records, and indexes of them. Its values are never
// changed, only replaced.
type state struct {
	accounts *store.Collection[record]
	clients  *store.Collection[Client]
	grants   *store.Collection[grant]
	sessions *store.Collection[session]

	names           map[string]string // folded name → id, of accounts with a password
	acting          map[string]string // id of an API client → id
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
	st := &state{names: map[string]string{}, acting: map[string]string{},
		codes: map[sum]*grant{}, families: map[sum]*grant{}, access: map[sum]*access{}}
	st.accounts = store.NewCollection(accountsBucket, parser(accountsBucket, st.checkAccount), st.showAccount)
	st.clients = store.NewCollection(clientsBucket, parser(clientsBucket, (*Client).check), nil)
	st.grants = store.NewCollection(grantsBucket, parser(grantsBucket, st.checkGrant), st.showGrant)
	st.sessions = store.NewCollection(sessionsBucket, parser(sessionsBucket, st.checkSession), nil)
	return st
}

// collections returns the collections of the state. Grants and sessions refer to the others and come
// last.
func (st *state) collections() []store.Collected {
	return []store.Collected{st.accounts, st.clients, st.grants, st.sessions}
}

// parser returns a function that reads the records of a bucket and refuses those that check
// refuses.
func parser[T any](bucket string, check func(v *T, id string) error) func(id string, text []byte) (*T, error) {
	return func(id string, text []byte) (*T, error) {
		v := new(T)
		if err := json.Unmarshal(text, v); err != nil {
			return nil, fmt.Errorf("%s %.50q: %w", bucket, id, err)
		}
		return v, check(v, id)
	}
}

// problems says which records were left out, accounts first.
func (st *state) problems() []error {
	return slices.Concat(st.accounts.Problems(), st.clients.Problems(), st.grants.Problems(), st.sessions.Problems())
}

// Problems says which records of users.db cannot be used and are left out.
func (s *Store) Problems() []error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.state.problems()
}

// Incomplete reports whether some accounts cannot be used, so that it is unknown which names are
// taken.
func (s *Store) Incomplete() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.state.accounts.Lost()) > 0
}

// index returns the index in which an account is found, and its key there.
func (st *state) index(r *record) (ids map[string]string, key string) {
	if r.Client != "" {
		return st.acting, r.Client
	}
	return st.names, nameKey(r.Name)
}

// checkAccount refuses a broken record, and one whose name belongs to another.
func (st *state) checkAccount(r *record, id string) error {
	if err := r.check(id); err != nil {
		return err
	}
	if ids, key := st.index(r); ids[key] != "" && ids[key] != id {
		return fmt.Errorf("account %s: %w", id, ErrNameTaken)
	}
	return nil
}

func (st *state) showAccount(before, now *record) {
	if before != nil {
		ids, key := st.index(before)
		delete(ids, key)
	}
	if now != nil {
		ids, key := st.index(now)
		ids[key] = now.ID
	}
}

func (st *state) showGrant(before, now *grant) {
	if before != nil {
		delete(st.codes, sum(before.Code))
		if before.redeemed() {
			delete(st.families, sum(before.Family))
		}
		for _, a := range before.Access {
			delete(st.access, sum(a.Sum))
		}
	}
	if now != nil {
		st.codes[sum(now.Code)] = now
		if now.redeemed() {
			st.families[sum(now.Family)] = now
		}
		for _, a := range now.Access {
			st.access[sum(a.Sum)] = &access{now, a.Scopes, a.Ends}
		}
	}
}

func (c *change) putAccount(r *record)     { c.note(c.accounts.Put(c.tx, r.ID, r)) }
func (c *change) putClient(client *Client) { c.note(c.clients.Put(c.tx, client.ID, client)) }
func (c *change) putGrant(g *grant)        { c.note(c.grants.Put(c.tx, g.ID, g)) }
func (c *change) dropAccount(id string)    { c.note(c.accounts.Delete(c.tx, id), store.MarkDeleted(c.tx)) }
func (c *change) dropClient(client *Client) {
	c.note(c.clients.Delete(c.tx, client.ID), store.MarkDeleted(c.tx))
}
func (c *change) dropGrant(g *grant) { c.note(c.grants.Delete(c.tx, g.ID), store.MarkDeleted(c.tx)) }

func (c *change) dropSession(key string) {
	c.note(c.sessions.Delete(c.tx, key), store.MarkDeleted(c.tx))
}

// sessionsOf returns the keys of the sessions of the person.
func (c *change) sessionsOf(person string) (keys []string) {
	for key, v := range c.sessions.All() {
		if v.Person == person {
			keys = append(keys, key)
		}
	}
	return keys
}

// dropSessionsOf signs the person out everywhere.
func (c *change) dropSessionsOf(person string) {
	for _, key := range c.sessionsOf(person) {
		c.dropSession(key)
	}
}

// dropGrantsOf ends the access of all programs of the person.
func (c *change) dropGrantsOf(person string) {
	for _, g := range c.grants.All() {
		if g.Person == person {
			c.dropGrant(g)
		}
	}
}
