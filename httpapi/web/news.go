package web

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"relais/api"
	"relais/archive"
	"relais/archive/change"
	"relais/catalog"
	"relais/market"
	"relais/site"
)

// newsPath is the path of what is new, and the prefix of the pages of editions.
const newsPath = "/news"

// news answers the pages about what changed, and the feeds.
type news struct{ *Pages }

// A newsPage is the data of news.html.
type newsPage struct {
	newsAddress       // of the page
	Markets           []choice
	None              string // why there is nothing to show, "" if there is
	Edition           string // the edition whose page this is, YYYY-MM-DD; "" for a period
	Before, Last      string // the editions that are compared; Before is "" for the first
	Editions          int    // that are added up
	Cut               bool   // the period is cut to the editions that are kept
	Previous, Next    *choice
	Periods           []choice
	Chips             []filterChip
	Form              newsForm
	Size              int // sites of the edition, 0 if unknown
	Numbers           []newsNumber
	Sites             int // that changed
	Tables            []newsTable
	Kinds             []choice
	Entries           []newsText
	Pages             []choice
	MapLink           string // "" without a map
	StatsLink         string
	Feed              *feedLinks
	Authority, Source string
	Synthetic         bool
	entries           []newsSite
}

// A newsNumber is how many changes of a kind there are. Name is that of its text.
type newsNumber struct {
	Name  string
	Count int
}

// headlines are the kinds whose numbers stand first.
var headlines = []change.Kind{change.SiteAdded, change.SystemAdded, change.StatusChanged, change.SystemRemoved}

// newest answers the page of a period, or leads to that of the newest edition of the market that is asked for, or else
// of the first that has something to compare.
func (p news) newest(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	all, err := editionsOf(p.Env())
	if err != nil {
		p.failFigures(w, r, err)
		return
	}
	stated := q.Get("market")
	code := market.Code(cmp.Or(stated, string(all.first())))
	if market.Get(code) == nil {
		p.fail(w, r, http.StatusNotFound)
		return
	}
	at := len(all[code]) - 1
	if until := site.ParseDate([]byte(q.Get("until"))); until != 0 {
		for at > 0 && all[code][at].Date > until {
			at--
		}
	}
	if q.Get("since") != "" || at < 0 {
		p.show(w, r, all, code, -1)
		return
	}
	w.Header().Set("Cache-Control", "no-cache")
	if stated == "" && code != market.Default {
		q.Set("market", string(code))
	}
	q.Del("until")
	target := newsPath + "/" + all[code][at].Date.String()
	if text := encodeQuery(q); text != "" {
		target += "?" + text
	}
	http.Redirect(w, r, p.URL(target), http.StatusFound)
}

// edition answers the page of an edition.
func (p news) edition(w http.ResponseWriter, r *http.Request) {
	all, err := editionsOf(p.Env())
	if err != nil {
		p.failFigures(w, r, err)
		return
	}
	code := market.Code(cmp.Or(r.URL.Query().Get("market"), string(market.Default)))
	date := strings.TrimPrefix(r.URL.EscapedPath(), newsPath+"/")
	at := slices.IndexFunc(all[code], func(e archive.Edition) bool { return e.Date.String() == date })
	if at < 0 {
		p.fail(w, r, http.StatusNotFound)
		return
	}
	p.show(w, r, all, code, at)
}

// show answers the page of an edition by its position, or with -1 that of a period.
func (p news) show(w http.ResponseWriter, r *http.Request, all newsEditions, code market.Code, at int) {
	env, words := p.Env(), wordsFor(r)
	page, q, err := newNewsPage(r, words, code)
	if err != nil {
		status, text := p.failure(words, err, words.Market(code))
		p.failWith(w, r, status, text)
		return
	}
	page.addMarkets(words, all)
	if len(all[code]) == 0 {
		w.Header().Set("Cache-Control", "no-cache")
		if page.None = words["noEditionsWhy"]; !q.Market.HasInventory() {
			page.None = words.noRegister(string(code))
		}
		p.render(w, r, http.StatusNotFound, "news.html", page)
		return
	}
	if at >= 0 {
		page.addEdition(words, all[code], at)
		q.Since, q.Days, q.Until = all[code][max(0, at-1)].Date, 0, all[code][at].Date
	}
	found, sum := &catalog.ChangesFound{Changes: *q}, &newsSum{}
	if found.Span = (&archive.Span{}); at != 0 { // all of the first edition is new, and nothing is there to compare it with
		found, sum, err = p.sum(r.Context(), env, *q)
	}
	if err != nil {
		status, text := p.failure(words, err, words.Market(code))
		p.failWith(w, r, status, text)
		return
	}
	page.addFound(words, all[code], found, sum)
	if !page.list(words, sum, r.URL.Query().Get("page")) {
		p.fail(w, r, http.StatusNotFound)
		return
	}
	page.addEntries(words, found, p.Map)
	if p.Map {
		page.MapLink = newsMapLink(r, found.Register, &found.ChangeSelection)
	}
	w.Header().Set("Cache-Control", "public, max-age=300")
	p.render(w, r, http.StatusOK, "news.html", page)
}

// failFigures answers an error of reading the data.
func (p *Pages) failFigures(w http.ResponseWriter, r *http.Request, err error) {
	if e, ok := errors.AsType[*api.Error](err); ok {
		p.fail(w, r, e.Status)
		return
	}
	if !errors.Is(err, context.Canceled) {
		p.Log.Error("a page failed", "path", r.URL.Path, "error", err)
	}
	p.fail(w, r, http.StatusServiceUnavailable)
}

// addMarkets adds the links to the markets that have something to compare, with the filters that all have.
func (page *newsPage) addMarkets(w words, all newsEditions) {
	for _, m := range market.All {
		if m.Code != page.Market && len(all[m.Code]) < 2 {
			continue
		}
		to := page.newsAddress.with("kind", "")
		for name := range to.filters {
			if name != "generation" {
				to = to.with(name, "")
			}
		}
		if to.Market = m.Code; to.date != "" && m.Code != page.Market {
			to.date = all.near(m.Code, site.ParseDate([]byte(to.date)))
		}
		page.Markets = append(page.Markets, choice{w.Market(m.Code), to.href(), m.Code == page.Market})
	}
}

// addEdition adds the way from an edition to its neighbours.
func (page *newsPage) addEdition(w words, all []archive.Edition, at int) {
	page.Edition, page.Size = all[at].Date.String(), all[at].Sites
	to := func(e *archive.Edition) *choice {
		next := page.newsAddress
		next.date = e.Date.String()
		return &choice{Label: w.Date(next.date), Link: next.href()}
	}
	if at > 0 {
		page.Previous = to(&all[at-1])
	}
	if at+1 < len(all) {
		page.Next = to(&all[at+1])
	}
}

// addFound adds what was found in a market's editions.
func (page *newsPage) addFound(w words, all []archive.Edition, found *catalog.ChangesFound, sum *newsSum) {
	last := &all[0]
	if found.Span.To.Date != 0 {
		last = &found.Span.To
	}
	register := found.Market.Attribution(last.Registers)
	page.Last, page.Authority, page.Source = last.Date.String(), register.Authority, register.Source
	page.Synthetic = last.Synthetic
	if from := found.Span.From.Date; from != 0 {
		page.Before, page.Editions = from.String(), len(found.Span.Lists)
		asked := found.Since
		if found.Days > 0 {
			asked = last.Date - site.Date(found.Days)
		}
		page.Cut = asked < from
	}
	page.Tables, page.Sites = sum.Tables, sum.Changed
	for _, k := range headlines {
		if sum.Sum[k] > 0 || k == change.SiteAdded {
			page.Numbers = append(page.Numbers, newsNumber{"kind." + k.String(), sum.Sum[k]})
		}
	}
	page.addChips(w, found)
	page.addForm(w, all, found.Market)
	page.StatsLink = figureLink(statsPath, "market", string(page.Market), "lang", page.lang)
	page.Feed = newFeedLinks(w, page.lang, found.Register, &found.ChangeSelection)
}
