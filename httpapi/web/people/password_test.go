package people

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"relais/auth/account"
	"relais/community/audit"
)

func TestPassword(t *testing.T) {
	w := newWorld(t)
	w.person("alice")
	token, elsewhere := w.signIn("alice"), w.signIn("alice")
	form := w.formOf(token)
	const next = "another good one"
	for _, tt := range []struct{ name, current, next, again, text string }{
		{"wrong", "wrong", next, next, "current password is wrong"},
		{"short", good, "short", "short", "too short"},
		{"differs", good, next, next + "!", "differ"},
		{"empty", "", "", "", "too short"},
	} {
		got := w.ask(ask{path: "/account/password", token: token, form: url.Values{"form": {form}, "password": {tt.current},
			"new": {tt.next}, "again": {tt.again}}})
		if got.Code < 400 || !strings.Contains(got.Body.String(), tt.text) || strings.Contains(got.Body.String(), next) {
			t.Errorf("%s: %d %s, want %q", tt.name, got.Code, got.Body, tt.text)
		}
	}
	if w.ask(ask{path: "/account", token: elsewhere}).Code != http.StatusOK {
		t.Error("a refused change ended a session")
	}
	got := w.ask(ask{path: "/account/password", token: token, form: url.Values{"form": {form}, "password": {good},
		"new": {next}, "again": {next}}})
	fresh := kept(got)
	if got.Header().Get("Location") != "/account?done=password" || fresh == "" || fresh == token {
		t.Fatalf("got %d %v, want 303 and a new cookie", got.Code, got.Header())
	}
	for name, tt := range map[string]struct {
		token string
		want  int
	}{"here": {fresh, 200}, "here before": {token, 303}, "elsewhere": {elsewhere, 303}} {
		if got := w.ask(ask{path: "/account", token: tt.token}); got.Code != tt.want {
			t.Errorf("%s: %d, want %d", name, got.Code, tt.want)
		}
	}
}

func TestDelete(t *testing.T) {
	w := newWorld(t)
	alice := w.person("alice")
	for role, want := range map[account.Role]bool{account.Member: false, account.Moderator: true, account.Admin: true} {
		if _, err := w.Accounts.SetRole(alice.ID, role, audit.Decision{}); err != nil {
			t.Fatal(err)
		}
		page := w.ask(ask{path: "/account/delete", token: w.signIn("alice")}).Body.String()
		if strings.Contains(page, "stay in the log for a year") != want {
			t.Errorf("the page says that decisions of the role %s stay: want %v in %s", role, want, page)
		}
	}
	token := w.signIn("alice")
	form := w.formOf(token)
	send := func(password string) int {
		fields := url.Values{"form": {form}, "password": {password}}
		return w.ask(ask{path: "/account/delete", token: token, form: fields}).Code
	}
	if code := send("wrong"); code != http.StatusForbidden || len(w.deleted) != 0 {
		t.Errorf("a wrong password: %d, deleted %v; want 403 and nobody", code, w.deleted)
	}
	if code := send(good); code != http.StatusSeeOther || !slices.Equal(w.deleted, []string{alice.ID}) {
		t.Errorf("got %d, deleted %v; want 303 and %s", code, w.deleted, alice.ID)
	}
	if code := send(good); code != http.StatusForbidden || len(w.deleted) != 1 { // a replay
		t.Errorf("once more: %d, deleted %v; want 403 and nobody more", code, w.deleted)
	}
}
