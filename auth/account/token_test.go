package account

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"relais/community/audit"
)

func TestTokens(t *testing.T) {
	w := newWorld(t)
	p, c := w.person("alice"), w.program()
	tokens := w.tokens(p, c)
	for range 2 {
		who, scopes, err := w.Verify(tokens.Access, resource, w.clock())
		if err != nil || who != p || JoinScopes(scopes) != "mcp:read mcp:write" {
			t.Errorf("got %+v, %v, %v, want %+v with mcp:read mcp:write", who, scopes, err, p)
		}
		w.reopen()
	}
	for _, tt := range []struct {
		name            string
		token, resource string
		at              time.Duration
		want            error
	}{
		{"the last moment", tokens.Access, resource, AccessLife - time.Nanosecond, nil},
		{"expired", tokens.Access, resource, AccessLife, ErrGrant},
		{"another resource", tokens.Access, "https://other.example/mcp", 0, ErrTarget},
		{"a resource below", tokens.Access, resource + "/", 0, ErrTarget},
		{"no resource", tokens.Access, "", 0, ErrTarget},
		{"a refresh token", tokens.Refresh, resource, 0, ErrGrant},
		{"cut", tokens.Access[:45], resource, 0, ErrGrant},
		{"another letter", tokens.Access[:45] + "!", resource, 0, ErrGrant},
		{"nothing", "", resource, 0, ErrGrant},
		{"a megabyte of it", strings.Repeat("a", 1<<20), resource, 0, ErrGrant},
		{"a hash in its place", "ra_" + strings.Repeat("A", 43), resource, 0, ErrGrant},
		{"a key of an API user", "rk_0123456789ab_" + strings.Repeat("A", 43), resource, 0, ErrGrant},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := w.Verify(tt.token, tt.resource, w.clock().Add(tt.at))
			w.want(tt.name, err, tt.want)
		})
	}
	if a, err := w.Find("alice"); err != nil || a.Programs != 1 {
		t.Errorf("got %+v, %v, want no error and Programs = 1", a, err)
	}
	if used, err := w.Client(c.ID); err != nil || used.Used == nil || c.Used != nil {
		t.Errorf("got %+v, %v, want it used now, and not before", used, err)
	}
}

// Whose a code or a token is, is said as long as it is good.
func TestHolder(t *testing.T) {
	w := newWorld(t)
	p, c := w.person("alice"), w.program()
	holds := func(what, text string, person string) {
		t.Helper()
		if got := w.Holder(text); got != person {
			t.Errorf("%s: %q, want %q", what, got, person)
		}
	}
	code := w.code(p, c)
	holds("a code", code, p.ID)
	w.pass(codeLife)
	holds("a code that ended", code, "")
	code = w.code(p, c)
	first, err := w.Redeem(Redemption{code, c.ID, callback, verifier, resource})
	w.want("the code", err, nil)
	holds("a used code", code, "")
	holds("an access token", first.Access, p.ID)
	holds("a refresh token", first.Refresh, p.ID)
	second, err := w.Refresh(first.Refresh, c.ID, resource, nil)
	w.want("refresh", err, nil)
	holds("a refresh token that was used just now", first.Refresh, p.ID)
	holds("the next one", second.Refresh, p.ID)
	w.pass(30 * time.Second)
	holds("a used refresh token", first.Refresh, "")
	for _, text := range []string{"", "x", second.Refresh[:familyLength], second.Refresh + "x"} {
		holds("no token", text, "")
	}
	w.pass(AccessLife - 30*time.Second)
	holds("an access token that ended", second.Access, "")
	holds("its refresh token", second.Refresh, p.ID)
	w.pass(refreshLife - AccessLife)
	holds("a refresh token that ended", second.Refresh, "")
}

// A code is good once, for a minute, and with all that it was made with.
func TestRedeem(t *testing.T) {
	w := newWorld(t)
	p, c, other := w.person("alice"), w.program(), w.program()
	good := Redemption{w.code(p, c), c.ID, callback, verifier, resource}
	for _, tt := range []struct {
		name   string
		change func(*Redemption)
		want   error
	}{
		{"another code", func(r *Redemption) { r.Code = "rc_" + strings.Repeat("A", 43) }, ErrGrant},
		{"no code", func(r *Redemption) { r.Code = "" }, ErrGrant},
		{"another client", func(r *Redemption) { r.Client = other.ID }, ErrGrant},
		{"another redirect", func(r *Redemption) { r.Redirect = "http://127.0.0.1/cb" }, ErrGrant},
		{"no redirect", func(r *Redemption) { r.Redirect = "" }, ErrGrant},
		{"another verifier", func(r *Redemption) { r.Verifier = strings.Repeat("a", 43) }, ErrGrant},
		{"the challenge", func(r *Redemption) { r.Verifier = challenge }, ErrGrant},
		{"no verifier", func(r *Redemption) { r.Verifier = "" }, ErrGrant},
		{"a short verifier", func(r *Redemption) { r.Verifier = verifier[:42] }, ErrGrant},
		{"a foreign target", func(r *Redemption) { r.Resource = "https://other.example/mcp" }, ErrTarget},
		{"a verifier beyond", func(r *Redemption) { r.Verifier = strings.Repeat("a", 129) }, ErrGrant},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := good
			tt.change(&r)
			_, err := w.Redeem(r)
			w.want(tt.name, err, tt.want)
		})
	}
	w.pass(codeLife - time.Nanosecond)
	w.reopen() // a code outlives a restart
	tokens, err := w.Redeem(good)
	must(t, err)
	next, err := w.Refresh(tokens.Refresh, c.ID, resource, nil)
	must(t, err)
	w.pass(time.Hour / 2)
	w.reopen()
	_, err = w.Redeem(good)
	w.want("twice", err, errReused)
	if w.valid(tokens.Access) || w.valid(next.Access) {
		t.Error("tokens of a code that came twice are good")
	}
	_, err = w.Refresh(next.Refresh, c.ID, "", nil)
	w.want("refresh after that", err, ErrGrant)
	w.reopen()
	_, err = w.Redeem(good)
	w.want("three times", err, ErrGrant)
	late := Redemption{w.code(p, c), c.ID, callback, verifier, ""}
	w.pass(codeLife)
	_, err = w.Redeem(late)
	w.want("late", err, ErrGrant)
}

func TestRefresh(t *testing.T) {
	w := newWorld(t)
	p, c, other := w.person("alice"), w.program(), w.program()
	first := w.tokens(p, c)
	for _, tt := range []struct {
		name                           string
		token, client, resource, scope string
		want                           error
	}{
		{"another client", first.Refresh, other.ID, "", "", ErrGrant},
		{"another resource", first.Refresh, c.ID, "https://other.example/mcp", "", ErrTarget},
		{"an access token", first.Access, c.ID, "", "", ErrGrant},
		{"another first", "rr_" + strings.Repeat("A", 43) + first.Refresh[46:], c.ID, "", "", ErrGrant},
		{"cut", first.Refresh[:88], c.ID, "", "", ErrGrant},
		{"nothing", "", c.ID, "", "", ErrGrant},
		{"longer than it is", first.Refresh + "A", c.ID, "", "", ErrGrant},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := w.Refresh(tt.token, tt.client, tt.resource, nil)
			w.want(tt.name, err, tt.want)
		})
	}
	second, err := w.Refresh(first.Refresh, c.ID, resource, []Scope{Read})
	if err != nil || !w.valid(first.Access) || !w.valid(second.Access) {
		t.Fatalf("got %v, want two good access tokens", err)
	}
	if _, scopes, err := w.Verify(second.Access, resource, w.clock()); err != nil || JoinScopes(scopes) != "mcp:read" {
		t.Errorf("narrowed: got %v, %v, want mcp:read", scopes, err)
	}
	third, err := w.Refresh(second.Refresh, c.ID, "", nil)
	if err != nil || JoinScopes(third.Scopes) != "mcp:read mcp:write" {
		t.Fatalf("got %+v, %v, want mcp:read mcp:write", third, err)
	}
	w.reopen()
	w.pass(refreshLife - time.Nanosecond)
	fourth, err := w.Refresh(third.Refresh, c.ID, "", nil)
	if err != nil {
		t.Fatalf("after a month: %v", err)
	}
	w.reopen()
	_, err = w.Refresh(second.Refresh, c.ID, "", nil)
	w.want("a used one", err, errReused)
	for i, access := range []string{first.Access, second.Access, third.Access, fourth.Access} {
		if w.valid(access) {
			t.Errorf("access token %d is good", i)
		}
	}
	_, err = w.Refresh(fourth.Refresh, c.ID, "", nil)
	w.want("the last one", err, ErrGrant)
	old := w.tokens(p, c)
	w.pass(refreshLife)
	_, err = w.Refresh(old.Refresh, c.ID, "", nil)
	w.want("too late", err, ErrGrant)
	narrow, err := w.Authorize(w.signedIn(p), Authorization{c.ID, callback, challenge, resource, []Scope{Read}})
	must(t, err)
	tokens, err := w.Redeem(Redemption{narrow, c.ID, callback, verifier, ""})
	must(t, err)
	_, err = w.Refresh(tokens.Refresh, c.ID, "", []Scope{Read, Write})
	w.want("more than was granted", err, ErrScope)
}

func TestRevoke(t *testing.T) {
	w := newWorld(t)
	p, c, other := w.person("alice"), w.program(), w.program()
	tokens := w.tokens(p, c)
	next, err := w.Refresh(tokens.Refresh, c.ID, "", nil)
	must(t, err)
	w.want("another client's", w.Revoke(next.Access, other.ID), ErrGrant)
	w.want("another client's refresh", w.Revoke(next.Refresh, other.ID), ErrGrant)
	w.want("an access token", w.Revoke(tokens.Access, c.ID), nil)
	w.reopen()
	if w.valid(tokens.Access) || !w.valid(next.Access) {
		t.Error("not the access token alone")
	}
	w.want("again", w.Revoke(tokens.Access, c.ID), nil)
	w.want("nonsense", w.Revoke("nonsense", c.ID), nil)
	w.want("a refresh token", w.Revoke(next.Refresh, c.ID), nil)
	w.reopen()
	if w.valid(next.Access) {
		t.Error("its access token is good")
	}
	for _, tt := range []struct {
		name string
		f    func() error
	}{
		{"disable", func() error {
			_, err := w.Disable(p.ID, true, audit.Decision{})
			_, undone := w.Disable(p.ID, false, audit.Decision{})
			return errors.Join(err, undone)
		}},
		{"passwd", func() error { _, err := w.SetPassword(t.Context(), p.ID, good); return err }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tokens := w.tokens(p, c)
			w.want(tt.name, tt.f(), nil)
			_, err := w.Refresh(tokens.Refresh, c.ID, "", nil)
			w.want("refresh after "+tt.name, err, ErrGrant)
			if w.valid(tokens.Access) {
				t.Errorf("%s leaves a token", tt.name)
			}
		})
	}
}

// A code that comes many times at once is good once, and then nothing that came of it is. A refresh
// token gives each the same next one, and another access token.
func TestAtOnce(t *testing.T) {
	w := newWorld(t)
	p, c := w.person("alice"), w.program()
	r := Redemption{w.code(p, c), c.ID, callback, verifier, ""}
	refresh := w.tokens(p, c).Refresh
	for _, tt := range []struct {
		name string
		use  func() (*Tokens, error)
		good int
	}{
		{"code", func() (*Tokens, error) { return w.Redeem(r) }, 1},
		{"refresh", func() (*Tokens, error) { return w.Refresh(refresh, c.ID, "", nil) }, 5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var wg sync.WaitGroup
			var mu sync.Mutex
			var got []*Tokens
			stop := make(chan struct{})
			for range 2 { // readers meanwhile
				wg.Go(func() {
					for {
						select {
						case <-stop:
							return
						default:
							w.Verify("ra_"+strings.Repeat("A", 43), resource, time.Now())
							w.List()
						}
					}
				})
			}
			var users sync.WaitGroup
			for range 5 {
				users.Go(func() {
					if t, err := tt.use(); err == nil {
						mu.Lock()
						got = append(got, t)
						mu.Unlock()
					}
				})
			}
			users.Wait()
			close(stop)
			wg.Wait()
			if len(got) != tt.good {
				t.Fatalf("%d were good, want %d", len(got), tt.good)
			}
			access := map[string]bool{}
			for _, g := range got {
				access[g.Access] = true
				if g.Refresh != got[0].Refresh || w.valid(g.Access) != (tt.good > 1) {
					t.Errorf("got %s, and the access token is good: %t; want %s, %t", g.Refresh, w.valid(g.Access),
						got[0].Refresh, tt.good > 1)
				}
			}
			if len(access) != tt.good {
				t.Errorf("%d access tokens, want %d", len(access), tt.good)
			}
		})
	}
}
