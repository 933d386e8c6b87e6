package people

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"relais/auth/account"
	"relais/httpapi/web"
	"relais/internal/admit"
)

// A Visit is a request of somebody who is signed in.
type Visit struct {
	account.Session
	Words web.Words // of this package, in the reader's language
	// Form is the value of the hidden field FormField, which each form of a page has.
	Form string
	// Values are the fields of a POST, whose FormField was right; nil for GET and HEAD.
	Values url.Values
	token  string
}

// FormField is the name of the field that binds a form to a session.
const FormField = "form"

const (
	maxBody  = 16 << 10
	formType = "application/x-www-form-urlencoded"
)

// sessionCookie returns the cookie of a service at the root of its host or below a path. Browsers take no cookie
// named __Host- that is for a path.
func sessionCookie(base string) http.Cookie {
	c := http.Cookie{Name: "__Host-relais", Path: "/", MaxAge: int(account.SessionLife / time.Second),
		Secure: true, HttpOnly: true, SameSite: http.SameSiteLaxMode}
	if base != "" {
		c.Name, c.Path = "__Secure-relais", base
	}
	return c
}

// Page returns the handler of a page for people who have at least a role. It answers GET, HEAD and
// POST, limits requests, and sets the headers of a page that only this person may see. Somebody
// who is not signed in is sent to the sign-in, and back afterwards. A lesser role gets 403. So does a form
// that another site sent, that is of another session, or whose session has ended. The session is looked up at
// each request: after a change of role serve is not called again.
func (p *People) Page(needed account.Role, serve func(http.ResponseWriter, *http.Request, *Visit)) http.Handler {
	return p.open(func(w http.ResponseWriter, r *http.Request) {
		v, err := p.visit(r)
		switch {
		case errors.Is(err, account.ErrGrant):
			p.nobody(w, r)
		case err != nil:
			p.failWith(w, r, nil, err)
		case !v.Role.May(needed):
			p.refuse(w, r, v, http.StatusForbidden, "notYours")
		case r.Method != http.MethodPost:
			serve(w, r, v)
		default:
			if v.Values = p.form(w, r, v); v.Values != nil {
				serve(w, r, v)
			}
		}
	})
}

// open returns a handler within the limits of pages, with their headers. Forms of other sites are
// refused.
func (p *People) open(serve http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("Content-Security-Policy", web.Policy)
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "same-origin") // with no-referrer, browsers send forms with Origin: null
		now := p.Now()
		switch {
		case r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != http.MethodPost:
			h.Set("Allow", "GET, HEAD, POST")
			p.refuse(w, r, nil, http.StatusMethodNotAllowed, "notAllowed")
		case !p.all.Take(now, 1, admit.Of(p.Address(r), mostPerMinute)):
			h.Set("Retry-After", strconv.Itoa(60-now.Second()))
			p.refuse(w, r, nil, http.StatusTooManyRequests, "tooMany")
		case p.Unusable:
			h.Set("Retry-After", "60")
			p.refuse(w, r, nil, http.StatusServiceUnavailable, "unusable")
		case p.protection.Check(r) != nil:
			p.refuse(w, r, nil, http.StatusForbidden, "foreignForm")
		default:
			serve(w, r)
		}
	})
}

// visit returns who sent a request. Errors: account.ErrGrant for nobody, account.ErrLost,
// store.ErrAway.
func (p *People) visit(r *http.Request) (*Visit, error) {
	token := p.token(r)
	s, err := p.Accounts.Session(context.WithoutCancel(r.Context()), token)
	if err != nil {
		return nil, err
	}
	return &Visit{Session: s, Words: texts.For(r), Form: formToken(token), token: token}, nil
}

// token returns the token of a request's session, "" for none.
func (p *People) token(r *http.Request) string {
	if cookies := r.CookiesNamed(p.cookie.Name); len(cookies) == 1 {
		return cookies[0].Value
	}
	return ""
}

// formToken returns the value of FormField in a session. The session's own token does not follow from it.
func formToken(token string) string {
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte("form"))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// form reads the fields of a form and checks that it is of the session of v. With nil for v, the form
// needs no session. If the form is wrong, it answers and returns nil.
func (p *People) form(w http.ResponseWriter, r *http.Request, v *Visit) url.Values {
	mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || mediaType != formType {
		p.refuse(w, r, v, http.StatusUnsupportedMediaType, "badForm")
		return nil
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	if err := r.ParseForm(); err != nil {
		status := http.StatusBadRequest
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			status = http.StatusRequestEntityTooLarge
		}
		p.refuse(w, r, v, status, "badForm")
		return nil
	}
	if v != nil && !hmac.Equal([]byte(r.PostForm.Get(FormField)), []byte(v.Form)) {
		p.refuse(w, r, v, http.StatusForbidden, "staleForm")
		return nil
	}
	return r.PostForm
}

// nobody answers a request without a session that needs one.
func (p *People) nobody(w http.ResponseWriter, r *http.Request) {
	switch {
	case p.tooMany(w, r):
	case r.Method == http.MethodPost:
		p.refuse(w, r, nil, http.StatusForbidden, "sessionOver")
	default:
		p.Redirect(w, signInLink(r, r.URL.RequestURI()))
	}
}

// tooMany counts a request without a session, and reports whether it was refused because of the limit.
func (p *People) tooMany(w http.ResponseWriter, r *http.Request) bool {
	now := p.Now()
	if p.strangers.Take(now, 1, admit.Of(p.Address(r), strangersPerMinute)) {
		return false
	}
	w.Header().Set("Retry-After", strconv.Itoa(60-now.Second()))
	p.refuse(w, r, nil, http.StatusTooManyRequests, "tooMany")
	return true
}

// Redirect sends a browser to a path of this server, with GET.
func (p *People) Redirect(w http.ResponseWriter, to string) {
	w.Header().Set("Location", p.Pages.URL(to))
	w.WriteHeader(http.StatusSeeOther)
}

// signInLink returns the address of the sign-in that leads to another page.
func signInLink(r *http.Request, next string) string { return web.Link(r, SignInPath, "next", next) }
