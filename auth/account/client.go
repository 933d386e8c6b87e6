package account

import (
	"cmp"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
)

// A Client is an OAuth client: a program that people may let act for them. Nobody verifies what it
// says about itself.
type Client struct {
	ID           string    `json:"id"`
	Name         string    `json:"name"`
	RedirectURIs []string  `json:"redirectUris"`
	Created      time.Time `json:"created"`
	Secret       []byte    `json:"secret,omitempty"` // SHA-256; nil for a program without a secret
	// Used is the time of the last authorization; nil before the first.
	Used *time.Time `json:"used,omitempty"`
}

// The bounds of clients. A client without any authorization is removed after a day. A client whose
// authorizations have all ended is removed 90 days after the last one began. Of these idle clients,
// 1000 are kept. A new one and one whose page is open are not removed to make room.
const (
	maxClientName = 100 // characters
	maxRedirects  = 10
	maxIdle       = 1000
	maxShown      = maxIdle / 2 // who opens the pages of all programs does not keep all
	needed        = 30 * time.Minute
	unusedLife    = 24 * time.Hour
	usedLife      = 90 * 24 * time.Hour
)

// check validates the record of an id.
func (c *Client) check(id string) error {
	if err := c.wrong(id); err != nil {
		return fmt.Errorf("program %.50q: %w", id, err)
	}
	return nil
}

func (c *Client) wrong(id string) error {
	unprintable := func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }
	switch {
	case c.ID != id:
		return fmt.Errorf("it is stored as that of %.50q", c.ID)
	case strings.TrimSpace(c.Name) == "" || utf8.RuneCountInString(c.Name) > maxClientName ||
		strings.ContainsFunc(c.Name, unprintable):
		return fmt.Errorf("%w of 1 to %d printable characters", ErrMetadata, maxClientName)
	case len(c.RedirectURIs) < 1 || len(c.RedirectURIs) > maxRedirects:
		return fmt.Errorf("%w: %d of them, of 1 to %d", ErrRedirect, len(c.RedirectURIs), maxRedirects)
	case c.Secret != nil && len(c.Secret) != sha256.Size:
		return errors.New("its secret is damaged")
	}
	return nil
}

// checkNew refuses a new client. Its rules may become stricter: clients that are registered stay.
func (c *Client) checkNew() error {
	errs := []error{c.wrong(c.ID), checkProgramName(c.Name)}
	for _, uri := range c.RedirectURIs {
		errs = append(errs, CheckRedirect(uri))
	}
	return errors.Join(errs...)
}

// Authenticates reports whether a secret is the client's. That of a client without one is "".
func (c *Client) Authenticates(secret string) bool {
	if c.Secret == nil {
		return secret == ""
	}
	sum := sumOf(secret)
	return subtle.ConstantTimeCompare(sum[:], c.Secret) == 1
}

// A FullError is why no client can be registered before a time.
type FullError struct{ Until time.Time }

func (e *FullError) Error() string {
	return "as many programs as are kept were registered in the last half hour and wait for somebody to let them in"
}

// maxMarks is the most diacritics of a letter in a name: Vietnamese has two, Hebrew three.
const maxMarks = 3

// checkProgramName refuses a new name that looks blank or hides the text next to it.
func checkProgramName(name string) error {
	marks, seen := 0, false
	for _, r := range name {
		switch {
		case unicode.Is(unicode.M, r):
			if marks++; marks > maxMarks || !seen {
				return fmt.Errorf("%w, with at most %d marks on a letter", ErrMetadata, maxMarks)
			}
			continue
		case unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r): // a Hangul filler is a letter, and not seen
			return fmt.Errorf("%w, without characters that cannot be seen", ErrMetadata)
		case unicode.IsLetter(r), unicode.IsNumber(r):
			seen = true
		}
		marks = 0
	}
	if !seen {
		return fmt.Errorf("%w with a letter or a digit", ErrMetadata)
	}
	return nil
}

// Register makes a client. If there are too many idle clients, the oldest one is removed. Errors:
// ErrMetadata, ErrRedirect, ErrReadOnly, *FullError.
func (s *Store) Register(name string, redirects []string) (*Client, error) {
	return s.register(name, redirects, nil)
}

// RegisterWithSecret makes a client that must show a secret, which is returned and not stored. Errors:
// those of Register.
func (s *Store) RegisterWithSecret(name string, redirects []string) (c *Client, text string, err error) {
	text = secretStart + secret()
	sum := sumOf(text)
	c, err = s.register(name, redirects, sum[:])
	return c, text, err
}

func (s *Store) register(name string, redirects []string, hash []byte) (*Client, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return nil, err
	}
	client := &Client{ID: id.String(), Name: name, RedirectURIs: slices.Clone(redirects), Created: s.second(),
		Secret: hash}
	if err := client.checkNew(); err != nil {
		return nil, err
	}
	err = s.change(func(c *change) error {
		if err := s.makeRoom(c); err != nil {
			return err
		}
		c.putClient(client)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return client, nil
}

// makeRoom removes idle clients until there is room for another one.
func (s *Store) makeRoom(c *change) error {
	idle, now := c.idle(), s.now()
	full := &FullError{}
	for over := len(idle) + 1 - maxIdle; over > 0; over-- {
		i := slices.IndexFunc(idle, func(old *Client) bool { return !now.Before(s.neededUntil(old)) })
		if i < 0 {
			for _, old := range idle {
				if until := s.neededUntil(old); full.Until.IsZero() || until.Before(full.Until) {
					full.Until = until
				}
			}
			return full
		}
		c.dropClient(idle[i])
		idle = slices.Delete(idle, i, i+1)
	}
	return nil
}

// neededUntil returns the time from which on an idle client may be removed.
func (s *Store) neededUntil(c *Client) time.Time {
	last := c.Created
	for _, t := range []time.Time{c.lastUsed(), s.shown.lastShown(c.ID)} {
		if t.After(last) {
			last = t
		}
	}
	return last.Add(needed)
}

// Shown notes that somebody is looking at the page of a client.
func (s *Store) Shown(id string) { s.shown.note(id, s.now()) }

// shown has the times at which the pages of clients were last shown, of the latest maxShown
// clients.
type shown struct {
	mu   sync.Mutex
	last map[string]time.Time
}

func (p *shown) lastShown(id string) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last[id]
}

func (p *shown) note(id string, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last[id] = now; len(p.last) <= maxShown {
		return
	}
	oldest := id
	for other, t := range p.last {
		if t.Before(p.last[oldest]) {
			oldest = other
		}
	}
	delete(p.last, oldest)
}

// idle returns the clients without an authorization, in the order in which they may be removed:
// first those that never had one, the oldest first.
func (st *state) idle() []*Client {
	in := map[string]bool{}
	for _, g := range st.grants.All() {
		in[g.Client] = true
	}
	var list []*Client
	for id, c := range st.clients.All() {
		if !in[id] {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b *Client) int {
		return cmp.Or(a.lastUsed().Compare(b.lastUsed()), cmp.Compare(a.ID, b.ID))
	})
	return list
}

func (c *Client) lastUsed() (t time.Time) {
	if c.Used != nil {
		t = *c.Used
	}
	return t
}

// forgotten reports whether an idle client has expired.
func (c *Client) forgotten(now time.Time) bool {
	if c.Used == nil {
		return now.After(c.Created.Add(unusedLife))
	}
	return now.After(c.Used.Add(usedLife))
}

// Client returns a client, which must not be changed. Error: ErrNoClient.
func (s *Store) Client(id string) (*Client, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if c := s.state.clients.Get(id); c != nil {
		return c, nil
	}
	return nil, ErrNoClient
}
