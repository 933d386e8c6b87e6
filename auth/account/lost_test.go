package account

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"relais/community/audit"
	"relais/internal/store"
	"relais/internal/store/storetest"
)

var damagedAccounts = []struct{ name, text string }{
	{"memory of a password",
		`{"id":"ID","name":"alice","created":"2026-11-03T12:00:00Z","password":{"time":3,"memory":4294967295,"threads":1,` +
			`"salt":"AAAAAAAAAAAAAAAAAAAAAA==","argon2id":"AAAAAAAAAAAAAAAAAAAAAA=="}}`},
	{"neither", `{"id":"ID","name":"alice","created":"2026-11-03T12:00:00Z"}`},
	{"another id", `{"id":"x","name":"alice"}`},
	{"no JSON", `{`},
}

// An account whose record is damaged is refused, with a word about why, and nobody else. No
// other is made, which might be the same one, until it is deleted.
func TestLostAccount(t *testing.T) {
	w := newWorld(t)
	alice, bob, c := w.person("alice"), w.person("bob"), w.program()
	acts, err := w.OfClient("c", "An API client")
	must(t, err)
	lost, theirs := w.tokens(alice, c), w.tokens(bob, c)
	for _, tt := range damagedAccounts {
		t.Run(tt.name, func(t *testing.T) {
			storetest.Set(t, w.db, accountsBucket, alice.ID, []byte(strings.ReplaceAll(tt.text, "ID", alice.ID)))
			w.reopen()
			if p := w.Problems(); len(p) != 1 || !strings.Contains(p[0].Error(), alice.ID) || !w.Incomplete() {
				t.Errorf("%s: got problems %v, want one of %s, and Incomplete", tt.name, p, alice.ID)
			}
			if n, _, err := Check(w.db); n != 2 || err == nil || !strings.Contains(err.Error(), alice.ID) {
				t.Errorf("%s: the check finds %d accounts, %v, want 2, an error and %q in it", tt.name, n, err,
					alice.ID)
			}
			if _, _, err := w.Verify(lost.Access, resource, w.clock()); !errors.Is(err, ErrLost) {
				t.Errorf("%s: a token of the account: %v, want ErrLost", tt.name, err)
			}
			if p, err := w.OfClient("c", "An API client"); err != nil || p != acts || !w.valid(theirs.Access) {
				t.Errorf("%s: the others: got %+v, %v, want %+v and a good token", tt.name, p, err, acts)
			}
		})
	}
	if err := w.login("bob", good); err != nil {
		t.Errorf("another signs in: %v", err)
	}
	if _, err := w.Disable(alice.ID, true, audit.Decision{}); !errors.Is(err, ErrLost) {
		t.Errorf("disabled: %v, want ErrLost", err)
	}
	_, created := w.Create(t.Context(), "alice", good)
	_, acting := w.OfClient("d", "Another API client")
	if !errors.Is(created, ErrLost) || !errors.Is(acting, ErrLost) {
		t.Errorf("new accounts: %v, %v, want ErrLost and ErrLost", created, acting)
	}
	list := w.List()
	if found, err := w.Find(alice.ID); err != nil || !found.Lost || len(list) != 3 || !list[0].Lost ||
		list[0].ID != alice.ID {
		t.Errorf("got %+v, %v, %+v, want her lost, the first of 3", found, err, list)
	}
	must(t, w.Delete(alice.ID))
	for range 2 { // and after a restart
		if _, _, err := Check(w.db); err != nil || len(w.Problems()) != 0 || w.valid(lost.Access) ||
			!w.valid(theirs.Access) {
			t.Errorf("after it was deleted: got %v, %v, want no problem, and the other's token good", err,
				w.Problems())
		}
		w.reopen()
	}
	w.person("alice")
}

// A leave or a program whose record is damaged is over, and the others are not.
func TestLostGrant(t *testing.T) {
	w := newWorld(t)
	alice, bob, c := w.person("alice"), w.person("bob"), w.program()
	lost, theirs := w.tokens(alice, c), w.tokens(bob, c)
	var id string
	var whole *grant
	put := func(g *grant) error {
		return w.db.Update(func(tx *store.Tx) error { return w.state.grants.Put(tx, id, g) })
	}
	for key, g := range w.state.grants.All() {
		if g.Person == alice.ID {
			id, whole = key, g
		}
	}
	for _, tt := range []struct {
		name   string
		breaks func(g *grant)
	}{
		{"sum", func(g *grant) { g.Code = g.Code[:31] }},
		{"family", func(g *grant) { g.Family = []byte{1} }},
		{"access", func(g *grant) { g.Access[0].Sum = nil }},
		{"person", func(g *grant) { g.Person = "x" }},
		{"client", func(g *grant) { g.Client = "x" }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text, _ := json.Marshal(whole)
			broken := new(grant)
			must(t, json.Unmarshal(text, broken))
			tt.breaks(broken)
			must(t, put(broken))
			w.reopen()
			if p := w.Problems(); len(p) != 1 || !strings.Contains(p[0].Error(), "grant") {
				t.Errorf("%s: problems %v, want len(p) = 1 and grant in Error", tt.name, p)
			}
			if _, _, err := Check(w.db); err == nil {
				t.Errorf("%s: the check finds nothing", tt.name)
			}
			if w.valid(lost.Access) || !w.valid(theirs.Access) || w.Incomplete() {
				t.Errorf("%s: valid %v, the other's %v; want the other's alone, and all complete", tt.name,
					w.valid(lost.Access), w.valid(theirs.Access))
			}
		})
	}
	must(t, errors.Join(put(whole),
		w.db.Update(func(tx *store.Tx) error { return w.state.clients.Put(tx, c.ID, "no program") })))
	w.reopen()
	if p := w.Problems(); len(p) != 3 || w.valid(theirs.Access) { // the program and its two leaves
		t.Errorf("without the program: got problems %v, want 3, and its token refused", p)
	}
	if err := w.login("alice", good); err != nil {
		t.Error(err)
	}
	w.tokens(bob, w.program())
}
