package account

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"relais/internal/store"
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

// Records of earlier versions stay: of a program whose address would not be registered any more, and
// of a grant whose refresh tokens were random.
func TestRecordsOfEarlierVersions(t *testing.T) {
	w := newWorld(t)
	p := w.person("alice")
	const client, id = "01a1fd00-0000-7000-8000-000000000001", "01a1fd00-0000-7000-8000-000000000002"
	family := refreshStart + strings.Repeat("A", 43)
	former, last := family+strings.Repeat("B", 43), family+strings.Repeat("C", 43)
	sum := func(text string) []byte { s := sumOf(text); return s[:] }
	put := func(bucket, id string, record map[string]any) {
		must(t, w.db.Update(func(tx *store.Tx) error {
			text, err := json.Marshal(record)
			return errors.Join(err, tx.Bucket([]byte(bucket)).Put([]byte(id), text))
		}))
	}
	put(clientsBucket, client, map[string]any{"id": client, "name": "An app", "created": "2026-11-01T12:00:00Z",
		"redirectUris": []string{"com.example.app:cb", "iris.beep://cb"}})
	put(grantsBucket, id, map[string]any{"id": id, "person": p.ID, "client": client, "scopes": []string{"mcp:read"},
		"resource": resource, "redirect": "com.example.app:cb", "challenge": challenge, "created": "2026-11-01T12:00:00Z",
		"code": sum("rc_x"), "family": sum(family), "refresh": sum(last), "ends": "2026-12-03T11:59:59.5Z"})
	w.reopen()
	if problems := w.Problems(); len(problems) > 0 {
		t.Fatalf("problems: %v, want none", problems)
	}
	c, err := w.Client(client)
	must(t, err)
	if !c.Authenticates("") || c.Authenticates("x") || !c.Redirects("com.example.app:cb") {
		t.Errorf("got %+v, want a program without a secret and with its addresses", c)
	}
	next, err := w.Refresh(last, client, resource, nil)
	must(t, err)
	again, err := w.Refresh(last, client, resource, nil)
	if err != nil || again.Refresh != next.Refresh {
		t.Errorf("again: got %+v, %v, want %+v", again, err, next)
	}
	_, err = w.Refresh(former, client, resource, nil)
	w.want("the token before the last", err, errReused)
}
