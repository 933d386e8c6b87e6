package oauth

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/text/language"

	"relais/auth/account"
)

var (
	//go:embed page.html
	pageText string
	//go:embed style.css
	style string

	page      = template.Must(template.New("page").Parse(pageText))
	styleHash = func() string {
		sum := sha256.Sum256([]byte(style))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}()
)

// A shown is the content of the page.
type shown struct {
	*texts
	filled
	Style   template.CSS
	Service string // host of the issuer
	Other   string // address of the same page in the other language

	Trouble string       // instead of the form
	Back    template.URL // link of a trouble, "" for none

	Client, Host       string
	Local, App         bool // the host is the person's machine, or a program on it
	Read, Write        bool
	Action             string
	Request, Seal      string
	MaxName, MaxSecret int
}

// consent shows what a program asks for, with the form to sign in and decide.
func (h *Handler) consent(w http.ResponseWriter, a *authorization, f filled, status int) {
	request := a.query.Encode()
	u, err := url.Parse(a.Redirect)
	if err != nil { // it is one that was registered
		h.problem(w, a, a.lang.WrongRedirect, "", http.StatusBadRequest)
		return
	}
	h.Accounts.Shown(a.client.ID)
	s := h.shown(a)
	s.filled, s.Client, s.Host = f, a.client.Name, hostOf(a.Redirect)
	s.Local, s.App = account.IsLoopback(a.Redirect), u.Scheme != "https" && u.Scheme != "http"
	for _, scope := range a.Scopes {
		s.Read, s.Write = s.Read || scope == account.Read, s.Write || scope == account.Write
	}
	s.Request, s.Seal = request, h.seal(w, request)
	h.render(w, s, "'self' "+formTarget(u), status)
}

// problem shows an error, with a link back to the program if the program may know.
func (h *Handler) problem(w http.ResponseWriter, a *authorization, why, back string, status int) {
	s := h.shown(a)
	s.Trouble = why
	if back != "" {
		s.Back, s.Host = template.URL(back), hostOf(a.Redirect) // registered, so neither javascript: nor data:
	}
	h.render(w, s, "'none'", status)
}

func (h *Handler) shown(a *authorization) *shown {
	s := &shown{texts: a.lang, Style: template.CSS(style), Service: h.base.Host, Action: h.base.Path + authorizePath,
		MaxName: 64, MaxSecret: 1024}
	if a.client != nil {
		other := url.Values{}
		for name, list := range a.query {
			other[name] = list
		}
		other.Set("lang", a.lang.OtherLang)
		s.Other = s.Action + "?" + other.Encode()
	}
	return s
}

// formTarget returns the target of the page's form for form-action: Chromium applies form-action to
// the redirect after the form too. The host of a CSP cannot be an IPv6 address.
func formTarget(u *url.URL) string {
	if u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || strings.HasPrefix(u.Host, "[") {
		return u.Scheme + ":"
	}
	return u.Scheme + "://" + u.Host
}

func (h *Handler) render(w http.ResponseWriter, s *shown, formAction string, status int) {
	var b bytes.Buffer
	if err := page.Execute(&b, s); err != nil {
		h.Log.Error("the page of sign-in", "error", err)
		http.Error(w, "the server failed", http.StatusInternalServerError)
		return
	}
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Language", s.Lang)
	header.Set("Vary", "Accept-Language")
	header.Set("Content-Security-Policy",
		"default-src 'none'; style-src "+styleHash+"; form-action "+formAction+
			"; frame-ancestors 'none'; base-uri 'none'")
	header.Set("X-Frame-Options", "DENY")
	header.Set("Referrer-Policy", "no-referrer")
	w.WriteHeader(status)
	w.Write(b.Bytes()) // who went away misses nothing
}

var languages = language.NewMatcher([]language.Tag{language.English, language.French})

// languageOf returns the texts in the language of the request, or else in the one that the browser
// prefers.
func languageOf(asked string, r *http.Request) *texts {
	switch asked {
	case french.Lang:
		return &french
	case english.Lang:
		return &english
	}
	const most = 200 // bytes of the header that are looked at
	accept := r.Header.Get("Accept-Language")
	tags, _, err := language.ParseAcceptLanguage(accept[:min(len(accept), most)])
	if _, i, _ := languages.Match(tags...); err == nil && i == 1 {
		return &french
	}
	return &english
}
