package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"relais/api"
	"relais/api/view"
	"relais/archive"
	"relais/index"
	"relais/market"
)

// weekPath is the path of the newest edition, and the prefix of the others.
const weekPath = "/week"

// A weekPage is the data of week.html.
type weekPage struct {
	Market    market.Code
	Markets   []choice
	Date      string // of the edition, YYYY-MM-DD; "" without editions
	Before    string // that it is compared with, "" for the first
	Supports  int    // of the edition, in all territories
	Rows      int
	Previous  *choice // nil for the oldest
	Next      *choice // nil for the newest
	Sum       weekCounts
	Sites     int // that changed
	NewSites  int
	Added     int // emissions, on new sites and on others
	StatsLink string
	Feed      *feedLinks // nil without editions
	Tables    []weekTable
	Kinds     []choice
	List      []weekSite
	Pages     []choice
	Authority string
	Source    string
	Synthetic bool
}

// A weekTable is the numbers of an edition by one property.
type weekTable struct {
	Title, Head string // names of texts
	Folded      bool
	Rows        []weekRow
	Sum         weekCounts
}

// weekSites is how many sites a page lists.
const weekSites = 100

// newestWeek leads to the newest edition.
func (p *Pages) newestWeek(w http.ResponseWriter, r *http.Request) {
	all, err := p.editions()
	if err != nil {
		p.failFigures(w, r, err)
		return
	}
	w.Header().Set("Cache-Control", "no-cache")
	if len(all) == 0 {
		p.render(w, r, http.StatusNotFound, "week.html", &weekPage{})
		return
	}
	query := url.Values{}
	for _, name := range []string{"lang", "market"} {
		if value := r.URL.Query().Get(name); value != "" && len(value) < 20 {
			query.Set(name, value)
		}
	}
	target := weekPath + "/" + all[len(all)-1].Date
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	http.Redirect(w, r, target, http.StatusFound)
}

// editions returns the archived editions, oldest first.
func (p *Pages) editions() ([]archive.Publication, error) {
	env := p.Env()
	if err := env.CheckUsable(api.DataArchives); err != nil || env.Archives == nil {
		return nil, err
	}
	return env.Archives.List()
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
	code, known := weekMarket(q.Get("market"))
	if _, err := time.Parse(time.DateOnly, date); err != nil || !known {
		p.fail(w, r, http.StatusNotFound)
		return
	}
	all, err := p.editions()
	if err != nil {
		p.failFigures(w, r, err)
		return
	}
	at := slices.IndexFunc(all, func(e archive.Publication) bool { return e.Date == date })
	if at < 0 {
		p.fail(w, r, http.StatusNotFound)
		return
	}
	env := p.Env()
	name := strings.Join([]string{env.Archives.Version(), setVersion(env), string(code), date}, " ")
	sum, err := p.weeks.get(r.Context(), name, func(context.Context) (*weekSum, error) {
		if at == 0 { // all of it is new, and nothing is there to compare it with
			return &weekSum{}, nil
		}
		return sumWeek(env, code, date)
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

func setVersion(env *api.Env) string {
	if env.Set == nil {
		return ""
	}
	return env.Set.Version
}

// weekMarket returns the market that a page is asked for, FR if it is not stated.
func weekMarket(text string) (code market.Code, ok bool) {
	if text == "" {
		return market.FR, true
	}
	code = market.Code(text)
	return code, slices.Contains(archive.Markets, code)
}

func newWeekPage(w words, lang string, code market.Code, all []archive.Publication, at int, sum *weekSum) *weekPage {
	edition := &all[at]
	link := func(code market.Code, date string) string {
		return figureLink(weekPath+"/"+date, "market", string(code), "lang", lang)
	}
	register := market.Get(code).Register
	page := &weekPage{Market: code, Date: edition.Date, Supports: edition.Supports, Rows: edition.Rows,
		Sum: sum.Sum, Sites: sum.Changed, NewSites: sum.NewSites, Added: sum.Sum[0] + sum.Sum[1],
		StatsLink: figureLink(statsPath, "market", string(code), "lang", lang), Authority: register.Authority,
		Source: register.Source, Synthetic: edition.Synthetic}
	page.Feed = newFeedLinks(w, code, lang, &view.NewsFilter{})
	for _, c := range archive.Markets {
		page.Markets = append(page.Markets, choice{w.Market(c), link(c, edition.Date), c == code})
	}
	if at > 0 {
		page.Before = all[at-1].Date
		page.Previous = &choice{Label: w.Date(page.Before), Link: link(code, page.Before)}
	}
	if at+1 < len(all) {
		page.Next = &choice{Label: w.Date(all[at+1].Date), Link: link(code, all[at+1].Date)}
	}
	if page.Before == "" {
		return page
	}
	page.Tables = []weekTable{{"byOperator", "operator", false, sum.Operators, sum.Sum},
		{"byTechnology", "weekTechnology", false, sum.Systems, sum.Sum},
		{"byDepartment", "department", len(sum.Departments) > 12, sum.Departments, sum.Sum}}
	return page
}

// list chooses the sites of a kind, page by page. It reports whether there is such a page.
func (page *weekPage) list(w words, lang string, sum *weekSum, q url.Values) bool {
	kind := slices.Index(weekKinds, q.Get("kind"))
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
	for k, name := range weekKinds {
		n := len(sum.ByKind[k])
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
		if k == 1 || k == last || k >= number-2 && k <= number+2 {
			page.Pages = append(page.Pages, choice{w.Number(k), link(q.Get("kind"), k), k == number})
		}
	}
	return true
}

// siteLink returns the address of a site's page, "" if no loaded register has the site.
func siteLink(env *api.Env, code market.Code, id string) string {
	if env.Set == nil {
		return ""
	}
	loaded := env.Set.Market(code)
	if loaded == nil {
		return ""
	}
	key := index.Key(code, id)
	if _, ok := loaded.ByID(key); !ok {
		return ""
	}
	return view.SitePagePath + key
}
