//go:build linux

package e2e

import (
	"net/http"
	"strings"
	"testing"
)

// moderator makes an account with a role.
func moderator(t *testing.T, dir, name, role string) *person {
	t.Helper()
	p := newPerson(t, dir, name, "the password of "+name+" is long")
	if role != "member" {
		run(t, "user", "role", "--data", dir, name, role)
	}
	return p
}

// signsIn opens a browser without scripts in which a person is signed in, and at a page.
func signsIn(t *testing.T, s *server, w *person, page string) *signedIn {
	t.Helper()
	b := &signedIn{openTab(t), s.base}
	b.signIn(w, page, page)
	return b
}

// fillQueue sends two photos to a server that holds them. The first is approved, and reported by two people through one
// client; the second is held.
func fillQueue(t *testing.T, s *server, dir string) (first, second, report string) {
	t.Helper()
	key := photographer(t, dir).APIKey
	first = mustSendPhoto(t, s, key, picture(640, 480), map[string]string{"description": "A <i>mast</i>"}).Data.ID
	second = mustSendPhoto(t, s, key, picture(480, 640), nil).Data.ID
	run(t, "photo", "approve", "--data", dir, first)
	var reported answer
	for _, body := range []string{`{"reason":"quality"}`, `{"reason":"privacy","description":"My <b>face</b>."}`} {
		reported = call(t, http.DefaultClient, http.MethodPost, s.base+"/external/v1/photos/"+first+"/report",
			[]byte(body), "Content-Type", "application/json", "X-API-Key", key)
	}
	return first, second, reported.object()["data"].(object)["reportId"].(string)
}

// cookie is that of the session.
func (b *signedIn) cookie() string {
	b.t.Helper()
	for _, c := range b.cookies() {
		return c.Name + "=" + c.Value
	}
	b.t.Fatal("the browser keeps no cookie")
	return ""
}

// asksAs asks for a path with a cookie, and follows no redirect.
func asksAs(t *testing.T, s *server, path, cookie string) answer {
	t.Helper()
	direct := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return call(t, direct, http.MethodGet, s.base+path, nil, "Cookie", cookie)
}

// Moderators see the queue with its pictures, decide and take it back, all without scripts. Of two who
// decide about one report, the second is told who was first. Nobody else gets in, nor does who was a
// moderator when the page was opened.
func TestModerationInChromium(t *testing.T) {
	needChromium(t)
	c := makeCountry(t, 50)
	s := serve(t, c.dir, "--photos-hold")
	first, second, report := fillQueue(t, s, c.dir)
	public := func(id string) int {
		t.Helper()
		return call(t, http.DefaultClient, http.MethodGet, s.base+"/media/photos/"+id+"/main.webp", nil).status
	}
	alice, bob := moderator(t, c.dir, "alice", "moderator"), moderator(t, c.dir, "bob", "moderator")
	eve, root := moderator(t, c.dir, "eve", "member"), moderator(t, c.dir, "root", "admin")

	a, b := signsIn(t, s, alice, "/moderation"), signsIn(t, s, bob, "/moderation")
	a.has("main", "Privacy", "Reasons given before: Quality", "My &lt;b&gt;face&lt;/b&gt;.",
		"A &lt;i&gt;mast&lt;/i&gt;", "waits for approval",
		"/moderation/images/"+first+"/main.webp", "/moderation/images/"+second+"/main.webp")
	t.Run("pictures", func(t *testing.T) {
		path := "/moderation/images/" + second + "/main.webp"
		if got := public(second); got != http.StatusNotFound {
			t.Errorf("a photo that is held, for everybody: %d, want 404", got)
		}
		got := asksAs(t, s, path, a.cookie())
		if got.status != http.StatusOK || got.header.Get("Content-Type") != "image/webp" ||
			got.header.Get("Cache-Control") != "no-store" {
			t.Errorf("for a moderator: %d, %v; want 200, image/webp, no-store", got.status, got.header)
		}
		if got := asksAs(t, s, path, ""); got.status != http.StatusSeeOther {
			t.Errorf("for nobody: %d, want a way to the sign-in", got.status)
		}
	})
	t.Run("decide and undo", func(t *testing.T) {
		a.press(`button[value="report.accept"]`)
		a.at("/moderation?about=" + report)
		a.has(".decided", "alice accepted this report")
		if got := public(first); got != http.StatusNotFound {
			t.Errorf("the photo of an accepted report: %d, want 404", got)
		}
		a.press(".decided button")
		a.has(".decided", "alice reopened this report")
		if got := public(first); got != http.StatusOK {
			t.Errorf("after it is undone: %d, want 200", got)
		}
		a.press(`button[value="photo.show"]`)
		a.has(".decided", "alice showed this photo")
		if got := public(second); got != http.StatusOK {
			t.Errorf("a photo that is approved: %d, want 200", got)
		}
	})
	t.Run("two decide", func(t *testing.T) {
		b.press(`button[value="report.dismiss"]`) // on the page of before
		b.has("main", "Somebody was faster", "alice reopened this report")
		b.open(s.base + "/moderation")
		b.has("main", "Privacy")
		a.press(`button[value="report.dismiss"]`)
		a.has(".decided", "alice dismissed this report")
		b.press(`button[value="report.accept"]`)
		b.has("main", "Somebody was faster", "alice dismissed this report")
		if got := public(first); got != http.StatusOK {
			t.Errorf("the photo of a dismissed report: %d, want 200", got)
		}
	})
	t.Run("demoted", func(t *testing.T) {
		b.open(s.base + "/moderation/photos")
		b.html(`button[value="photo.hide"]`)
		run(t, "user", "role", "--data", c.dir, "bob", "member")
		b.press(`button[value="photo.hide"]`)
		b.has("main", "not signed in any more")
		if got, got2 := public(first), public(second); got != http.StatusOK || got2 != http.StatusOK {
			t.Errorf("the photos: %d and %d, want 200", got, got2)
		}
	})
	t.Run("others", func(t *testing.T) {
		cookie := signsIn(t, s, eve, "/account").cookie()
		for _, path := range []string{"/moderation", "/moderation/photos", "/moderation/log", "/moderation/users",
			"/moderation/images/" + first + "/main.webp"} {
			if got := asksAs(t, s, path, cookie); got.status != http.StatusForbidden {
				t.Errorf("%s for an ordinary account: %d, want 403", path, got.status)
			}
		}
		if got := asksAs(t, s, "/moderation/users", a.cookie()); got.status != http.StatusForbidden {
			t.Errorf("accounts for a moderator: %d, want 403", got.status)
		}
	})
	t.Run("admin", func(t *testing.T) {
		r := signsIn(t, s, root, "/moderation/users")
		r.press(`input[value="` + eve.ID + `"] ~ button[value="user.disable"]`)
		r.has(".decided", "root disabled the account “eve”")
		r.press(".decided button")
		r.has(".decided", "root enabled the account “eve”")
		r.open(s.base + "/moderation/log?lang=fr")
		r.has("main", "alice", "a rejeté ce signalement", "shell (ligne de commande)", "a désactivé le compte")
	})
	out := run(t, "audit", "--data", c.dir)
	for _, want := range []string{"alice", "report.accept", "report.reopen", "user.role", "user.disable", "shell", report} {
		if !strings.Contains(out, want) {
			t.Errorf("audit: got %s, want %s", out, want)
		}
	}
}
