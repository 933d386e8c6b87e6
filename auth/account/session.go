package account

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A session is a sign-in in a browser. Its key is the SHA-256 of its token, in hexadecimal digits.
type session struct {
	Person string    `json:"person"`
	Ends   time.Time `json:"ends"`
}

// How long a session is valid, and how many a person may have; that which ends first goes.
const (
	SessionLife = 12 * time.Hour
	maxSessions = 20
)

func sessionKey(token string) string {
	sum := sumOf(token)
	return hex.EncodeToString(sum[:])
}

func (st *state) checkSession(v *session, key string) error {
	sum, err := hex.DecodeString(key)
	switch {
	case err != nil || len(sum) != len(sumOf("")) || strings.ToLower(key) != key:
		return fmt.Errorf("session %.50q: it is damaged", key)
	case st.accounts.Get(v.Person) == nil && st.accounts.Lost()[v.Person] == nil:
		return fmt.Errorf("session %.12s…: its account is missing", key)
	}
	return nil
}

// A Session is who is signed in.
type Session struct {
	Person
	Role Role
	Ends time.Time
}

// StartSession makes a session of a person who has just signed in, and returns its token, of 43
// characters. If the account was changed since the sign-in, for example by a new password, the
// person must sign in again. former, which may be "", is the token of the session that the browser
// had; it ends. Errors: ErrNoAccount, ErrDisabled, ErrLogin, ErrReadOnly.
func (s *Store) StartSession(person SignedIn, former string) (token string, err error) {
	token = secret()
	err = s.change(func(c *change) error {
		if err := c.checkSignedIn(person); err != nil {
			return err
		}
		if key := sessionKey(former); c.sessions.Get(key) != nil {
			c.dropSession(key)
		}
		c.roomForSession(person.ID)
		c.note(c.sessions.Put(c.tx, sessionKey(token), session{person.ID, s.now().UTC().Add(SessionLife)}))
		return nil
	})
	if err != nil {
		return "", err
	}
	return token, nil
}

// roomForSession removes the session of a person that ends first, if there are too many.
func (c *change) roomForSession(person string) {
	own := c.sessionsOf(person)
	if len(own) < maxSessions {
		return
	}
	c.dropSession(slices.MinFunc(own, func(a, b string) int {
		return c.sessions.Get(a).Ends.Compare(c.sessions.Get(b).Ends)
	}))
}

// Session returns who has the session of a token, as all servers know it. Errors: ErrGrant for an
// unknown or ended one, ErrLost, store.ErrAway.
func (s *Store) Session(ctx context.Context, token string) (Session, error) {
	if len(token) != secretLength {
		return Session{}, ErrGrant
	}
	if err := s.Fresh(ctx); err != nil {
		return Session{}, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	v := s.state.sessions.Get(sessionKey(token))
	if v == nil || !s.now().Before(v.Ends) {
		return Session{}, ErrGrant
	}
	r := s.state.accounts.Get(v.Person)
	switch {
	case s.state.accounts.Lost()[v.Person] != nil:
		return Session{}, ErrLost
	case r == nil || r.Disabled:
		return Session{}, ErrGrant
	}
	return Session{r.Person, r.role(), v.Ends}, nil
}

// EndSession ends a session. One that is unknown has ended already. Error: ErrReadOnly.
func (s *Store) EndSession(token string) error {
	return s.change(func(c *change) error {
		if key := sessionKey(token); c.sessions.Get(key) != nil {
			c.dropSession(key)
		}
		return nil
	})
}
