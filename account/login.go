package account

import (
	"context"
	"net/netip"
	"time"

	"relais/limit"
)

// How many attempts to sign in may fail in a window, for one name and from one address
// (IPv6: one /64).
const (
	guessWindow      = 15 * time.Minute
	guessesByName    = 20
	guessesByAddress = 30
)

// guesses are the failed attempts. Names are hashed, whether they are somebody's or not.
type guesses struct {
	byName    *limit.Counter[sum]
	byAddress *limit.Counter[netip.Addr]
}

func newGuesses() guesses {
	return guesses{limit.New[sum](guessWindow), limit.New[netip.Addr](guessWindow)}
}

// A SignedIn is somebody who has just signed in, as their account was then.
type SignedIn struct {
	Person
	as *record
}

// Login returns who has this name and password. A wrong password, a name that nobody has
// and an account that is disabled are one answer, after the same work; attempts are
// limited for names that nobody has as for others. An attempt counts until it succeeds,
// so that those at one time are limited too. Errors: ErrLogin, ErrLimited (until
// LoginAgain), ErrBusy, ErrReadOnly.
func (s *Store) Login(ctx context.Context, name, password string, addr netip.Addr) (SignedIn, error) {
	if s.readOnly() {
		return SignedIn{}, ErrReadOnly
	}
	now, addr := s.now(), limit.Subscriber(addr)
	name = nameKey(name[:min(len(name), maxName*8)])
	tries := sumOf(name)
	takeBack := func() {
		s.guesses.byName.TakeBack(tries, now)
		s.guesses.byAddress.TakeBack(addr, now)
	}
	if s.guesses.byAddress.Add(addr, now) > guessesByAddress {
		return SignedIn{}, ErrLimited // and nobody's name is locked by who is
	}
	if s.guesses.byName.Add(tries, now) > guessesByName {
		return SignedIn{}, ErrLimited
	}
	done, err := s.turn(ctx)
	if err != nil {
		takeBack()
		return SignedIn{}, err
	}
	r, ok := s.compare(name, password)
	done()
	if !ok {
		return SignedIn{}, ErrLogin
	}
	takeBack()
	return SignedIn{r.Person, r}, nil
}

// compare does its work whether somebody has the name or not.
func (s *Store) compare(key, text string) (*record, bool) {
	s.mu.RLock()
	r := s.state.accounts[s.state.names[key]]
	s.mu.RUnlock()
	against := nobody
	if r != nil {
		against = r.Password
	}
	ok := against.matches(text[:min(len(text), maxPassword)])
	return r, ok && r != nil && !r.Disabled && len(text) <= maxPassword
}

// LoginAgain is when an attempt after ErrLimited counts anew.
func (s *Store) LoginAgain() time.Time { return s.guesses.byName.End(s.now()) }
