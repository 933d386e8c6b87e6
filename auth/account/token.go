package account

import (
	"bytes"
	"context"
	"crypto/hmac"
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
	secretStart  = "rs_" // of clients
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
		t = next.issue(refreshStart+secret()+secret(), g.Scopes, s.now())
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

// issue adds an access token to a copy of a grant, with a refresh token that may be the one it has.
func (g *grant) issue(refresh string, scopes []Scope, now time.Time) *Tokens {
	t := &Tokens{Access: accessStart + secret(), Refresh: refresh, Scopes: scopes}
	first, last, sum := sumOf(refresh[:familyLength]), sumOf(refresh), sumOf(t.Access)
	if !bytes.Equal(g.Refresh, last[:]) {
		g.Family, g.Refresh, g.Ends = first[:], last[:], now.UTC().Add(refreshLife)
	}
	live := slices.DeleteFunc(slices.Clone(g.Access), func(a token) bool { return !now.Before(a.Ends) })
	live = append(live, token{sum[:], scopes, now.UTC().Add(AccessLife)})
	g.Access = live[max(0, len(live)-maxAccess):]
	return t
}

// nextRefresh returns the refresh token that follows one of a family.
func (s *Store) nextRefresh(text string) string {
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte(text))
	return text[:familyLength] + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// refreshes reports whether a refresh token of the grant's family may be used: it is the last one, or
// the one before it, which was used just now.
func (s *Store) refreshes(g *grant, text string) bool {
	this, next := sumOf(text), sumOf(s.nextRefresh(text))
	return bytes.Equal(g.Refresh, this[:]) ||
		bytes.Equal(g.Refresh, next[:]) && s.now().Before(g.used().Add(reuseFor))
}

// Refresh exchanges a refresh token for a new access token and the next refresh token. Earlier access
// tokens stay valid. Without scopes, the new one has those of the grant. If a refresh token is used
// again, other than refreshes allows, all tokens made from its code end. Errors: ErrGrant, errReused,
// ErrTarget, ErrScope, ErrReadOnly.
func (s *Store) Refresh(text, client, resource string, scopes []Scope) (*Tokens, error) {
	if err := s.known(text); err != nil {
		return nil, err
	}
	var t *Tokens
	var refused error
	err := s.change(func(c *change) error {
		g := c.family(text)
		switch {
		case g == nil || !s.now().Before(g.Ends):
			return ErrGrant
		case !s.refreshes(g, text):
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
		t = next.issue(s.nextRefresh(text), scopes, s.now())
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
	case family != nil && s.refreshes(family, text) && now.Before(family.Ends):
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

// Verify returns the person that an access token acts for, and its scopes. It reads memory only.
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
