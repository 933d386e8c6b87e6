package account

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
)

// A Client is a program that people may let act for them: an OAuth client without a
// secret. What it says of itself is nobody's word but its own.
type Client struct {
	ID           string    `json:"id"`
	Name         string    `json:"name"`
	RedirectURIs []string  `json:"redirectUris"`
	Created      time.Time `json:"created"`
	// Used is when somebody let it in last, nil before anybody did.
	Used *time.Time `json:"used,omitempty"`
}

// Bounds of clients. One that nobody let in is forgotten after a day, one that somebody
// did 90 days after, when nobody lets it in any more. Of those that nobody lets in, 1000
// are kept.
const (
	maxClientName = 100 // characters
	maxRedirects  = 10
	maxIdle       = 1000
	unusedLife    = 24 * time.Hour
	usedLife      = 90 * 24 * time.Hour
)

func (c *Client) check(id string) error {
	unprintable := func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }
	switch {
	case c.ID != id:
		return fmt.Errorf("program %.50q: it is stored as that of %.50q", id, c.ID)
	case strings.TrimSpace(c.Name) == "" || utf8.RuneCountInString(c.Name) > maxClientName || strings.ContainsFunc(c.Name, unprintable):
		return fmt.Errorf("%w of 1 to %d printable characters", ErrMetadata, maxClientName)
	case len(c.RedirectURIs) < 1 || len(c.RedirectURIs) > maxRedirects:
		return fmt.Errorf("%w: %d of them, of 1 to %d", ErrRedirect, len(c.RedirectURIs), maxRedirects)
	}
	for _, uri := range c.RedirectURIs {
		if err := CheckRedirect(uri); err != nil {
			return err
		}
	}
	return nil
}

// Register makes a client. The oldest of those that nobody lets in goes when there are
// too many. Errors: ErrMetadata, ErrRedirect, ErrReadOnly.
func (s *Store) Register(name string, redirects []string) (*Client, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return nil, err
	}
	client := &Client{ID: id.String(), Name: name, RedirectURIs: slices.Clone(redirects), Created: s.second()}
	if err := client.check(client.ID); err != nil {
		return nil, err
	}
	err = s.change(func(c *change) error {
		idle := c.idle()
		for _, old := range idle[:max(0, len(idle)+1-maxIdle)] {
			c.dropClient(old.ID)
		}
		c.putClient(client)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return client, nil
}

// idle are the clients that nobody lets in now, those first that are missed least: the
// never used ones, and the oldest of them.
func (st *state) idle() []*Client {
	in := map[string]bool{}
	for _, g := range st.grants {
		in[g.Client] = true
	}
	var list []*Client
	for id, c := range st.clients {
		if !in[id] {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b *Client) int { return cmp.Or(a.lastUsed().Compare(b.lastUsed()), cmp.Compare(a.ID, b.ID)) })
	return list
}

func (c *Client) lastUsed() (t time.Time) {
	if c.Used != nil {
		t = *c.Used
	}
	return t
}

// forgotten tells whether a client that nobody lets in has had its time.
func (c *Client) forgotten(now time.Time) bool {
	if c.Used == nil {
		return now.After(c.Created.Add(unusedLife))
	}
	return now.After(c.Used.Add(usedLife))
}

// Client returns a client, never to be changed. Error: ErrNoClient.
func (s *Store) Client(id string) (*Client, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if c := s.state.clients[id]; c != nil {
		return c, nil
	}
	return nil, ErrNoClient
}
