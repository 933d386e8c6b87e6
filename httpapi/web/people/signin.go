package people

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"unicode/utf8"

	"relais/auth/access"
	"relais/auth/account"
	"relais/httpapi/web"
)

// Bounds of what the sign-in takes.
const (
	maxNext     = 1000 // bytes
	maxTyped    = 64   // characters of a name
	maxPassword = 1024 // bytes
)

// A signInPage is the data of signin.html.
type signInPage struct {
	Secure    bool   // the browser may send its password and keep the cookie
	Elsewhere string // address of the same page with TLS, "" for none
	Action    string
	Problem   string // with the form
	Notice    string
	Name      string // as typed
	MaxName   int
	MaxSecret int
}

// signIn shows the form to sign in, and takes it.
func (p *People) signIn(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		p.takeSignIn(w, r)
		return
	}
	words := texts.For(r)
	_, err := p.visit(r)
	asked := r.URL.Query()
	switch {
	case err == nil:
		p.Redirect(w, ownPath(asked.Get("next")))
	case p.tooMany(w, r):
	case asked.Get("done") == "in":
		p.showSignIn(w, r, http.StatusForbidden, signInPage{Problem: words["cookieRefused"]})
	case asked.Get("done") == "out":
		p.showSignIn(w, r, http.StatusOK, signInPage{Notice: words["signedOut"]})
	case asked.Get("done") == "deleted":
		p.showSignIn(w, r, http.StatusOK, signInPage{Notice: words["deleted"]})
	case asked.Get("done") == "password":
		p.showSignIn(w, r, http.StatusOK, signInPage{Notice: words["passwordChanged"]})
	case p.Accounts.ReadOnly():
		p.failWith(w, r, nil, account.ErrReadOnly)
	default:
		p.showSignIn(w, r, http.StatusOK, signInPage{})
	}
}

// showSignIn writes the page of the sign-in.
func (p *People) showSignIn(w http.ResponseWriter, r *http.Request, status int, page signInPage) {
	q := url.Values{}
	for _, name := range []string{"next", "lang"} {
		if value := r.URL.Query().Get(name); value != "" && len(value) <= maxNext {
			q.Set(name, value)
		}
	}
	page.Action, page.MaxName, page.MaxSecret = SignInPath, maxTyped, maxPassword
	if len(q) > 0 {
		page.Action += "?" + q.Encode()
	}
	if page.Secure = p.secure(r); !page.Secure {
		status = http.StatusForbidden
		if p.base.Scheme == "https" {
			page.Elsewhere = p.BaseURL + page.Action
		}
	}
	words := texts.For(r)
	title := words["signIn"]
	if page.Problem != "" {
		title = words["problemTitle"] + title
	}
	p.render(w, r, nil, status, title, "signin.html", page)
}

// takeSignIn signs somebody in. The session is a new one in any case: one that the browser was given
// by somebody else cannot become theirs.
func (p *People) takeSignIn(w http.ResponseWriter, r *http.Request) {
	if !p.secure(r) {
		p.showSignIn(w, r, http.StatusForbidden, signInPage{})
		return
	}
	values := p.form(w, r, nil)
	if values == nil {
		return
	}
	name := values.Get("name")
	person, err := p.Accounts.Login(r.Context(), name, values.Get("password"), p.Address(r))
	var token string
	if err == nil {
		token, err = p.Accounts.StartSession(person, p.token(r))
	}
	if err != nil {
		p.showSignInProblem(w, r, name, err)
		return
	}
	p.keep(w, token)
	next := ownPath(r.URL.Query().Get("next"))
	p.Redirect(w, web.Link(r, SignInPath, "next", next, "done", "in")) // which sees whether the browser keeps the cookie
}

// showSignInProblem says why somebody is not signed in.
func (p *People) showSignInProblem(w http.ResponseWriter, r *http.Request, name string, err error) {
	status, text := p.loginFailure(w, r, err, "wrongLogin")
	if utf8.RuneCountInString(name) > maxTyped || !utf8.ValidString(name) {
		name = ""
	}
	p.showSignIn(w, r, status, signInPage{Problem: text, Name: name})
}

// loginFailure returns the status and the text for an error of Login or of what followed it. wrong is
// the name of the text for a wrong password.
func (p *People) loginFailure(w http.ResponseWriter, r *http.Request, err error, wrong string) (int, string) {
	words := texts.For(r)
	if errors.Is(err, account.ErrLogin) || errors.Is(err, account.ErrNoAccount) || errors.Is(err, account.ErrDisabled) {
		text := words[wrong]
		if p.Accounts.Incomplete() {
			text += " " + words["incomplete"]
		}
		return http.StatusForbidden, text
	}
	status, name, after := p.failure(err)
	if after > 0 {
		setRetryAfter(w, after)
	}
	return status, words[name]
}

// keep has the browser keep a session, "" to forget it.
func (p *People) keep(w http.ResponseWriter, token string) {
	c := p.cookie
	c.Value = token
	if token == "" {
		c.MaxAge = -1
	}
	http.SetCookie(w, &c)
}

// signOut ends the session of a browser. It is done twice without harm.
func (p *People) signOut(w http.ResponseWriter, r *http.Request) {
	v, err := p.visit(r)
	switch {
	case errors.Is(err, account.ErrGrant) && r.Method != http.MethodPost:
		p.Redirect(w, signInLink(r, AccountPath))
		return
	case errors.Is(err, account.ErrGrant):
	case err != nil:
		p.failWith(w, r, nil, err)
		return
	case r.Method != http.MethodPost:
		p.render(w, r, v, http.StatusOK, v.Words["signOut"], "signout.html", nil)
		return
	case p.form(w, r, v) == nil:
		return
	default:
		if err := p.Accounts.EndSession(v.token); err != nil {
			p.failWith(w, r, v, err)
			return
		}
	}
	p.keep(w, "")
	p.afterwards(w, r, "out")
}

// afterwards leads to the sign-in, with a notice of the finished change.
func (p *People) afterwards(w http.ResponseWriter, r *http.Request, done string) {
	p.Redirect(w, web.Link(r, SignInPath, "done", done))
}

// ownPath returns an address of this server that a parameter states, or that of the account. Anything
// that a browser might read as another server's address is refused.
func ownPath(next string) string {
	u, err := url.Parse(next)
	odd := func(c rune) bool { return c <= ' ' || c == '\\' || c > '~' }
	if err != nil || len(next) > maxNext || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") ||
		strings.ContainsFunc(next, odd) || u.Scheme != "" || u.Host != "" || u.Path == SignInPath || u.Path == SignOutPath {
		return AccountPath
	}
	return next
}

// cameFrom returns the page of this server from which a form was sent.
func (p *People) cameFrom(r *http.Request) string {
	u, err := url.Parse(r.Referer())
	if err != nil || u.Host != r.Host && u.Host != p.base.Host {
		return AccountPath
	}
	path, below := strings.CutPrefix(u.RequestURI(), p.base.EscapedPath())
	if !below { // another site of the host
		return AccountPath
	}
	return ownPath(path)
}

// secure reports whether a browser reaches the service in a way that keeps passwords and cookies from
// others: with TLS here or at a proxy, or on the same machine. Browsers keep the cookie in no other
// case. The base URL says whether a trusted proxy has TLS.
func (p *People) secure(r *http.Request) bool {
	addr, _ := netip.ParseAddrPort(r.RemoteAddr)
	peer := addr.Addr().Unmap()
	proxy := access.Contains(p.Proxies, peer)
	forwarded := len(r.Header["X-Forwarded-For"])+len(r.Header["Forwarded"]) > 0
	switch {
	case r.TLS != nil:
		return true
	case p.base.Scheme == "https" && (proxy || peer.IsLoopback() || strings.EqualFold(r.Host, p.base.Host)):
		return true
	case forwarded && !(proxy && isLocalhost(p.base.Host)): // from where a browser came is not known
		return false
	}
	return isLocalhost(r.Host)
}

// isLocalhost reports whether a host, which may have a port, is the browser's own machine.
func isLocalhost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	addr, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && addr.IsLoopback()
}
