package account

import (
	"context"
	"net/netip"
	"time"
)

// A SignedIn is somebody who has just signed in, as their account was then.
type SignedIn struct {
	Person
	as *record
}

// Login returns who has this name and password. A wrong password, a name that nobody has
// and an account that is disabled are one answer, after the same work; attempts are
// limited for names that nobody has as for others. An attempt counts until it succeeds,
// so that those at one time are limited too, but not when it was refused before it was
// compared. Errors: ErrLogin, ErrLimited (until LoginAgain), ErrBusy, ErrReadOnly.
func (s *Store) Login(ctx context.Context, name, password string, addr netip.Addr) (SignedIn, error) {
	if s.readOnly() {
		return SignedIn{}, ErrReadOnly
	}
	name = nameKey(name[:min(len(name), maxName*8)])
	takeBack, ok := s.guesses.begin(sumOf(name), s.idOf(name), addr, s.now())
	if !ok {
		return SignedIn{}, ErrLimited
	}
	if err := s.turns.take(ctx, addr); err != nil {
		takeBack()
		return SignedIn{}, err
	}
	r, ok := s.compare(name, password)
	s.turns.done()
	if !ok {
		return SignedIn{}, ErrLogin
	}
	takeBack()
	s.guesses.learn(r.ID, addr)
	return SignedIn{r.Person, r}, nil
}

// idOf is the id of the account that has the name, "" when none has.
func (s *Store) idOf(key string) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.state.names[key]
}

// compare does its work whether somebody has the name or not.
func (s *Store) compare(key, text string) (*record, bool) {
	s.mu.RLock()
	r := s.state.accounts.Get(s.state.names[key])
	s.mu.RUnlock()
	against := unknownPassword
	if r != nil {
		against = r.Password
	}
	ok := against.matches(text[:min(len(text), maxPassword)])
	return r, ok && r != nil && !r.Disabled && len(text) <= maxPassword
}

// LoginAgain returns when an attempt is allowed again after ErrLimited.
func (s *Store) LoginAgain() time.Time { return s.guesses.addresses.End(s.now()) }
