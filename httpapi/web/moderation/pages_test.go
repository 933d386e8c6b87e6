package moderation

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"relais/admin"
	"relais/api"
	"relais/auth/account"
	"relais/community/audit"
	"relais/httpapi/web"
	"relais/httpapi/web/people"
	"relais/internal/folder"
	"relais/photos"
)

const password = "correct horse battery"

// A world is the pages of a server with empty stores.
type world struct {
	*testing.T
	stores *admin.Stores
	mux    *http.ServeMux
}

func newWorld(t *testing.T) *world {
	t.Helper()
	quiet := slog.New(slog.DiscardHandler)
	stores, err := admin.Open(folder.Dir(t.TempDir()), "test", quiet)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stores.Close(); err != nil {
			t.Error(err)
		}
	})
	address := func(*http.Request) netip.Addr { return netip.MustParseAddr("127.0.0.1") }
	pages := web.New(web.Options{Env: func() *api.Env { return &api.Env{} }, Address: address, Log: quiet, Map: true})
	signedIn, err := people.New(people.Options{Accounts: stores.Accounts, Community: stores.Community, Pages: pages,
		BaseURL: "http://localhost", Address: address, Now: time.Now, Log: quiet, Delete: stores.DeleteUser, Moderation: true})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t, stores, http.NewServeMux()}
	moderators := New(Options{Stores: stores, People: signedIn, Log: quiet})
	for _, r := range append(signedIn.Routes(), moderators.Routes()...) {
		w.mux.Handle(r.Path, r.Handler)
	}
	return w
}

// person makes an account with a role.
func (w *world) person(name string, role account.Role) *account.Account {
	w.Helper()
	a, err := w.stores.Accounts.Create(w.Context(), name, password)
	if err == nil {
		a, err = w.stores.Accounts.SetRole(a.ID, role, audit.Decision{})
	}
	if err != nil {
		w.Fatal(err)
	}
	return a
}

// ask sends a request with a cookie; a form makes it a POST.
func (w *world) ask(path, cookie string, form url.Values, header ...string) *httptest.ResponseRecorder {
	w.Helper()
	method := http.MethodGet
	if form != nil {
		method = http.MethodPost
	}
	r := httptest.NewRequest(method, "http://localhost"+path, strings.NewReader(form.Encode()))
	r.RemoteAddr = "127.0.0.1:1234"
	r.Header.Set("Cookie", cookie)
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	got := httptest.NewRecorder()
	w.mux.ServeHTTP(got, r)
	return got
}

// signIn returns the cookie of a new session.
func (w *world) signIn(a *account.Account) string {
	w.Helper()
	got := w.ask("/sign-in", "", url.Values{"name": {a.Name}, "password": {password}})
	cookie, _, _ := strings.Cut(got.Header().Get("Set-Cookie"), ";")
	if got.Code != http.StatusSeeOther || cookie == "" {
		w.Fatalf("signing in: %d, want 303 and a cookie", got.Code)
	}
	return cookie
}

// field returns the first value of a hidden field that follows a text of a page.
func field(t *testing.T, page, after, name string) string {
	t.Helper()
	_, rest, _ := strings.Cut(page, after)
	m := regexp.MustCompile(`name="` + name + `" value="([^"]+)"`).FindStringSubmatch(rest)
	if m == nil {
		t.Fatalf("no field %s after %q in %s", name, after, page)
	}
	return m[1]
}

// The images of a photo that is held or hidden come to moderators alone, whole and never from a cache.
func TestImages(t *testing.T) {
	w := newWorld(t)
	images := map[photos.Size][]byte{}
	for _, size := range photos.Sizes {
		images[size] = []byte("the image " + size)
	}
	p, err := w.stores.Photos.Add(context.Background(), photos.New{SiteKey: "fr-1", ClientID: "c", AuthorName: "C",
		Images: images, Held: true})
	if err != nil {
		t.Fatal(err)
	}
	alice := w.person("alice", account.Moderator)
	member, moderator := w.signIn(w.person("eve", account.Member)), w.signIn(alice)
	address := "/moderation/images/" + p.ID + "/"
	for _, size := range photos.Sizes {
		path := address + string(size) + ".webp"
		tag := `"` + p.ID + "-" + string(size) + `"`
		for _, header := range [][]string{nil, {"If-None-Match", tag}, {"If-None-Match", "*"}, {"Range", "bytes=0-3"}} {
			if got := w.ask(path, "", nil, header...); got.Code != http.StatusSeeOther {
				t.Errorf("%s for nobody, %v: %d, want 303", path, header, got.Code)
			}
			if got := w.ask(path, member, nil, header...); got.Code != http.StatusForbidden {
				t.Errorf("%s for a member, %v: %d, want 403", path, header, got.Code)
			}
			got := w.ask(path, moderator, nil, header...)
			if got.Code != http.StatusOK || !bytes.Equal(got.Body.Bytes(), images[size]) ||
				got.Header().Get("Cache-Control") != "no-store" {
				t.Errorf("%s for a moderator, %v: %d %q %v; want 200, the image, no-store", path, header, got.Code, got.Body,
					got.Header())
			}
		}
	}
	for _, name := range []string{"main", "main.png", "none.webp", ".webp"} {
		if got := w.ask(address+name, moderator, nil); got.Code != http.StatusNotFound {
			t.Errorf("%s: %d, want 404", name, got.Code)
		}
	}
	if _, err := w.stores.Accounts.SetRole(alice.ID, account.Member, audit.Decision{}); err != nil {
		t.Fatal(err)
	}
	if got := w.ask(address+"main.webp", moderator, nil); got.Code != http.StatusSeeOther {
		t.Errorf("after the role is gone: %d, want 303", got.Code)
	}
}

// Moderators whose language has no texts have English ones, which say so, in the frame of their language.
func TestLanguages(t *testing.T) {
	w := newWorld(t)
	moderator := w.signIn(w.person("alice", account.Moderator))
	for _, tt := range []struct{ accepted, page, frame, content string }{
		{"fr", `<html lang="fr">`, "Se déconnecter", `<div class="moderation" lang="fr">`},
		{"nl-BE", `<html lang="nl">`, "Afmelden", `<div class="moderation" lang="en">`},
		{"de-CH", `<html lang="de">`, "Abmelden", `<div class="moderation" lang="en">`},
	} {
		page := w.ask("/moderation", moderator, nil, "Accept-Language", tt.accepted).Body.String()
		for _, want := range []string{tt.page, tt.frame, tt.content} {
			if !strings.Contains(page, want) {
				t.Errorf("%s: no %s in %s", tt.accepted, want, page)
			}
		}
	}
}

// An admin decides about an account by its id: an API client may have an account of the same name.
func TestAccountsOfOneName(t *testing.T) {
	w := newWorld(t)
	eve, root := w.person("eve", account.Member), w.signIn(w.person("root", account.Admin))
	if _, err := w.stores.Accounts.OfClient("some-client", "eve"); err != nil {
		t.Fatal(err)
	}
	page := w.ask("/moderation/users", root, nil).Body.String()
	entry := "<bdi>eve</bdi>"
	got := w.ask("/moderation/decide-user", root, url.Values{"act": {"user.disable"}, "back": {"/moderation/users"},
		"form": {field(t, page, entry, "form")}, "id": {field(t, page, entry, "id")}, "on": {field(t, page, entry, "on")}})
	if want := "/moderation/users?about=eve"; got.Code != http.StatusSeeOther || got.Header().Get("Location") != want {
		t.Errorf("disable: %d to %q, want 303 to %q: %s", got.Code, got.Header().Get("Location"), want, got.Body)
	}
	if a, err := w.stores.Accounts.Find(eve.ID); err != nil || !a.Disabled {
		t.Errorf("the account: %+v, %v; want it disabled", a, err)
	}
	page = w.ask("/moderation/users", root, nil).Body.String()
	got = w.ask("/moderation/decide-user", root, url.Values{"act": {"user.role"}, "role": {"superadmin"},
		"form": {field(t, page, entry, "form")}, "id": {field(t, page, entry, "id")}, "on": {field(t, page, entry, "on")}})
	if got.Code != http.StatusBadRequest {
		t.Errorf("a role that does not exist: %d, want 400", got.Code)
	}
}
