// Package web serves the pages for people: the map, sites, and the scripts and styles of both. A
// page shows the same data as the API. It needs no key. Only the map needs JavaScript.
package web

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"html/template"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"relais/api"
	"relais/api/view"
	"relais/httpapi/web/docs"
	"relais/internal/accept"
	"relais/internal/admit"
)

// Requests that an address has in a minute.
const (
	pagesPerMinute  = 60
	assetsPerMinute = 600
	rangesPerMinute = 1200
	logsPerMinute   = 10
)

//go:embed *.html
var files embed.FS

// Options say what the pages show.
type Options struct {
	Env     func() *api.Env                // asked for each page
	Address func(*http.Request) netip.Addr // asked for each request
	Log     *slog.Logger
	BaseURL string // where browsers reach the service
	Map     bool   // there is a map
	// Keyed means that only callers with a key may read what the map reads: then no page lists sites.
	Keyed bool
	// Basemap is a file with streets for the map, which may be missing, or nil. Style is the address of a map style to draw
	// under the sites, or ""; the map may read from its origin, StyleOrigin.
	Basemap            *Basemap
	Style, StyleOrigin string
	// Embed are the origins whose pages may show the map alone in a frame.
	Embed []string
	// Folder returns the path of the data folder for the operator of the server, "" for others. It may
	// be nil.
	Folder func(*http.Request) string
	// Updating reports whether the server is downloading registers. It may be nil.
	Updating func() bool
	// Reserve reserves bytes of memory for the request of a context until its answer ends, and reports whether there is
	// room. Turn waits until something large may be computed for it. Both may be nil.
	Reserve func(ctx context.Context, bytes int64) bool
	Turn    func(context.Context) (*admit.Turn, error)
	// Docs is the documentation, or nil.
	Docs *docs.Docs
}

// Pages answers the pages.
type Pages struct {
	Options
	base                        string // view.BasePath
	templates                   *template.Template
	asked, assets, ranges, logs *admit.Rate
	*sums
}

// New makes the pages.
func New(o Options) *Pages {
	p := &Pages{Options: o, base: view.BasePath(o.BaseURL), asked: admit.NewRate(time.Minute),
		assets: admit.NewRate(time.Minute), ranges: admit.NewRate(time.Minute),
		logs: admit.NewRate(time.Minute), sums: newSums()}
	p.templates = p.ReadTemplates(files, template.FuncMap{"asset": p.assetURL, "modules": modules,
		"events": func(w words, list []siteEvent) any { return siteEvents{w, list} }})
	return p
}

// A Route is a path, which may have gorilla/mux variables, with its handler.
type Route struct {
	Path    string
	Handler http.Handler
}

// Routes lists the routes of the pages.
func (p *Pages) Routes() []Route {
	news, lists, sites := news{p}, lists{p}, sites{p}
	routes := []Route{{view.SitePagePath + "{key}" + pictureExt, p.limited(p.asked, pagesPerMinute, sites.picture)},
		{view.SitePagePath + "{key}", p.limited(p.asked, pagesPerMinute, sites.site)},
		{atPath + "{position}", p.limited(p.asked, pagesPerMinute, p.at)},
		{searchPath, p.limited(p.asked, pagesPerMinute, lists.search)}, {nearPath, p.limited(p.asked, pagesPerMinute, lists.near)},
		{goPath, p.limited(p.asked, pagesPerMinute, p.goTo)}, {logPath, p.logRoute()},
		{newsPath, p.limited(p.asked, pagesPerMinute, news.newest)},
		{newsPath + "/{date}", p.limited(p.asked, pagesPerMinute, news.edition)},
		{strings.TrimSuffix(feedsPath, "/"), p.limited(p.asked, pagesPerMinute, news.toFeeds)},
		{feedsPath + "{name}", p.limited(p.asked, pagesPerMinute, news.feed)},
		{statsPath, p.limited(p.asked, pagesPerMinute, p.stats)},
		{AssetPath + "{hash}/{name}", p.limited(p.assets, assetsPerMinute, p.asset)},
		{themePath, p.limited(p.assets, assetsPerMinute, theme)},
		{"/robots.txt", p.limited(p.assets, assetsPerMinute, p.robots)},
		{"/favicon.ico", p.limited(p.assets, assetsPerMinute, p.favicon)}}
	if p.Map {
		routes = append(routes, Route{"/", p.limited(p.asked, pagesPerMinute, p.mapPage)},
			Route{"/map", p.limited(p.asked, pagesPerMinute, p.mapPage)},
			Route{manifestPath, p.limited(p.assets, assetsPerMinute, p.manifest)},
			Route{workerPath, p.limited(p.assets, assetsPerMinute, p.worker)})
		if p.Basemap != nil {
			routes = append(routes, Route{BasemapPath, p.limited(p.ranges, rangesPerMinute, p.basemap)})
		}
	}
	return append(routes, p.docsRoutes()...)
}

// policy lets a page have the styles and pictures of this server, and nothing else.
const policy = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; " +
	"frame-ancestors 'none'"

// mapPolicy also lets the map have scripts, MapLibre make pictures, and both read from the origin of a
// map style. Pages of the origins in frames may show it in a frame.
func (p *Pages) mapPolicy(frames ...string) string {
	origin := ""
	if p.StyleOrigin != "" {
		origin = " " + p.StyleOrigin
	}
	return "default-src 'none'; script-src 'self'; worker-src 'self'; manifest-src 'self'; style-src 'self'; connect-src 'self'" + origin +
		"; img-src 'self' data: blob:" + origin + "; base-uri 'none'; form-action 'self'; frame-ancestors " +
		cmp.Or(strings.Join(frames, " "), "'none'")
}

// limited answers GET and HEAD within the limit of an address.
func (p *Pages) limited(rate *admit.Rate, most int, f http.HandlerFunc) http.Handler {
	return p.methods(rate, most, f, http.MethodGet, http.MethodHead)
}

// methods answers these methods within the limit of an address.
func (p *Pages) methods(rate *admit.Rate, most int, f http.HandlerFunc, allowed ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("Referrer-Policy", "no-referrer")
		now := time.Now()
		switch {
		case !slices.Contains(allowed, r.Method):
			h.Set("Allow", strings.Join(allowed, ", "))
			p.fail(w, r, http.StatusMethodNotAllowed)
		case !rate.Take(now, 1, admit.Of(p.Address(r), most)):
			h.Set("Retry-After", strconv.Itoa(60-now.Second()))
			p.fail(w, r, http.StatusTooManyRequests)
		default:
			f(w, r)
		}
	})
}

// A page is what all templates get.
type page struct {
	W         words
	Languages []languageLink
	Status    int
	Map, Docs bool   // there are such pages
	Lang      string // the language that the address states, or ""
	Query     string // that was searched for
	Lists     bool   // there are lists of sites
	Data      any    // of the template
}

// failures are the names of the texts of errors, by their status. Others have "later".
var failures = map[int]string{http.StatusNotFound: "notFound", http.StatusMethodNotAllowed: "notAllowed",
	http.StatusTooManyRequests: "tooMany"}

// fail answers an error with the text of its status.
func (p *Pages) fail(w http.ResponseWriter, r *http.Request, status int) {
	p.failWith(w, r, status, wordsFor(r)[cmp.Or(failures[status], "later")])
}

// failWith answers an error with a text.
func (p *Pages) failWith(w http.ResponseWriter, r *http.Request, status int, text string) {
	w.Header().Set("Cache-Control", "no-store")
	p.render(w, r, status, "error.html", text)
}

// Link returns a path of this server with parameters, given as names and values. Empty values
// are left out. A language that the address of the page states is kept.
func Link(r *http.Request, path string, params ...string) string {
	return figureLink(path, append(params, "lang", statedLanguage(r))...)
}

// execute makes a page, in the reader's language, and sets its type. If that fails, it answers and
// returns false.
func (p *Pages) execute(text *bytes.Buffer, w http.ResponseWriter, r *http.Request, status int, name string,
	data any) bool {
	words := wordsFor(r)
	all := page{W: words, Languages: languageLinks(r.URL.EscapedPath(), r.URL.Query()), Status: status, Map: p.Map, Docs: p.Docs != nil,
		Lang: statedLanguage(r), Query: firstRunes(cleanText(r.URL.Query().Get("q")), maxQuery),
		Lists: !p.Keyed, Data: data}
	if err := p.templates.ExecuteTemplate(text, name, all); err != nil {
		p.Log.Error("a page failed", "page", name, "error", err)
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
		return false
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	return true
}

// render writes a page, in the reader's language.
func (p *Pages) render(w http.ResponseWriter, r *http.Request, status int, name string, data any) {
	var text bytes.Buffer
	if p.execute(&text, w, r, status, name, data) {
		sendPage(w, r, status, text.Bytes())
	}
}

// sendPage sends a page that was made.
func sendPage(w http.ResponseWriter, r *http.Request, status int, text []byte) {
	w.Header().Set("Vary", "Accept-Language, Accept-Encoding")
	sendText(w, r, status, text)
}

// sendText sends a text, compressed if the client takes gzip. The other headers are set.
func sendText(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	if q, _ := accept.Quality(r.Header["Accept-Encoding"], "gzip"); q > 0 {
		body = pack(body)
		w.Header().Set("Content-Encoding", "gzip")
	}
	send(w, r, status, body)
}

// send sends a body with its length.
func send(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // fails only if the reader has gone away
	}
}
