package account

import (
	"context"
	"net/netip"
	"time"
)

// A SignedIn is a person who has just signed in, with the state of the account at that time.
type SignedIn struct {
	Person
	as *record
}

// Login returns the person with this name and password. Wrong passwords, unknown names and disabled
// accounts get the same answer after the same work, and attempts for unknown names are limited like
// others. An attempt counts until it succeeds, so that simultaneous attempts are limited too. It
// does not count if it was refused before the comparison. Errors: ErrLogin, ErrLimited (until
// LoginAgain), ErrBusy, ErrReadOnly, store.ErrAway.
func (s *Store) Login(ctx context.Context, name, password string, addr netip.Addr) (SignedIn, error) {
	if s.readOnly() {
		return SignedIn{}, ErrReadOnly
	}
	if err := s.Fresh(ctx); err != nil {
		return SignedIn{}, err
	}
	name = nameKey(name[:min(len(name), maxName*8)])
	takeBack, err := s.guesses.begin(ctx, sumOf(name), s.idOf(name), addr, s.now())
	if err != nil {
		return SignedIn{}, err
	}
	end, err := s.hashTurn(ctx, addr)
	if err != nil {
		takeBack()
		return SignedIn{}, err
	}
	r, ok := s.compare(name, password)
	end()
	if !ok {
		return SignedIn{}, ErrLogin
	}
	takeBack()
	s.guesses.learn(r.ID, addr)
	return SignedIn{r.Person, r}, nil
}

// idOf returns the id of the account with the name, "" if there is no such account.
func (s *Store) idOf(key string) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.state.names[key]
}

// compare does the same work for known and unknown names.
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
func (s *Store) LoginAgain() time.Time { return s.guesses.rate.End(s.now()) }
