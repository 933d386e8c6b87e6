package people

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"relais/api"
	"relais/auth/access"
	"relais/auth/account"
	"relais/community"
	"relais/httpapi/web"
	"relais/internal/store"
	"relais/internal/store/storetest"
	"relais/outage"
)

const good = "correct horse battery"

// A world is the pages of a server, with a clock that tests move.
type world struct {
	testing.TB
	*People
	at      time.Time
	mux     *http.ServeMux
	deleted []string
}

func newWorld(t testing.TB, change ...func(*Options)) *world {
	t.Helper()
	w := &world{TB: t, at: time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC), mux: http.NewServeMux()}
	now := func() time.Time { return w.at }
	open := func(name string, buckets ...string) *store.DB {
		db := storetest.Open(t, filepath.Join(t.TempDir(), name), buckets...)
		return db
	}
	accounts, err := account.Open(open("users.db", account.Buckets...), now)
	if err != nil {
		t.Fatal(err)
	}
	db := open("community.db", append(outage.Buckets, community.Buckets...)...)
	feeds, err := outage.Open(db, now)
	if err != nil {
		t.Fatal(err)
	}
	written, err := community.Open(db, feeds, now)
	if err != nil {
		t.Fatal(err)
	}
	address := func(r *http.Request) netip.Addr { return access.Proxies(nil).Client(r.RemoteAddr, nil) }
	o := Options{Accounts: accounts, Community: written, BaseURL: "http://localhost", Address: address, Now: now,
		Log: slog.New(slog.DiscardHandler), Moderation: true,
		Pages: web.New(web.Options{Env: func() *api.Env { return &api.Env{} }, Address: address,
			Log: slog.New(slog.DiscardHandler), Map: true}),
		Delete: func(id string) error {
			w.deleted = append(w.deleted, id)
			return accounts.Delete(id)
		}}
	for _, f := range change {
		f(&o)
	}
	if w.People, err = New(o); err != nil {
		t.Fatal(err)
	}
	for _, r := range w.Routes() {
		w.mux.Handle(r.Path, r.Handler)
	}
	w.mux.Handle("/moderation", w.Page(account.Moderator, func(out http.ResponseWriter, _ *http.Request, v *Visit) {
		_, _ = out.Write([]byte(v.Name + " " + v.Values.Get("act")))
	}))
	return w
}

func (w *world) person(name string) *account.Account {
	w.Helper()
	a, err := w.Accounts.Create(w.Context(), name, good)
	if err != nil {
		w.Fatal(err)
	}
	return a
}

// An ask is a request; a form makes it a POST.
type ask struct {
	path, token, host, from string
	form                    url.Values
	header                  http.Header
}

func (w *world) ask(a ask) *httptest.ResponseRecorder {
	w.Helper()
	method := http.MethodGet
	if a.form != nil {
		method = http.MethodPost
	}
	r := httptest.NewRequest(method, "http://localhost"+a.path, strings.NewReader(a.form.Encode()))
	r.RemoteAddr = "127.0.0.1:1234"
	if a.from != "" {
		r.RemoteAddr = a.from + ":1234"
	}
	if a.host != "" {
		r.Host = a.host
	}
	if a.form != nil {
		r.Header.Set("Content-Type", formType)
	}
	if a.token != "" {
		r.Header.Set("Cookie", w.cookie.Name+"="+a.token)
	}
	for name, values := range a.header {
		r.Header[name] = values
	}
	got := httptest.NewRecorder()
	w.mux.ServeHTTP(got, r)
	return got
}

// signIn signs a person in, and returns the token that the browser keeps.
func (w *world) signIn(name string) string {
	w.Helper()
	got := w.ask(ask{path: "/sign-in", form: url.Values{"name": {name}, "password": {good}}})
	token := kept(got)
	if got.Code != http.StatusSeeOther || token == "" {
		w.Fatalf("signing in: %d %s, want 303 and a cookie", got.Code, got.Body)
	}
	return token
}

// kept returns the token that an answer has the browser keep.
func kept(got *httptest.ResponseRecorder) string {
	for _, c := range got.Result().Cookies() {
		if strings.HasSuffix(c.Name, "-relais") {
			return c.Value
		}
	}
	return ""
}

var formValue = regexp.MustCompile(`name="form" value="([^"]+)"`)

// formOf returns what the forms of a session have, as a page shows it.
func (w *world) formOf(token string) string {
	w.Helper()
	got := w.ask(ask{path: "/account", token: token})
	m := formValue.FindStringSubmatch(got.Body.String())
	if got.Code != http.StatusOK || m == nil {
		w.Fatalf("the account: %d, want 200 and a form: %s", got.Code, got.Body)
	}
	return m[1]
}
