// Package web serves the pages for people: the map, sites, and the scripts and styles of both. A
// page shows the same data as the API. It needs no key. Only the map needs JavaScript.
package web

import (
	"bytes"
	"embed"
	"html/template"
	"log/slog"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"relais/api"
	"relais/api/view"
	"relais/httpapi/web/docs"
	"relais/internal/limit"
)

// Requests that an address has in a minute.
const (
	pagesPerMinute  = 60
	assetsPerMinute = 600
)

//go:embed *.html
var files embed.FS

var pages = template.Must(template.New("").Option("missingkey=error").
	Funcs(template.FuncMap{"asset": assetURL}).ParseFS(files, "*.html"))

// Options say what the pages show.
type Options struct {
	Env     func() *api.Env                // asked for each page
	Address func(*http.Request) netip.Addr // asked for each request
	Log     *slog.Logger
	Map     bool // there is a map
	// Docs is the documentation, or nil.
	Docs *docs.Docs
}

// Pages answers the pages.
type Pages struct {
	Options
	asked, assets *limit.Addresses
}

// New makes the pages.
func New(o Options) *Pages {
	return &Pages{o, limit.NewAddresses(time.Minute), limit.NewAddresses(time.Minute)}
}

// A Route is a path, which may have gorilla/mux variables, with its handler.
type Route struct {
	Path    string
	Handler http.Handler
}

// Routes lists the routes of the pages.
func (p *Pages) Routes() []Route {
	routes := []Route{{view.SitePagePath + "{key}", p.limited(p.asked, pagesPerMinute, p.site)},
		{AssetPath + "{hash}/{name}", p.limited(p.assets, assetsPerMinute, p.asset)}}
	if p.Map {
		routes = append(routes, Route{"/", p.limited(p.asked, pagesPerMinute, p.mapPage)},
			Route{"/map", p.limited(p.asked, pagesPerMinute, p.mapPage)})
	}
	return append(routes, p.docsRoutes()...)
}

// policy lets a page have the styles and pictures of this server, and nothing else. mapPolicy also
// lets it have scripts, and MapLibre make pictures.
const (
	policy = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; " +
		"frame-ancestors 'none'"
	mapPolicy = "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; connect-src 'self'; " +
		"img-src 'self' data: blob:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)

// limited answers GET and HEAD within the limit of an address.
func (p *Pages) limited(counter *limit.Addresses, most int, f http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("Referrer-Policy", "no-referrer")
		now := time.Now()
		switch {
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			h.Set("Allow", "GET, HEAD")
			p.fail(w, r, http.StatusMethodNotAllowed)
		case counter.Add(p.Address(r), now) > most:
			h.Set("Retry-After", strconv.Itoa(60-now.Second()))
			p.fail(w, r, http.StatusTooManyRequests)
		default:
			f(w, r)
		}
	})
}

// A page is what all templates get.
type page struct {
	W      words
	Other  string // address of the page in the other language
	Status int
	Data   any // of the template
}

func (p *Pages) fail(w http.ResponseWriter, r *http.Request, status int) {
	w.Header().Set("Cache-Control", "no-store")
	p.render(w, r, status, "error.html", nil)
}

// render writes a page, in the reader's language.
func (p *Pages) render(w http.ResponseWriter, r *http.Request, status int, name string, data any) {
	words := wordsFor(r)
	var text bytes.Buffer
	if err := pages.ExecuteTemplate(&text, name, page{words, otherLanguage(r, words), status, data}); err != nil {
		p.Log.Error("a page failed", "page", name, "error", err)
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Vary", "Accept-Language, Accept-Encoding")
	body := text.Bytes()
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		body = pack(body)
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // fails only if the reader has gone away
	}
}
