package account

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// A grant is the permission that a person gave a program, from the code to the last token made from
// it. Revoking a grant removes it.
type grant struct {
	ID        string    `json:"id"`
	Person    string    `json:"person"`
	Client    string    `json:"client"`
	Scopes    []Scope   `json:"scopes"`
	Resource  string    `json:"resource"`
	Redirect  string    `json:"redirect"`
	Challenge string    `json:"challenge"` // S256
	Created   time.Time `json:"created"`
	Code      []byte    `json:"code"` // SHA-256; it stays, to know it when it is used again
	// A refresh token has two parts. All tokens of the grant share the first, so that a used token
	// is recognized. The second part is the token's own: random in the first token, and in each next
	// one derived from the token before it.
	Family  []byte    `json:"family,omitempty"`  // SHA-256 of the first part; nil while the code is unused
	Refresh []byte    `json:"refresh,omitempty"` // SHA-256 of the last token whole
	Ends    time.Time `json:"ends"`              // of the code, then of the last refresh token
	Access  []token   `json:"access,omitempty"`
}

// A token is an access token.
type token struct {
	Sum    []byte    `json:"sum"` // SHA-256
	Scopes []Scope   `json:"scopes"`
	Ends   time.Time `json:"ends"`
}

// How long codes and tokens are valid, and how many there may be.
const (
	codeLife    = time.Minute
	AccessLife  = time.Hour
	refreshLife = 30 * 24 * time.Hour // since the last use
	// reuseFor is how long a used refresh token gives the same next one again, while that one is
	// unused: programs refresh in two processes at once, and again after an answer that was lost.
	reuseFor = 30 * time.Second

	maxAccess = 8   // access tokens of a grant that live at a time; the oldest goes
	maxGrants = 100 // of a person; that which is used least goes
)

func (g *grant) redeemed() bool { return g.Family != nil }

// used returns when the last refresh token was made.
func (g *grant) used() time.Time { return g.Ends.Add(-refreshLife) }

func (st *state) checkGrant(g *grant, id string) error {
	whole := g.ID == id && len(g.Code) == sha256.Size
	if g.redeemed() {
		whole = whole && len(g.Family) == sha256.Size && len(g.Refresh) == sha256.Size
	}
	for _, t := range g.Access {
		whole = whole && len(t.Sum) == sha256.Size
	}
	switch {
	case !whole:
		return fmt.Errorf("grant %.50q: it is damaged", id)
	case st.accounts.Get(g.Person) == nil && st.accounts.Lost()[g.Person] == nil || st.clients.Get(g.Client) == nil:
		return fmt.Errorf("grant %s: its account or program is missing", id)
	}
	return nil
}

// An Authorization is what a person lets a program do.
type Authorization struct {
	Client    string
	Redirect  string
	Challenge string // of the S256 method (RFC 7636)
	Resource  string
	Scopes    []Scope
}

// CheckChallenge reports whether a text can be an S256 challenge: 32 bytes in base64url.
func CheckChallenge(text string) bool {
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	return err == nil && len(b) == sha256.Size && !strings.ContainsAny(text, "\r\n")
}

// Authorize makes a code for the permission of a person who has just signed in. If the account was
// changed since the sign-in, for example by a new password, the person must sign in again: the
// change ended all permissions, and must end this one too. Errors: ErrNoAccount, ErrDisabled,
// ErrLogin, ErrNoClient, ErrRedirect, ErrReadOnly, and one for an invalid challenge.
func (s *Store) Authorize(person SignedIn, a Authorization) (code string, err error) {
	id, err := uuid.NewV7()
	if err != nil {
		return "", err
	}
	if !CheckChallenge(a.Challenge) {
		return "", fmt.Errorf("the challenge is not one of S256")
	}
	code = codeStart + secret()
	sum := sumOf(code)
	now := s.now().UTC()
	g := &grant{ID: id.String(), Person: person.ID, Client: a.Client, Scopes: a.Scopes, Resource: a.Resource,
		Redirect:  a.Redirect,
		Challenge: a.Challenge, Created: now.Truncate(time.Second), Code: sum[:], Ends: now.Add(codeLife)}
	err = s.change(func(c *change) error {
		if err := c.checkSignedIn(person); err != nil {
			return err
		}
		client := c.clients.Get(a.Client)
		switch {
		case client == nil:
			return ErrNoClient
		case !client.Redirects(a.Redirect):
			return ErrRedirect
		}
		used := *client
		used.Used = &g.Created
		c.putClient(&used)
		c.makeRoom(person.ID)
		c.putGrant(g)
		return nil
	})
	if err != nil {
		return "", err
	}
	return code, nil
}

// makeRoom removes the grant of a person that would end first, if there are too many.
func (c *change) makeRoom(person string) {
	var own []*grant
	for _, g := range c.grants.All() {
		if g.Person == person {
			own = append(own, g)
		}
	}
	if len(own) < maxGrants {
		return
	}
	c.dropGrant(slices.MinFunc(own, func(a, b *grant) int { return a.Ends.Compare(b.Ends) }))
}
