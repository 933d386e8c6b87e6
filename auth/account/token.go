package account

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"time"
)

// Codes and tokens are a few letters for their type, and 32 random bytes in base64url. Refresh
// tokens have 32 bytes more.
const (
	codeStart    = "rc_"
	accessStart  = "ra_"
	refreshStart = "rr_"
	secretLength = 43
	accessLength = len(accessStart) + secretLength
	familyLength = len(refreshStart) + secretLength
	maxVerifier  = 128
)

func secret() string {
	var b [32]byte
	rand.Read(b[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// Tokens are what a program gets.
type Tokens struct {
	Access, Refresh string
	Scopes          []Scope
}

// A Redemption is a code and what must match it.
type Redemption struct {
	Code, Client, Redirect string
	Verifier               string // RFC 7636
	Resource               string // "": that of the code
}

// Redeem exchanges a code for tokens, once. If a code is used again, all tokens made from it end.
// Errors: ErrGrant, errReused, ErrTarget, ErrReadOnly.
func (s *Store) Redeem(r Redemption) (*Tokens, error) {
	if err := s.known(r.Code); err != nil {
		return nil, err
	}
	var t *Tokens
	var refused error
	err := s.change(func(c *change) error {
		g := c.codes[sumOf(r.Code)]
		switch {
		case g == nil:
			return ErrGrant
		case g.redeemed():
			refused = errReused
			c.dropGrant(g)
			return nil
		case g.Client != r.Client || g.Redirect != r.Redirect || !s.now().Before(g.Ends) ||
			!verifies(r.Verifier, g.Challenge):
			return ErrGrant
		case r.Resource != "" && r.Resource != g.Resource:
			return ErrTarget
		}
		next := *g
		t = next.issue(refreshStart+secret(), g.Scopes, s.now())
		c.putGrant(&next)
		return nil
	})
	return tokensOr(t, err, refused)
}

func tokensOr(t *Tokens, err, refused error) (*Tokens, error) {
	if err == nil {
		err = refused
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// verifies reports whether the challenge was made from the verifier.
func verifies(verifier, challenge string) bool {
	if len(verifier) < secretLength || len(verifier) > maxVerifier {
		return false
	}
	sum := sha256.Sum256([]byte(verifier))
	return subtle.ConstantTimeCompare([]byte(base64.RawURLEncoding.EncodeToString(sum[:])), []byte(challenge)) == 1
}

// issue adds an access token and the next refresh token of the family to a copy of a
// grant.
func (g *grant) issue(family string, scopes []Scope, now time.Time) *Tokens {
	t := &Tokens{Access: accessStart + secret(), Refresh: family + secret(), Scopes: scopes}
	first, last, sum := sumOf(family), sumOf(t.Refresh), sumOf(t.Access)
	g.Family, g.Refresh, g.Ends = first[:], last[:], now.UTC().Add(refreshLife)
	live := slices.DeleteFunc(slices.Clone(g.Access), func(a token) bool { return !now.Before(a.Ends) })
	live = append(live, token{sum[:], scopes, now.UTC().Add(AccessLife)})
	g.Access = live[max(0, len(live)-maxAccess):]
	return t
}

// Refresh exchanges a refresh token for new tokens, once. Earlier access tokens stay valid. Without
// scopes, the new tokens have those of the grant. If a refresh token is used again, all tokens made
// from its code end. Errors: ErrGrant, errReused, ErrTarget, ErrScope, ErrReadOnly.
func (s *Store) Refresh(text, client, resource string, scopes []Scope) (*Tokens, error) {
	if err := s.known(text); err != nil {
		return nil, err
	}
	var t *Tokens
	var refused error
	err := s.change(func(c *change) error {
		g := c.family(text)
		sum := sumOf(text)
		switch {
		case g == nil || !s.now().Before(g.Ends):
			return ErrGrant
		case !bytes.Equal(g.Refresh, sum[:]):
			refused = errReused
			c.dropGrant(g)
			return nil
		case g.Client != client:
			return ErrGrant
		case resource != "" && resource != g.Resource:
			return ErrTarget
		case !containsAll(g.Scopes, scopes):
			return ErrScope
		}
		if len(scopes) == 0 {
			scopes = g.Scopes
		}
		next := *g
		t = next.issue(text[:familyLength], scopes, s.now())
		c.putGrant(&next)
		return nil
	})
	return tokensOr(t, err, refused)
}

// family returns the grant to which a present or former refresh token belongs, else nil.
func (st *state) family(text string) *grant {
	if len(text) != familyLength+secretLength || !strings.HasPrefix(text, refreshStart) {
		return nil
	}
	return st.families[sumOf(text[:familyLength])]
}

// known returns ErrGrant for a code or token that no server knows. So wrong ones cost no change,
// for which all servers would have to wait. Without other servers the change finds out.
func (s *Store) known(text string) error {
	if !s.db.Shared() {
		return nil
	}
	sum := sumOf(text)
	here := func() bool {
		s.mu.RLock()
		defer s.mu.RUnlock()
		return s.state.codes[sum] != nil || s.state.access[sum] != nil || s.state.family(text) != nil
	}
	if here() {
		return nil
	}
	if err := s.Fresh(context.Background()); err != nil {
		return err
	}
	if !here() {
		return ErrGrant
	}
	return nil
}

// Holder returns the owner of a valid code, refresh token or access token, "" for any other text.
// It reads memory only.
func (s *Store) Holder(text string) (person string) {
	sum, now := sumOf(text), s.now()
	s.mu.RLock()
	defer s.mu.RUnlock()
	code, family, access := s.state.codes[sum], s.state.family(text), s.state.access[sum]
	switch {
	case code != nil && !code.redeemed() && now.Before(code.Ends):
		return code.Person
	case family != nil && bytes.Equal(family.Refresh, sum[:]) && now.Before(family.Ends):
		return family.Person
	case access != nil && now.Before(access.ends):
		return access.Person
	}
	return ""
}

// Revoke ends a token (RFC 7009): only the token itself if it is an access token, all tokens of the
// same code if it is a refresh token. An unknown token has ended already. Errors: ErrGrant for a
// token of another client, ErrReadOnly.
func (s *Store) Revoke(text, client string) error {
	if err := s.known(text); err != nil {
		if errors.Is(err, ErrGrant) {
			return nil
		}
		return err
	}
	return s.change(func(c *change) error {
		g := c.family(text)
		sum := sumOf(text)
		if a := c.access[sum]; a != nil {
			g = a.grant
		}
		switch {
		case g == nil:
			return nil
		case g.Client != client:
			return ErrGrant
		case c.access[sum] == nil:
			c.dropGrant(g)
			return nil
		}
		next := *g
		next.Access = slices.DeleteFunc(slices.Clone(g.Access),
			func(t token) bool { return bytes.Equal(t.Sum, sum[:]) })
		c.putGrant(&next)
		return nil
	})
}

// Verify returns the person for whom an access token acts, and its scopes. It reads memory only.
// Errors: ErrGrant, ErrTarget for a token of another resource, ErrLost.
func (s *Store) Verify(text, resource string, now time.Time) (Person, []Scope, error) {
	if len(text) != accessLength || !strings.HasPrefix(text, accessStart) {
		return Person{}, nil, ErrGrant
	}
	sum := sumOf(text)
	s.mu.RLock()
	defer s.mu.RUnlock()
	a := s.state.access[sum]
	if a == nil || !now.Before(a.ends) {
		return Person{}, nil, ErrGrant
	}
	r := s.state.accounts.Get(a.Person)
	switch {
	case s.state.accounts.Lost()[a.Person] != nil:
		return Person{}, nil, ErrLost
	case r == nil || r.Disabled:
		return Person{}, nil, ErrGrant
	case a.Resource != resource:
		return Person{}, nil, ErrTarget
	}
	return r.Person, a.scopes, nil
}
