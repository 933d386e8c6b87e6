package oauth

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"relais/auth/account"
	"relais/internal/lang"
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
	Others  []otherPage

	Heading, Notice string       // instead of the form
	Trouble         bool         // the notice is about one
	Back            template.URL // link of a notice, "" for none
	Follow          bool         // the browser goes there by itself

	Client, Place      string
	Local, App         bool // the place is the person's machine, or a program on it
	Read, Write        bool
	Action             string
	Request, Seal      string
	MaxName, MaxSecret int
}

// An otherPage is the same page in another language.
type otherPage struct {
	lang.Language
	Address string
}

// consent shows what a program asks for, with the form to sign in and decide.
func (h *Handler) consent(w http.ResponseWriter, a *authorization, f filled, status int) {
	request := a.query.Encode()
	h.Accounts.Shown(a.client.ID)
	s := h.shown(a)
	s.filled, s.Client, s.Place = f, a.client.Name, placeOf(a.Redirect)
	s.Local = account.IsLoopback(a.Redirect)
	s.App = !s.Local && !strings.HasPrefix(a.Redirect, "https:")
	for _, scope := range a.Scopes {
		s.Read, s.Write = s.Read || scope == account.Read, s.Write || scope == account.Write
	}
	s.Request, s.Seal = request, h.seal(w, request)
	h.render(w, s, status)
}

// leave answers a decision with a page that has a link to the program. If it was allowed, the page
// sends the browser there. A redirect would not do: Chromium applies form-action to all redirects that
// follow a form, and programs on the web send people on to a scheme of the program on their machine.
func (h *Handler) leave(w http.ResponseWriter, a *authorization, answer url.Values) {
	s := h.shown(a)
	s.Heading, s.Notice = a.lang.RefusedTitle, a.lang.Refused
	if answer.Has("code") {
		s.Heading, s.Notice, s.Follow = a.lang.AllowedTitle, a.lang.Allowed, true
	}
	s.linkTo(a, a.answerURL(h.BaseURL, answer))
	s.Others = nil // it would ask again
	h.render(w, s, http.StatusOK)
}

// linkTo links a page to the program's address, which was registered, so neither javascript: nor data:.
func (s *shown) linkTo(a *authorization, back string) {
	s.Back, s.Place = template.URL(back), placeOf(a.Redirect)
}

// problem shows an error, with a link back to the program if the program may know.
func (h *Handler) problem(w http.ResponseWriter, a *authorization, why, back string, status int) {
	s := h.shown(a)
	s.Heading, s.Notice, s.Trouble = a.lang.TroubleTitle, why, true
	if back != "" {
		s.linkTo(a, back)
	}
	h.render(w, s, status)
}

func (h *Handler) shown(a *authorization) *shown {
	s := &shown{texts: a.lang, Style: template.CSS(style), Service: h.base.Host, Action: h.base.Path + authorizePath,
		MaxName: 64, MaxSecret: 1024}
	if a.client != nil {
		query := maps.Clone(a.query)
		for _, l := range lang.All {
			if query.Set("lang", l.Tag); l.Tag != a.lang.Tag {
				s.Others = append(s.Others, otherPage{l, s.Action + "?" + query.Encode()})
			}
		}
	}
	return s
}

func (h *Handler) render(w http.ResponseWriter, s *shown, status int) {
	var b bytes.Buffer
	if err := page.Execute(&b, s); err != nil {
		h.Log.Error("the page of sign-in failed", "error", err)
		http.Error(w, "the server failed", http.StatusInternalServerError)
		return
	}
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Language", s.Tag)
	header.Set("Vary", "Accept-Language")
	header.Set("Content-Security-Policy",
		"default-src 'none'; style-src "+styleHash+"; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
	header.Set("X-Frame-Options", "DENY")
	header.Set("Referrer-Policy", "no-referrer")
	w.WriteHeader(status)
	w.Write(b.Bytes()) // who went away misses nothing
}
