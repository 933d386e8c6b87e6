package account

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"relais/internal/fold"
)

// A Person is the one who acts: somebody who signs in, or an API client.
type Person struct {
	ID     string `json:"id"` // opaque
	Name   string `json:"name"`
	Client string `json:"client,omitempty"` // id of the API client that acts as it; "" of a person
}

// An Account is a person as shown to an administrator.
type Account struct {
	Person
	Created  time.Time `json:"created"`
	Disabled bool      `json:"disabled"`
	Role     Role      `json:"role,omitempty"` // "" of an API client
	Programs int       `json:"programs"`       // that may act for the person now
	// Lost reports that the record cannot be used: nothing else than the id is known.
	Lost    bool `json:"lost,omitempty"`
	decided int  // that of the record
}

// A record is an account as it is stored.
type record struct {
	Person
	Created  time.Time `json:"created"`
	Disabled bool      `json:"disabled,omitempty"`
	Role     Role      `json:"role,omitempty"`     // "" of a member
	Password *password `json:"password,omitempty"` // nil: an API client acts as it
	Decided  int       `json:"decided,omitempty"`  // counts decisions, so that each state has a version of its own
}

const maxName = 64 // characters

// nameKey returns the form in which names are compared.
func nameKey(name string) string { return fold.String(name) }

// CheckName validates the name of an account.
func CheckName(name string) error {
	unprintable := func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }
	switch {
	case nameKey(name) == "" || strings.TrimSpace(name) != name || utf8.RuneCountInString(name) > maxName ||
		strings.ContainsFunc(name, unprintable):
		return fmt.Errorf("an account needs a name of 1 to %d printable characters, without blanks at its ends",
			maxName)
	case strings.Contains(name, "@"):
		return errors.New("the name of an account must not be an e-mail address: none is kept")
	}
	return nil
}

func (r *record) check(id string) error {
	switch {
	case r.ID != id:
		return fmt.Errorf("account %.50q: it is stored as that of %.50q", id, r.ID)
	case (r.Client == "") != (r.Password != nil):
		return fmt.Errorf("account %s: it has neither a password nor an API client, or both", id)
	case r.Client != "":
		return nil
	}
	_, err := ParseRole(string(r.role()))
	if err := errors.Join(CheckName(r.Name), r.Password.check(), err); err != nil {
		return fmt.Errorf("account %s: %w", id, err)
	}
	return nil
}

// Create makes an account. Errors: ErrNameTaken, ErrLost, ErrReadOnly, ErrBusy, and an error for an
// invalid name or password.
func (s *Store) Create(ctx context.Context, name, password string) (*Account, error) {
	if err := errors.Join(CheckName(name), CheckPassword(password)); err != nil {
		return nil, err
	}
	hashed, err := s.hash(ctx, password, netip.Addr{})
	if err != nil {
		return nil, err
	}
	return s.add(&record{Person: Person{Name: name}, Password: hashed})
}

// add adds an account with a new id.
func (s *Store) add(r *record) (*Account, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return nil, err
	}
	r.ID, r.Created = id.String(), s.second()
	err = s.change(func(c *change) error {
		if _, taken := c.names[nameKey(r.Name)]; taken && r.Client == "" {
			return ErrNameTaken
		}
		if first := c.accounts.Get(c.acting[r.Client]); r.Client != "" && first != nil {
			r = first
			return nil
		}
		if len(c.accounts.Lost()) > 0 {
			return ErrLost
		}
		c.putAccount(r)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return r.shown(), nil
}

// shown returns the Account of a record, without its programs.
func (r *record) shown() *Account {
	return &Account{Person: r.Person, Created: r.Created, Disabled: r.Disabled, Role: r.role(),
		decided: r.Decided}
}

// OfClient returns the person that an API client acts as. The first call makes the account, with
// the client's name and without a password. DeleteClient deletes it with the client. If only the
// account is deleted, the next call makes a new one. Errors: ErrDisabled, ErrLost, ErrReadOnly.
func (s *Store) OfClient(id, name string) (Person, error) {
	s.mu.RLock()
	r := s.state.accounts.Get(s.state.acting[id])
	s.mu.RUnlock()
	if r == nil {
		a, err := s.add(&record{Person: Person{Name: name, Client: id}})
		if err != nil {
			return Person{}, err
		}
		r = &record{Person: a.Person, Disabled: a.Disabled}
	}
	if r.Disabled {
		return Person{}, ErrDisabled
	}
	return r.Person, nil
}

// List returns the accounts, the oldest first.
func (s *Store) List() []*Account {
	s.mu.RLock()
	defer s.mu.RUnlock()
	list := []*Account{}
	for _, r := range s.state.accounts.All() {
		list = append(list, s.account(r))
	}
	for id := range s.state.accounts.Lost() {
		list = append(list, lostAccount(id))
	}
	slices.SortFunc(list, func(a, b *Account) int { return strings.Compare(a.ID, b.ID) }) // version 7: by time
	return list
}

// account returns the Account of a record with the number of its programs. The caller holds mu.
func (s *Store) account(r *record) *Account {
	a, now := r.shown(), s.now()
	for _, g := range s.state.grants.All() {
		if g.Person == r.ID && g.redeemed() && now.Before(g.Ends) {
			a.Programs++
		}
	}
	return a
}

// Find returns the account with this id or name. Errors: ErrNoAccount, errAmbiguous.
func (s *Store) Find(idOrName string) (*Account, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.state.accounts.Lost()[idOrName] != nil {
		return lostAccount(idOrName), nil
	}
	r, err := s.state.find(idOrName)
	if err != nil {
		return nil, err
	}
	return s.account(r), nil
}

func lostAccount(id string) *Account { return &Account{Person: Person{ID: id}, Lost: true} }

func (st *state) find(idOrName string) (*record, error) {
	if r := st.accounts.Get(idOrName); r != nil {
		return r, nil
	}
	key := nameKey(idOrName)
	found := st.accounts.Get(st.names[key])
	for _, id := range st.acting {
		if r := st.accounts.Get(id); nameKey(r.Name) == key {
			if found != nil {
				return nil, errAmbiguous
			}
			found = r
		}
	}
	if found == nil {
		return nil, ErrNoAccount
	}
	return found, nil
}

// SetPassword gives an account another password, signs it out, and ends the access of all its
// programs. Errors: ErrNoAccount, ErrLost, errNoLogin, ErrReadOnly, ErrBusy, and an error for an invalid password.
func (s *Store) SetPassword(ctx context.Context, id, password string) (*Account, error) {
	if err := CheckPassword(password); err != nil {
		return nil, err
	}
	hashed, err := s.hash(ctx, password, netip.Addr{})
	if err != nil {
		return nil, err
	}
	return s.alter(id, func(c *change, r *record) error {
		if r.Client != "" {
			return errNoLogin
		}
		r.Password = hashed
		c.endAll(id)
		return nil
	})
}

// ChangePassword gives a person who has just signed in another password, signs them out everywhere,
// and ends the access of all programs. addr is where they are. It returns the person as signed in with
// the new password. Errors: ErrNoAccount, ErrDisabled, ErrLogin if the account was changed since the
// sign-in, ErrReadOnly, ErrBusy, and ErrPassword.
func (s *Store) ChangePassword(ctx context.Context, person SignedIn, password string, addr netip.Addr) (
	SignedIn, error) {
	if err := CheckPassword(password); err != nil {
		return SignedIn{}, err
	}
	hashed, err := s.hash(ctx, password, addr)
	if err != nil {
		return SignedIn{}, err
	}
	err = s.change(func(c *change) error {
		if err := c.checkSignedIn(person); err != nil {
			return err
		}
		r := *person.as
		r.Password = hashed
		c.putAccount(&r)
		c.endAll(r.ID)
		return nil
	})
	if err != nil {
		return SignedIn{}, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return SignedIn{person.Person, s.state.accounts.Get(person.ID)}, nil
}

// checkSignedIn refuses a person whose account was changed since the sign-in.
func (c *change) checkSignedIn(person SignedIn) error {
	r := c.accounts.Get(person.ID)
	switch {
	case r == nil:
		return ErrNoAccount
	case r.Disabled:
		return ErrDisabled
	case !reflect.DeepEqual(r, person.as): // not the pointer: the file may have been read again
		return ErrLogin
	}
	return nil
}

// endAll signs a person out everywhere, and ends the access of all programs.
func (c *change) endAll(person string) {
	c.dropSessionsOf(person)
	c.dropGrantsOf(person)
}

// alter changes a copy of an account.
func (s *Store) alter(id string, f func(c *change, r *record) error) (*Account, error) {
	var r record
	err := s.change(func(c *change) error {
		old := c.accounts.Get(id)
		switch {
		case c.accounts.Lost()[id] != nil:
			return ErrLost
		case old == nil:
			return ErrNoAccount
		}
		r = *old
		if err := f(c, &r); err != nil {
			return err
		}
		c.putAccount(&r)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return r.shown(), nil
}

// Delete removes an account, also a lost one, with everything that is known about the person. What
// the person submitted stays in its datasets without an owner. The next store.DB.Compact removes
// the last traces from the file. Errors: ErrNoAccount, ErrReadOnly.
func (s *Store) Delete(id string) error {
	defer s.guesses.forget(id)
	return s.change(func(c *change) error {
		if c.accounts.Get(id) == nil && c.accounts.Lost()[id] == nil {
			return ErrNoAccount
		}
		c.endAll(id)
		c.dropAccount(id)
		if facts := c.tx.Bucket([]byte(factsBucket)); facts.Bucket([]byte(id)) != nil {
			return facts.DeleteBucket([]byte(id))
		}
		return nil
	})
}

// ActsFor returns the id of the account that an API client acts as, "" if it has none.
func (s *Store) ActsFor(client string) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.state.acting[client]
}
