package web

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"relais/api"
	"relais/api/view"
	"relais/archive"
	"relais/archive/change"
	"relais/catalog"
	"relais/index"
	"relais/market"
)

// weekPath is the path of the newest edition, and the prefix of the others.
const weekPath = "/week"

// A weekPage is the data of week.html.
type weekPage struct {
	Market    market.Code
	Markets   []choice
	Date      string  // of the edition, YYYY-MM-DD; "" without editions
	Before    string  // that it is compared with, "" for the first
	Size      int     // sites of the edition, 0 if unknown
	Previous  *choice // nil for the oldest
	Next      *choice // nil for the newest
	Numbers   []weekNumber
	Sites     int // that changed
	StatsLink string
	Feed      *feedLinks // nil without editions
	Tables    []weekTable
	Places    bool // sites have a commune or an area
	Kinds     []choice
	List      []weekSite
	Pages     []choice
	Authority string
	Source    string
	Synthetic bool
}

// A weekNumber is how many changes of a kind there are. Name is that of its text.
type weekNumber struct {
	Name  string
	Count int
}

// headlines are the kinds whose numbers stand first.
var headlines = []change.Kind{change.SiteAdded, change.SystemAdded, change.StatusChanged, change.SystemRemoved}

// weekSites is how many sites a page lists.
const weekSites = 100

// newestWeek leads to the newest edition of the market that is asked for, or else of the first that has
// something to compare.
func (p *Pages) newestWeek(w http.ResponseWriter, r *http.Request) {
	all, err := p.editions()
	if err != nil {
		p.failFigures(w, r, err)
		return
	}
	stated := r.URL.Query().Get("market")
	code, known := all.first(), true
	if stated != "" {
		code, known = all.market(stated)
	}
	if !known {
		p.fail(w, r, http.StatusNotFound)
		return
	}
	w.Header().Set("Cache-Control", "no-cache")
	if len(all[code]) == 0 {
		p.render(w, r, http.StatusNotFound, "week.html", &weekPage{})
		return
	}
	if stated == "" && code != market.Default {
		stated = string(code)
	}
	target := figureLink(weekPath+"/"+all.newest(code), "market", stated, "lang", statedLanguage(r))
	http.Redirect(w, r, p.URL(target), http.StatusFound)
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

// week answers the page of an edition.
func (p *Pages) week(w http.ResponseWriter, r *http.Request) {
	date := strings.TrimPrefix(r.URL.EscapedPath(), weekPath+"/")
	q := r.URL.Query()
	all, err := p.editions()
	if err != nil {
		p.failFigures(w, r, err)
		return
	}
	code, known := all.market(cmp.Or(q.Get("market"), string(market.Default)))
	at := slices.IndexFunc(all[code], func(e archive.Edition) bool { return e.Date.String() == date })
	if !known || at < 0 {
		p.fail(w, r, http.StatusNotFound)
		return
	}
	env := p.Env()
	name := strings.Join([]string{env.Catalog.Version(catalog.Archives), string(code), date}, " ")
	sum, err := p.weeks.Make(r.Context(), name, func(ctx context.Context) (*weekSum, error) {
		if at == 0 { // all of it is new, and nothing is there to compare it with
			return &weekSum{}, nil
		}
		return sumWeek(ctx, env, code, all[code][at-1].Date, all[code][at].Date)
	})
	if err != nil {
		p.failFigures(w, r, err)
		return
	}
	page := newWeekPage(wordsFor(r), statedLanguage(r), code, all, at, sum)
	if !page.list(wordsFor(r), statedLanguage(r), sum, q) {
		p.fail(w, r, http.StatusNotFound)
		return
	}
	w.Header().Set("Cache-Control", "public, max-age=300")
	p.render(w, r, http.StatusOK, "week.html", page)
}

func newWeekPage(w words, lang string, code market.Code, all weekEditions, at int, sum *weekSum) *weekPage {
	edition, register := &all[code][at], market.Get(code).Attribution(all[code][at].Registers)
	link := func(code market.Code, date string) string {
		return figureLink(weekPath+"/"+date, "market", string(code), "lang", lang)
	}
	page := &weekPage{Market: code, Date: edition.Date.String(), Size: edition.Sites, Sites: sum.Changed,
		Tables: sum.Tables, Places: sum.Places, StatsLink: figureLink(statsPath, "market", string(code), "lang", lang),
		Authority: register.Authority, Source: register.Source, Synthetic: edition.Synthetic}
	page.Feed = newFeedLinks(w, lang, &catalog.ChangeSelection{Market: market.Get(code)})
	for _, m := range market.All {
		if c := m.Code; c == code || len(all[c]) > 1 {
			page.Markets = append(page.Markets, choice{w.Market(c), link(c, all.near(c, edition.Date)), c == code})
		}
	}
	if at > 0 {
		page.Before = all[code][at-1].Date.String()
		page.Previous = &choice{Label: w.Date(page.Before), Link: link(code, page.Before)}
	}
	if at+1 < len(all[code]) {
		next := all[code][at+1].Date.String()
		page.Next = &choice{Label: w.Date(next), Link: link(code, next)}
	}
	for _, k := range headlines {
		if sum.Sum[k] > 0 || k == change.SiteAdded {
			page.Numbers = append(page.Numbers, weekNumber{"kind." + k.String(), sum.Sum[k]})
		}
	}
	return page
}

// list chooses the sites of a kind, page by page. It reports whether there is such a page.
func (page *weekPage) list(w words, lang string, sum *weekSum, q url.Values) bool {
	names := change.Kind(0).Values()
	kind := slices.Index(names, q.Get("kind"))
	number, err := strconv.Atoi(q.Get("page"))
	if q.Get("page") == "" {
		number, err = 1, nil
	}
	if kind < 0 && q.Get("kind") != "" || err != nil || number < 1 {
		return false
	}
	link := func(kind string, number int) string {
		text := ""
		if number > 1 {
			text = strconv.Itoa(number)
		}
		return figureLink(weekPath+"/"+page.Date, "market", q.Get("market"), "kind", kind, "page", text,
			"lang", lang) + "#sites"
	}
	of := func(i int) weekSite { return sum.Sites[i] }
	listed := len(sum.Sites)
	page.Kinds = []choice{{w["kind.all"] + " (" + w.Number(listed) + ")", link("", 1), kind < 0}}
	for k, name := range names {
		n := len(sum.ByKind[k])
		if n == 0 && k != kind {
			continue
		}
		page.Kinds = append(page.Kinds, choice{w["kind."+name] + " (" + w.Number(n) + ")", link(name, 1), k == kind})
		if k == kind {
			of, listed = func(i int) weekSite { return sum.Sites[sum.ByKind[k][i]] }, n
		}
	}
	last := max(1, (listed+weekSites-1)/weekSites)
	if number > last {
		return false
	}
	for i := (number - 1) * weekSites; i < min(listed, number*weekSites); i++ {
		page.List = append(page.List, of(i))
	}
	for k := 1; k <= last && last > 1; k++ {
		switch {
		case k == 1 || k == last || k >= number-2 && k <= number+2:
			page.Pages = append(page.Pages, choice{w.Number(k), link(q.Get("kind"), k), k == number})
		case k == number-3 || k == number+3:
			page.Pages = append(page.Pages, choice{Label: "…"})
		}
	}
	return true
}

// communeAndLink returns the commune and the page of a site, "" if the register, which may be nil, does not have it.
func communeAndLink(loaded *index.Market, id string) (commune, link string) {
	if loaded == nil {
		return "", ""
	}
	key := index.Key(loaded.Table.Code, id)
	i, ok := loaded.ByID(key)
	if !ok {
		return "", ""
	}
	_, commune = loaded.Snap.Commune(int(i))
	return commune, view.SitePagePath + key
}
