//go:build linux

package e2e

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// A signedIn is a browser without scripts in which somebody signs in.
type signedIn struct {
	*tab
	base string
}

// signIn signs a person in at a page, and returns when the browser is at the page that is wanted.
func (b *signedIn) signIn(w *person, page, wanted string) {
	b.t.Helper()
	b.open(b.base + page)
	b.fill("#name", w.Name)
	b.fill("#password", w.password)
	b.press(".stacked button")
	b.at(wanted)
}

// at waits until the browser is at a path.
func (b *signedIn) at(path string) {
	b.t.Helper()
	var now string
	if !waitFor(func() bool { now = b.address(); return strings.TrimPrefix(now, b.base) == path }) {
		b.t.Fatalf("the browser is at %s, want %s", now, path)
	}
	b.html("main")
}

func (b *signedIn) address() string {
	b.t.Helper()
	var history struct {
		CurrentIndex int
		Entries      []struct{ URL string }
	}
	if b.call("Page.getNavigationHistory", nil, &history) != nil || len(history.Entries) == 0 {
		return "" // between two pages
	}
	return history.Entries[history.CurrentIndex].URL
}

// has fails unless an element has all the texts.
func (b *signedIn) has(selector string, texts ...string) {
	b.t.Helper()
	got := ""
	if !waitFor(func() bool {
		got = b.html(selector)
		for _, text := range texts {
			if !strings.Contains(got, text) {
				return false
			}
		}
		return true
	}) {
		b.t.Errorf("%s: got %s, want %q in it", selector, got, texts)
	}
}

// A cookie is one as the browser keeps it.
type cookie struct {
	Name, Value, Path, SameSite, Domain string
	Secure, HTTPOnly                    bool
}

// cookies are those that the browser keeps for the server.
func (b *signedIn) cookies() []cookie {
	b.t.Helper()
	var all struct{ Cookies []cookie }
	b.must("Network.getCookies", object{"urls": []string{b.base + "/"}}, &all)
	return all.Cookies
}

// A person signs in without scripts on both names of the own machine, sees what they let in and sent,
// shuts a program out, changes the password and deletes the account; afterwards the submissions are
// there and nobody's.
func TestAccountInChromium(t *testing.T) {
	needChromium(t)
	c := makeCountry(t, 100)
	s, public := behindProxy(t, c.dir)
	augusta := newPerson(t, c.dir, "Augusta Quillfeather", "dix-sept réverbères près du port")
	p := newProgram(t, public)
	token := p.signIn(func(page string) { augusta.consents(t, page) })
	tools := p.begin(token)
	report := tools.tool("community_submit_report", object{"clientToken": rand.Text(), "operator": "ORANGE",
		"lat": 48.8534, "lon": 2.3488, "services": "data", "reason": "no data since noon"})
	tools.tool("bug_submit", object{"clientToken": rand.Text(), "title": "A <b>mast</b> too many",
		"text": "It is not there."})

	for _, host := range []string{"127.0.0.1", "localhost"} {
		t.Run(host, func(t *testing.T) {
			b := &signedIn{openTab(t), strings.Replace(s.base, "127.0.0.1", host, 1)}
			b.signIn(augusta, "/account", "/account")
			kept := b.cookies()
			if len(kept) != 1 || kept[0].Name != "__Host-relais" || len(kept[0].Value) != 43 || !kept[0].Secure ||
				!kept[0].HTTPOnly || kept[0].SameSite != "Lax" || kept[0].Path != "/" || kept[0].Domain != host {
				t.Fatalf("cookies: got %+v, want one __Host-relais of 43 characters, for this host alone", kept)
			}
			b.press(".signed button")
			b.at("/sign-in?done=out")
			if kept := b.cookies(); len(kept) != 0 {
				t.Errorf("after signing out, the browser keeps %+v", kept)
			}
		})
	}

	b := &signedIn{openTab(t), s.base}
	b.signIn(augusta, "/account/sent?kind=bug", "/account/sent?kind=bug")
	b.has("main", "A &lt;b&gt;mast&lt;/b&gt; too many", "Open")
	b.open(s.base + "/account/sent")
	b.has("main", "Orange", "Reported by you")
	b.open(s.base + "/account")
	b.has(".cards", "May see what you sent", "May send reports")
	b.press(".cards button")
	b.at("/account?done=revoked")
	b.has("main", "No program may act for you")
	if a := p.call(public+"/mcp", token.AccessToken); a.status != http.StatusUnauthorized {
		t.Errorf("the program asks after it was shut out: %s, want 401", a)
	}

	b.changePassword("wrong", "twenty-one umbrellas in May", "twenty-one umbrellas in May")
	b.has("main", "current password is wrong")
	b.changePassword(augusta.password, "short", "short")
	b.has("main", "aria-invalid", "too short")
	b.changePassword(augusta.password, "twenty-one umbrellas in May", "twenty-one umbrellas in June")
	b.has("main", "differ")
	other := &signedIn{openTab(t), s.base}
	other.signIn(augusta, "/account", "/account")
	b.changePassword(augusta.password, "twenty-one umbrellas in May", "twenty-one umbrellas in May")
	b.at("/account?done=password")
	other.open(s.base + "/account")
	other.at("/sign-in?next=%2Faccount")
	augusta.password = "twenty-one umbrellas in May"

	b.open(s.base + "/account/delete")
	b.has("main", "outage reports", "cannot be undone")
	b.fill("#password", augusta.password)
	b.press("button.danger")
	b.at("/sign-in?done=deleted")
	list := s.list("/outages?source=community&operator=ORANGE")
	if len(list) != 1 || list[0].(object)["id"] != report["id"] {
		t.Errorf("after the account was deleted: outages %v, want the one of %v", list, report["id"])
	}
	b.fill("#name", augusta.Name)
	b.fill("#password", augusta.password)
	b.press(".stacked button")
	b.has("#problem", "Name or password is wrong")
	s.stop()
}

// changePassword fills in the form and sends it, also what the browser itself would refuse.
func (b *signedIn) changePassword(current, next, again string) {
	b.t.Helper()
	b.open(b.base + "/account/password")
	b.must("DOM.setAttributeValue", b.attribute(".stacked", "novalidate", ""), nil)
	b.fill("#password", current)
	b.fill("#new", next)
	b.fill("#again", again)
	b.press(".stacked button")
}

func (b *signedIn) attribute(selector, name, value string) object {
	b.t.Helper()
	b.html(selector)
	node, err := b.node(selector)
	must(b.t, err)
	node["name"], node["value"] = name, value
	return node
}

// Another site cannot send a form or have somebody sent elsewhere after the
// sign-in; and without TLS nobody signs in under another name than that of the own machine.
func TestForeignForms(t *testing.T) {
	needChromium(t)
	c, foreign := makeCountry(t, 40), newPageServer(t)
	s := serve(t, c.dir)
	augusta := newPerson(t, c.dir, "Augusta Quillfeather", "dix-sept réverbères près du port")
	foreign.paths.HandleFunc("GET /form", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<!DOCTYPE html><form method="post" action="` + s.base + `/sign-out">` +
			`<button>x</button></form>`))
	})
	b := &signedIn{openTab(t), s.base}
	b.signIn(augusta, "/sign-in?next=//else.example/", "/account")
	b.open(strings.Replace(foreign.URL, "127.0.0.1", "localhost", 1) + "/form")
	b.press("button")
	b.has("main", "not sent from a page of this server")
	b.open(s.base + "/account")
	b.has("main", augusta.Name)

	request, err := http.NewRequest(http.MethodPost, s.base+"/sign-in",
		strings.NewReader(url.Values{"name": {augusta.Name}, "password": {augusta.password}}.Encode()))
	must(t, err)
	request.Host = "relais.example"
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	a, err := http.DefaultTransport.RoundTrip(request)
	must(t, err)
	a.Body.Close()
	if a.StatusCode != http.StatusForbidden || a.Header.Get("Set-Cookie") != "" {
		t.Errorf("signing in without TLS at another name: %s and cookie %q, want 403 and none", a.Status,
			a.Header.Get("Set-Cookie"))
	}
	s.stop()
}
