package people

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"relais/httpapi/web"
)

// Below a path of a host, the cookie is for that path, and all addresses have it. What arrives does not have it: the
// proxy removed it.
func TestUnderAPath(t *testing.T) {
	const base = "/antennes"
	w := newWorld(t, func(o *Options) {
		o.BaseURL = "http://localhost" + base
		pages := o.Pages.Options
		pages.BaseURL = o.BaseURL
		o.Pages = web.New(pages)
	})
	w.person("alice")
	page := w.ask(ask{path: "/sign-in?next=%2Faccount%2Fsent"}).Body.String()
	if want := `action="/antennes/sign-in?next=%2Faccount%2Fsent"`; !strings.Contains(page, want) {
		t.Errorf("the sign-in: want %s in %s", want, page)
	}
	in := w.ask(ask{path: "/sign-in?next=%2Faccount%2Fsent", form: url.Values{"name": {"alice"}, "password": {good}}})
	c := in.Result().Cookies()
	if len(c) != 1 || c[0].Name != "__Secure-relais" || !c[0].Secure || !c[0].HttpOnly || c[0].Path != base ||
		c[0].Domain != "" || c[0].SameSite != http.SameSiteLaxMode || c[0].MaxAge != 43200 {
		t.Fatalf("got %+v, want one __Secure-relais for %s", c, base)
	}
	token := c[0].Value
	form := url.Values{"form": {w.formOf(token)}}
	for _, tt := range []struct {
		name, to string
		ask      ask
	}{
		{"signed in", "/antennes/account/sent", ask{path: strings.TrimPrefix(in.Header().Get("Location"), base), token: token}},
		{"nobody", "/antennes/sign-in?next=%2Faccount", ask{path: "/account"}},
		{"next is elsewhere", "/antennes/account", ask{path: "/sign-in?next=https%3A%2F%2Fevil.example%2F", token: token}},
		{"a program", "/antennes/account?done=revoked", ask{path: "/account/programs", token: token, form: form}},
		{"signed out", "/antennes/sign-in?done=out", ask{path: "/sign-out", token: token, form: form}},
	} {
		if got := w.ask(tt.ask); got.Code != http.StatusSeeOther || got.Header().Get("Location") != tt.to {
			t.Errorf("%s: got %d to %s, want 303 to %s", tt.name, got.Code, got.Header().Get("Location"), tt.to)
		}
	}
	for from, next := range map[string]string{"/antennes/account/sent": "%2Faccount%2Fsent",
		"/other": "%2Faccount", "/antennes-old/account/sent": "%2Faccount"} {
		got := w.ask(ask{path: "/account/programs", form: form, header: http.Header{"Referer": {"http://localhost" + from}}})
		if want := `href="/antennes/sign-in?next=` + next + `"`; got.Code != http.StatusForbidden ||
			!strings.Contains(got.Body.String(), want) {
			t.Errorf("a form of %s without a session: got %d %s, want 403 and %s", from, got.Code, got.Body, want)
		}
	}
}
