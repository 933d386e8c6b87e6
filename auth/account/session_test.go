package account

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"relais/community/audit"
	"relais/internal/store"
	"relais/internal/store/storetest"
	"relais/internal/tier"
)

// session starts a session of a person who has just signed in.
func (w *world) session(p Person) string {
	w.Helper()
	token, err := w.StartSession(w.signedIn(p), "")
	must(w, err)
	return token
}

// in reports whether a session is valid.
func (w *world) in(token string) bool {
	_, err := w.Session(context.Background(), token)
	if err != nil && !errors.Is(err, ErrGrant) {
		w.Errorf("a session: %v, want none or %v", err, ErrGrant)
	}
	return err == nil
}

func TestSession(t *testing.T) {
	w := newWorld(t)
	p := w.person("alice")
	token := w.session(p)
	for range 2 { // and after a restart
		got, err := w.Session(t.Context(), token)
		want := Session{p, Member, w.clock().Add(SessionLife)}
		if err != nil || got != want {
			t.Errorf("got %+v, %v; want %+v", got, err, want)
		}
		w.reopen()
	}
	sum := sha256.Sum256([]byte(token))
	if file := w.file(); bytes.Contains(file, []byte(token)) || !bytes.Contains(file, []byte(hex.EncodeToString(sum[:]))) {
		t.Error("the file has the token, or not its SHA-256")
	}
	for _, other := range []string{"", "x", token[:42], token + "A", strings.Repeat("A", 43), strings.Repeat("A", 1<<20)} {
		if w.in(other) {
			t.Errorf("%.50q is a session, want none", other)
		}
	}
	w.pass(SessionLife - time.Second)
	if !w.in(token) {
		t.Error("a second before its end, the session is over")
	}
	w.pass(time.Second)
	if w.in(token) {
		t.Error("the session is valid after its end")
	}
	must(t, w.Sweep())
	if _, _, err := w.db.Compact(); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(w.file(), []byte(hex.EncodeToString(sum[:]))) {
		t.Error("the file has a session that has ended")
	}
}

// What changes an account ends its sessions, and nobody else's. Another role leaves programs let in.
func TestEndOfSessions(t *testing.T) {
	tier.Slow(t)
	for _, tt := range []struct {
		name     string
		change   func(w *world, p Person) error
		programs bool // go on
	}{
		{"password", func(w *world, p Person) error { _, err := w.SetPassword(t.Context(), p.ID, good); return err }, false},
		{"own password", func(w *world, p Person) error {
			_, err := w.ChangePassword(t.Context(), w.signedIn(p), "another good one", home)
			return err
		}, false},
		{"disable", func(w *world, p Person) error { _, err := w.Disable(p.ID, true, audit.Decision{}); return err }, false},
		{"role", func(w *world, p Person) error { _, err := w.SetRole(p.ID, Moderator, audit.Decision{}); return err }, true},
		{"delete", func(w *world, p Person) error { return w.Delete(p.ID) }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			alice, bob, c := w.person("alice"), w.person("bob"), w.program()
			token, again, theirs := w.session(alice), w.session(alice), w.session(bob)
			let := w.tokens(alice, c)
			was := w.signedIn(alice)
			must(t, tt.change(w, alice))
			if w.in(token) || w.in(again) || !w.in(theirs) {
				t.Errorf("sessions: %t and %t, the other's %t; want only the other's", w.in(token), w.in(again), w.in(theirs))
			}
			if got := w.valid(let.Access); got != tt.programs {
				t.Errorf("its program's token is valid: %t, want %t", got, tt.programs)
			}
			if _, err := w.StartSession(was, ""); err == nil {
				t.Error("who signed in before the change got a session")
			}
			if _, _, err := Check(w.db); err != nil {
				t.Errorf("check: %v, want no error", err)
			}
		})
	}
}

func TestEndSession(t *testing.T) {
	w := newWorld(t)
	p := w.person("alice")
	token, other := w.session(p), w.session(p)
	var ends sync.WaitGroup
	for range 8 {
		ends.Go(func() {
			if err := w.EndSession(token); err != nil {
				t.Errorf("signing out: %v, want no error", err)
			}
		})
	}
	ends.Wait()
	if w.in(token) || !w.in(other) {
		t.Errorf("got %t and %t, want the other alone", w.in(token), w.in(other))
	}
	next, err := w.StartSession(w.signedIn(p), other) // in the same browser
	if err != nil || w.in(other) || !w.in(next) {
		t.Errorf("after another sign-in in the browser: %v, former %t, new %t; want the new alone", err, w.in(other),
			w.in(next))
	}
}

// A person has so many sessions at most: the oldest one goes.
func TestMaxSessions(t *testing.T) {
	w := newWorld(t)
	p, bob := w.person("alice"), w.person("bob")
	theirs, tokens := w.session(bob), []string{}
	for range maxSessions + 2 {
		w.pass(time.Second)
		tokens = append(tokens, w.session(p))
	}
	for i, token := range tokens {
		if want := i >= 2; w.in(token) != want {
			t.Errorf("session %d of %d: valid %t, want %t", i, len(tokens), !want, want)
		}
	}
	if n := len(w.state.sessions.All()); n != maxSessions+1 || !w.in(theirs) {
		t.Errorf("%d sessions, want %d", n, maxSessions+1)
	}
}

func TestRoles(t *testing.T) {
	for _, tt := range []struct {
		has, needed Role
		want        bool
	}{{Member, Member, true}, {Member, Moderator, false}, {Moderator, Member, true}, {Moderator, Admin, false},
		{Admin, Moderator, true}, {"", Member, false}, {"root", Member, false}, {Admin, "root", false},
		{"root", "root", false}} {
		if got := tt.has.May(tt.needed); got != tt.want {
			t.Errorf("%q may do what needs %q: %t, want %t", tt.has, tt.needed, got, tt.want)
		}
	}
	w := newWorld(t)
	p := w.person("alice")
	token := w.session(p)
	if a, err := w.SetRole(p.ID, Member, audit.Decision{}); err != nil || a.Role != Member || !w.in(token) {
		t.Errorf("the same role: %+v, %v, session %t; want member and the session", a, err, w.in(token))
	}
	_, err := w.SetRole(p.ID, "root", audit.Decision{})
	if err == nil || !w.in(token) {
		t.Errorf("an unknown role: %v, session %t; want an error and the session", err, w.in(token))
	}
	if a, err := w.SetRole(p.ID, Admin, audit.Decision{}); err != nil || a.Role != Admin {
		t.Errorf("got %+v, %v; want an admin", a, err)
	}
	w.reopen()
	if a, err := w.Find("alice"); err != nil || a.Role != Admin {
		t.Errorf("after a restart: %+v, %v; want an admin", a, err)
	}
	_, err = w.SetRole("nobody", Admin, audit.Decision{})
	w.want("nobody's role", err, ErrNoAccount)
	acts, err := w.OfClient("c", "An API client")
	must(t, err)
	if _, err := w.SetRole(acts.ID, Admin, audit.Decision{}); !errors.Is(err, errNoLogin) {
		t.Errorf("the role of an API client: %v, want %v", err, errNoLogin)
	}
	if a, err := w.Find(acts.ID); err != nil || a.Role != "" {
		t.Errorf("an API client: %+v, %v; want no role", a, err)
	}
}

// An account of before there were roles is a member's. One with an unknown role is damaged.
func TestRoleOfRecord(t *testing.T) {
	w := newWorld(t)
	p := w.person("alice")
	text, err := json.Marshal(w.state.accounts.Get(p.ID))
	if err != nil || bytes.Contains(text, []byte("role")) {
		t.Fatalf("the record of a member: %s, %v; want it as it was before there were roles", text, err)
	}
	if a, err := w.Find(p.ID); err != nil || a.Role != Member {
		t.Errorf("got %+v, %v; want a member", a, err)
	}
	text = append(bytes.TrimSuffix(text, []byte("}")), `,"role":"root"}`...)
	storetest.Set(t, w.db, accountsBucket, p.ID, text)
	w.reopen()
	if _, _, err := Check(w.db); err == nil || !strings.Contains(err.Error(), `"root"`) {
		t.Errorf("check of an unknown role: %v, want an error that names it", err)
	}
}

// A damaged session is over, and the check names it.
func TestLostSession(t *testing.T) {
	w := newWorld(t)
	p := w.person("alice")
	token := w.session(p)
	for _, tt := range []struct{ name, key, text string }{
		{"no JSON", sessionKey(token), `{`},
		{"no account", sessionKey(token), `{"person":"x","ends":"2030-01-01T00:00:00Z"}`},
		{"odd key", "x", `{"person":"` + p.ID + `","ends":"2030-01-01T00:00:00Z"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			storetest.Set(t, w.db, sessionsBucket, tt.key, []byte(tt.text))
			w.reopen()
			if _, _, err := Check(w.db); err == nil || !strings.Contains(err.Error(), "session") {
				t.Errorf("check: %v, want an error about a session", err)
			}
			if w.in(token) || len(w.Problems()) == 0 {
				t.Errorf("valid %t, problems %v; want none and one", w.in(token), w.Problems())
			}
		})
	}
}

func TestPrograms(t *testing.T) {
	w := newWorld(t)
	alice, bob, c, other := w.person("alice"), w.person("bob"), w.program(), w.program()
	since := w.clock()
	first := w.tokens(alice, c)
	w.pass(time.Hour)
	second, theirs, others := w.tokens(alice, c), w.tokens(bob, c), w.tokens(alice, other)
	w.code(alice, other) // not redeemed
	list := w.Programs(alice.ID)
	if len(list) != 2 || !list[0].Used.Equal(w.clock()) {
		t.Fatalf("got %+v, want two programs, used now", list)
	}
	for _, p := range list {
		want := since
		if p.Client == other.ID {
			want = w.clock()
		}
		if !p.Since.Equal(want) || len(p.Scopes) != 2 || p.Name != "An app" {
			t.Errorf("got %+v, want An app with two scopes since %s", p, want)
		}
	}
	must(t, w.RevokeProgram(alice.ID, c.ID))
	must(t, w.RevokeProgram(alice.ID, c.ID))
	if w.valid(first.Access) || w.valid(second.Access) || !w.valid(theirs.Access) || !w.valid(others.Access) {
		t.Error("not only what alice let the program do has ended")
	}
	if list := w.Programs(alice.ID); len(list) != 1 || list[0].Client != other.ID {
		t.Errorf("got %+v, want the other program", list)
	}
}

// A session that ends at one server has ended at the other.
func TestSessionsOfTwoServers(t *testing.T) {
	log, here, there := newServers(t)
	p := here.person("alice")
	token := here.session(p)
	if !there.in(token) {
		t.Error("the other server does not know the session")
	}
	for _, tt := range []struct {
		name   string
		change func() error
	}{
		{"sign-out", func() error { return here.EndSession(token) }},
		{"role", func() error { _, err := here.SetRole(p.ID, Moderator, audit.Decision{}); return err }},
		{"disable", func() error { _, err := here.Disable(p.ID, true, audit.Decision{}); return err }},
	} {
		must(t, here.Fresh(t.Context()))
		token = here.session(p)
		must(t, tt.change())
		if there.in(token) {
			t.Errorf("%s: the other server goes on with the session", tt.name)
		}
	}
	log.SetAway(true)
	_, err := there.Session(t.Context(), token)
	there.want("a session while the log is away", err, store.ErrAway)
}
