package web

import (
	"cmp"
	"net/http"

	"relais/api"
	"relais/catalog"
	"relais/market"
)

// shownNews is how many entries the page about a feed shows.
const shownNews = 30

// A feedPage is the data of feeds.html.
type feedPage struct {
	What       string // the subject of the feed
	Edges      string // where it is in degrees, "" for everywhere and where What says it
	Markets    []choice
	Atom, JSON string // addresses, with the beginning of the service
	Authority  string
	Source     string
	Updated    string // date of the newest edition, "" without data
	Entries    []newsText
	Kept       string // says how many editions there are
	Hook       string // the command with which the operator of the server lets ntfy tell the news
	Rest       string // says which changes the page does not show, "" for none
	None       string // why there are no entries
	NewsLink   string // "" without editions
	Synthetic  bool
}

// feedPage describes a feed for people.
func (p news) feedPage(r *http.Request, env *api.Env, w words, news *catalog.NewsFound) *feedPage {
	s, code := &news.ChangeSelection, news.Market.Code
	q := periodQuery(&news.News)
	q.Set("lang", w["lang"])
	from, updated, synthetic := newsSource(news)
	page := &feedPage{What: w.newsWhat(news.Register, s), Authority: from.Authority, Source: from.Source,
		Updated: updated.String(), Synthetic: synthetic,
		Atom: env.BaseURL + feedAddress(code, atomFeed, q), JSON: env.BaseURL + feedAddress(code, jsonFeed, q)}
	if page.Edges = w.newsEdges(s); page.Edges == w.newsWhere(news.Register, s) {
		page.Edges = ""
	}
	for i := range news.Entries[:min(shownNews, len(news.Entries))] {
		page.Entries = append(page.Entries, w.news(news, &news.Entries[i], p.Map))
	}
	page.Rest, page.None = w.restOfNews(news, len(page.Entries)), w.noNews(news)
	if all, err := editionsOf(env); err == nil {
		page.addMarkets(w, all, code, statedLanguage(r))
	}
	if n := len(news.Editions); n > 0 {
		page.Kept = w.Count("editionsKept", n) + " " + w.Fill("editionsFrom", w.Date(news.Editions[0].Date.String()))
		filters := newsQuery(s)
		filters.Del("kind")
		filters.Set("market", string(code))
		filters.Set("lang", statedLanguage(r))
		if filters.Get("lang") == "" {
			filters.Del("lang")
		}
		page.NewsLink = newsPath + "?since=30d&" + encodeQuery(filters)
	}
	if news.Market.HasInventory() {
		page.Hook = p.hookCommand(r, s)
	}
	return page
}

// addMarkets adds the links to the feeds of markets that have editions.
func (page *feedPage) addMarkets(w words, all newsEditions, chosen market.Code, lang string) {
	for _, m := range market.All {
		if m.Code == chosen || len(all[m.Code]) > 0 {
			page.Markets = append(page.Markets, choice{w.Market(m.Code), figureLink(feedsPath+string(m.Code), "lang", lang),
				m.Code == chosen})
		}
	}
}

// hookCommand returns the command that makes a hook of the changes for ntfy.
func (p news) hookCommand(r *http.Request, s *catalog.ChangeSelection) string {
	folder := genericFolder
	if p.Folder != nil {
		folder = cmp.Or(p.Folder(r), folder)
	}
	q := newsQuery(s)
	q.Set("market", string(s.Market.Code))
	return "relais hook create --data " + quoted(folder) + " --format ntfy --url https://ntfy.sh/" + exampleTopic +
		" --events changes --filter '" + encodeQuery(q) + "'"
}

// exampleTopic stands for a topic of ntfy, which is a kind of password.
const exampleTopic = "relais-CHANGE-ME"

// toFeeds leads to the page about the feed of the first market that has something to compare.
func (p news) toFeeds(w http.ResponseWriter, r *http.Request) {
	all, err := editionsOf(p.Env())
	if err != nil {
		p.failFigures(w, r, err)
		return
	}
	w.Header().Set("Cache-Control", "no-cache")
	http.Redirect(w, r, p.URL(Link(r, feedsPath+string(all.first()))), http.StatusFound)
}

// noNews says why there are no entries.
func (w words) noNews(news *catalog.NewsFound) string {
	switch {
	case news.Oldest != 0:
		return w["noRecentNews"]
	case len(news.Editions) > 1 && (news.Since != 0 || news.Days != 0):
		return w["noNewsThen"]
	case len(news.Editions) > 1:
		return w["noNews"]
	case !news.Market.HasInventory():
		return w.Fill("noInventory", w.Market(news.Market.Code))
	case len(news.Editions) == 1:
		return w.Fill("firstNoted", w.Date(news.Editions[0].Date.String()))
	}
	return w["noEditionYet"]
}
