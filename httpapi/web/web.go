// Package web serves the pages for people that answers link to. A page shows the same data
// as the API. It needs no key and no JavaScript, and accepts no input.
package web

import (
	"bytes"
	"embed"
	"errors"
	"html/template"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"relais/api"
	"relais/api/view"
	"relais/internal/limit"
	"relais/site"
)

// pagesPerMinute is how many pages an address may ask for in a minute.
const pagesPerMinute = 60

//go:embed *.html
var files embed.FS

var pages = template.Must(template.ParseFS(files, "*.html"))

// Pages answers the pages. It is an http.Handler.
type Pages struct {
	Env     func() *api.Env
	Address func(*http.Request) netip.Addr
	Log     *slog.Logger

	asked *limit.Addresses
}

// New makes the pages. Env is asked for each page, Address for each request.
func New(env func() *api.Env, address func(*http.Request) netip.Addr, log *slog.Logger) *Pages {
	return &Pages{env, address, log, limit.NewAddresses(time.Minute)}
}

// policy lets a page have its own styles, and nothing else.
const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// ServeHTTP implements http.Handler.
func (p *Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Vary", "Accept-Language")
	now := time.Now()
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", "GET, HEAD")
		p.fail(w, r, http.StatusMethodNotAllowed)
	case p.asked.Add(p.Address(r), now) > pagesPerMinute:
		h.Set("Retry-After", strconv.Itoa(60-now.Second()))
		p.fail(w, r, http.StatusTooManyRequests)
	default:
		p.site(w, r)
	}
}

// A page is the data of the templates.
type page struct {
	words
	Status int
	Site   *view.Summary
	More   *view.More
	Date   string // of the data, YYYY-MM-DD
}

// site answers the page about a site.
func (p *Pages) site(w http.ResponseWriter, r *http.Request) {
	key, err := url.PathUnescape(strings.TrimPrefix(r.URL.EscapedPath(), view.SitePagePath))
	env := p.Env()
	if err != nil || len(key) > 128 {
		p.fail(w, r, http.StatusNotFound)
		return
	}
	loaded, at, err := env.Locate(key, nil)
	if e, ok := errors.AsType[*api.Error](err); ok {
		p.fail(w, r, e.Status)
		return
	} else if err != nil {
		p.Log.Error("a page failed", "error", err)
		p.fail(w, r, http.StatusInternalServerError)
		return
	}
	var s site.Site
	loaded.Site(at, &s)
	summary, more := view.NewSummary(loaded.Snap, &s), view.NewMore(loaded.Snap, &s)
	w.Header().Set("Cache-Control", "public, max-age=300")
	p.render(w, r, http.StatusOK, page{Site: &summary, More: &more, Date: loaded.Snap.SourceDate})
}

func (p *Pages) fail(w http.ResponseWriter, r *http.Request, status int) {
	w.Header().Set("Cache-Control", "no-store")
	p.render(w, r, status, page{})
}

// render writes a page, in the reader's language.
func (p *Pages) render(w http.ResponseWriter, r *http.Request, status int, v page) {
	v.words, v.Status = wordsFor(r), status
	name := "site.html"
	if v.Site == nil {
		name = "error.html"
	}
	var text bytes.Buffer
	if err := pages.ExecuteTemplate(&text, name, v); err != nil {
		p.Log.Error("a page failed", "page", name, "error", err)
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Length", strconv.Itoa(text.Len()))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = text.WriteTo(w) // fails only if the reader has gone away
	}
}
