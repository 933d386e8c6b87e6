package people

import (
	"bytes"
	"errors"
	"html/template"
	"net/http"
	"strconv"
	"time"

	"relais/auth/account"
	"relais/httpapi/web"
	"relais/internal/folder"
	"relais/internal/store"
	"relais/internal/system"
)

// A bar says who is signed in, above a page. It is the data of bar.html.
type bar struct {
	W          web.Words
	Lang       string // that the address states, or ""
	Visit      *Visit
	Moderation bool   // the person may moderate
	Here       string // the path of the page
}

// A page is what templates of this package get.
type page struct {
	W     web.Words
	Lang  string // that the address states, or ""
	Visit *Visit // nil for nobody
	Data  any
}

// Render writes a page of another package: a template with its data, below a line that says who is
// signed in and lets them sign out. v is nil for nobody. The template has no <main>: the page has it.
func (p *People) Render(w http.ResponseWriter, r *http.Request, v *Visit, status int, title string,
	t *template.Template, name string, data any) {
	var text bytes.Buffer
	var err error
	if v != nil {
		err = p.templates.ExecuteTemplate(&text, "bar.html", bar{texts.For(r), web.StatedLanguage(r), v,
			p.Moderation && v.Role.May(account.Moderator), r.URL.Path})
	}
	if err == nil {
		err = t.ExecuteTemplate(&text, name, data)
	}
	if err != nil {
		p.Log.Error("a page failed", "page", name, "error", err)
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
		return
	}
	p.Pages.Frame(w, r, status, title, template.HTML(text.String()))
}

// render writes a page of this package.
func (p *People) render(w http.ResponseWriter, r *http.Request, v *Visit, status int, title, name string, data any) {
	p.Render(w, r, v, status, title, p.templates, name, page{texts.For(r), web.StatedLanguage(r), v, data})
}

// A refusal is the data of refused.html.
type refusal struct {
	Text   string
	SignIn string // address of the sign-in, "" for none
}

// refuse answers a request with a text of this package.
func (p *People) refuse(w http.ResponseWriter, r *http.Request, v *Visit, status int, name string) {
	words := texts.For(r)
	data := refusal{Text: words[name]}
	if name == "sessionOver" {
		data.SignIn = signInLink(r, p.cameFrom(r))
	}
	p.render(w, r, v, status, words["refusedTitle"], "refused.html", data)
}

// failWith answers an error of a store. Errors that are not known are logged, and not shown.
func (p *People) failWith(w http.ResponseWriter, r *http.Request, v *Visit, err error) {
	status, name, after := p.failure(err)
	if after > 0 {
		setRetryAfter(w, after)
	}
	p.refuse(w, r, v, status, name)
}

func setRetryAfter(w http.ResponseWriter, after time.Duration) {
	w.Header().Set("Retry-After", strconv.Itoa(int((after+time.Second-1)/time.Second)))
}

// failure returns the status and the text for an error, and when it is worth asking again.
func (p *People) failure(err error) (status int, name string, after time.Duration) {
	switch {
	case errors.Is(err, account.ErrLimited):
		return http.StatusTooManyRequests, "limited", max(time.Second, p.Accounts.LoginAgain().Sub(p.Now()))
	case errors.Is(err, account.ErrBusy):
		return http.StatusServiceUnavailable, "busy", 5 * time.Second
	case system.Full(err):
		p.Log.Error("a page waits for space on the disk", "error", err)
		return http.StatusServiceUnavailable, "diskFull", time.Minute
	case errors.Is(err, account.ErrReadOnly), folder.ReadOnly(err):
		return http.StatusServiceUnavailable, "readOnly", time.Minute
	case errors.Is(err, account.ErrLost):
		return http.StatusServiceUnavailable, "lost", 0
	case errors.Is(err, store.ErrAway), errors.Is(err, store.ErrRewound), errors.Is(err, store.ErrUnknown):
		p.Log.Warn("a page waits for the cluster", "error", err)
		return http.StatusServiceUnavailable, "away", 2 * time.Second
	}
	p.Log.Error("a page failed", "error", err)
	return http.StatusInternalServerError, "later", 0
}
