package account

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// The next token is what every version and node derives: the same as
//
//	hmac.new(bytes(range(32)), token.encode(), "sha256").digest()
//
// of Python, in base64url after the part that all tokens of a sign-in share.
func TestNextRefresh(t *testing.T) {
	w := newWorld(t)
	key := make([]byte, 32)
	for i := range key {
		key[i] = byte(i)
	}
	w.UseKey(key)
	first := "rr_" + strings.Repeat("A", 43)
	if got, want := w.nextRefresh(first+strings.Repeat("B", 43)), first+"0XsAOGVDLRKByPFNEDcJEU2MmTsa6z2d051EP487A-A"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A used refresh token gives the same next one for 30 seconds, also after a restart, until the next
// one is used. Then all that came of the sign-in ends.
func TestRefreshAgain(t *testing.T) {
	w := newWorld(t)
	key := bytes.Repeat([]byte{7}, 32)
	p := w.person("alice")
	for _, tt := range []struct {
		name      string
		meanwhile func(c *Client, next *Tokens)
		want      error
	}{
		{"at once", func(*Client, *Tokens) {}, nil},
		{"just in time", func(*Client, *Tokens) { w.pass(30*time.Second - 1) }, nil},
		{"too late", func(*Client, *Tokens) { w.pass(30 * time.Second) }, errReused},
		{"after a restart", func(*Client, *Tokens) { w.reopen(); w.UseKey(key) }, nil},
		{"after a restart with another key", func(*Client, *Tokens) { w.reopen() }, errReused},
		{"on a clock that is behind", func(*Client, *Tokens) { w.pass(-time.Minute) }, nil},
		{"after the next one was used", func(c *Client, next *Tokens) {
			_, err := w.Refresh(next.Refresh, c.ID, "", nil)
			must(t, err)
		}, errReused},
		{"after the next one was used twice", func(c *Client, next *Tokens) {
			for range 2 {
				_, err := w.Refresh(next.Refresh, c.ID, "", nil)
				must(t, err)
			}
		}, errReused},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w.UseKey(key)
			c := w.program()
			first := w.tokens(p, c)
			next, err := w.Refresh(first.Refresh, c.ID, "", nil)
			must(t, err)
			tt.meanwhile(c, next)
			again, err := w.Refresh(first.Refresh, c.ID, "", nil)
			w.want("again", err, tt.want)
			if err == nil && (again.Refresh != next.Refresh || again.Access == next.Access) {
				t.Errorf("got %+v, want the refresh token of %+v with another access token", again, next)
			}
			for i, access := range []string{first.Access, next.Access} {
				if got := w.valid(access); got != (tt.want == nil) {
					t.Errorf("access token %d is good: %t, want %t", i, got, tt.want == nil)
				}
			}
			_, err = w.Refresh(next.Refresh, c.ID, "", nil)
			if tt.want == nil {
				w.want("the next one", err, nil)
			} else {
				w.want("the next one", err, ErrGrant)
			}
		})
	}
}

// Using a token again does not make the time in which it can be used again longer, and its other
// bounds stay.
func TestRefreshAgainBounds(t *testing.T) {
	w := newWorld(t)
	p, c, other := w.person("alice"), w.program(), w.program()
	first := w.tokens(p, c).Refresh
	_, err := w.Refresh(first, c.ID, "", nil)
	must(t, err)
	_, err = w.Refresh(first, other.ID, "", nil)
	w.want("another client", err, ErrGrant)
	_, err = w.Refresh(first, c.ID, "https://other.example/mcp", nil)
	w.want("another resource", err, ErrTarget)
	for range 2 {
		w.pass(14 * time.Second)
		narrow, err := w.Refresh(first, c.ID, "", []Scope{Read})
		if err != nil || JoinScopes(narrow.Scopes) != "mcp:read" {
			t.Fatalf("narrowed: got %+v, %v, want mcp:read", narrow, err)
		}
	}
	w.pass(2 * time.Second)
	_, err = w.Refresh(first, c.ID, "", nil)
	w.want("after 30 seconds", err, errReused)
}
