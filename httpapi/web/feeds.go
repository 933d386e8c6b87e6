package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"relais/api"
	"relais/api/endpoint"
	"relais/api/view"
	"relais/export/feed"
	"relais/geo"
	"relais/market"
)

// feedsPath is the path prefix of feeds, and of the pages about them.
const feedsPath = "/feeds/"

// Extensions of the formats of a feed. Without one it is a page.
const (
	atomFeed = ".atom"
	jsonFeed = ".json"
)

// shownNews is how many entries the page about a feed shows.
const shownNews = 30

// A feedPage is the data of feeds.html.
type feedPage struct {
	What       string // the subject of the feed
	Atom, JSON string // addresses, with the beginning of the service
	News       *view.News
	Entries    []newsText
	Rest       string // says which changes the page does not show, "" for none
	None       string // why there are no entries
	WeekLink   string // "" without editions
	Synthetic  bool
}

// A newsText is an entry in words.
type newsText struct {
	Title, Link, Date string
	Lines             []string
}

// feed answers a feed, or the page about it.
func (p *Pages) feed(w http.ResponseWriter, r *http.Request) {
	words := wordsFor(r)
	if p.Keyed {
		p.failWith(w, r, http.StatusForbidden, words["needsKey"])
		return
	}
	name := strings.TrimPrefix(r.URL.Path, feedsPath)
	format := path.Ext(name)
	var code market.Code
	if err := code.UnmarshalText([]byte(strings.TrimSuffix(name, format))); err != nil ||
		format != "" && format != atomFeed && format != jsonFeed {
		p.fail(w, r, http.StatusNotFound)
		return
	}
	env := p.Env()
	call, err := bindNews(r, env, code)
	tag := ""
	if err == nil && format != "" {
		tag = newsTag(env, call, words, format)
	}
	h := w.Header()
	if known := r.Header.Get("If-None-Match"); tag != "" && strings.Contains(known, tag[2:]) {
		setFeedHeaders(h, tag) // it was answered before, so the question is valid
		w.WriteHeader(http.StatusNotModified)
		return
	}
	var news *view.News
	if err == nil {
		news, err = askNews(r.Context(), env, call)
	}
	if err != nil {
		status, text := p.failure(words, err, words.Market(code))
		retryAfter(h, err)
		p.failWith(w, r, status, text)
		return
	}
	if format == "" {
		h.Set("Cache-Control", "public, max-age=300")
		p.render(w, r, http.StatusOK, "feeds.html", newFeedPage(env, words, news))
		return
	}
	p.sendFeed(w, r, format, newFeed(env, words, news), tag)
}

// bindNews reads the parameters of a feed from a request.
func bindNews(r *http.Request, env *api.Env, code market.Code) (*endpoint.Call[*api.Env], error) {
	op, q := api.NewsOfChanges(), r.URL.Query()
	if err := env.Usable(op.DependsOn...); err != nil {
		return nil, api.PublicError(op, err)
	}
	call, err := op.Bind(func(p *endpoint.Param) (string, error) {
		if p.In == "path" {
			return string(code), nil
		}
		if len(q[p.Name]) > 1 {
			return q.Get(p.Name), endpoint.ErrRepeated
		}
		return q.Get(p.Name), nil
	})
	if err != nil {
		return nil, api.PublicError(op, err)
	}
	return call, nil
}

// askNews asks for the entries of a feed.
func askNews(ctx context.Context, env *api.Env, call *endpoint.Call[*api.Env]) (*view.News, error) {
	news, err := call.Do(ctx, env)
	if err != nil {
		return nil, api.PublicError(call.Op, err)
	}
	return news.(*view.News), nil
}

// newsTag returns the entity tag of a feed, which takes no look at the changes. It is "" while registers
// are loading.
func newsTag(env *api.Env, call *endpoint.Call[*api.Env], w words, format string) string {
	version := env.Freshness(call).Version
	if version == "" {
		return ""
	}
	parts := []string{version, call.Key, w["lang"], format, env.BaseURL, wordsVersion}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return `W/"` + hex.EncodeToString(sum[:16]) + `"`
}

func setFeedHeaders(h http.Header, tag string) {
	h.Set("Cache-Control", "public, max-age=300")
	h.Set("Vary", "Accept-Language, Accept-Encoding")
	if tag != "" {
		h.Set("Etag", tag)
	}
}

// sendFeed writes a feed. tag may be "".
func (p *Pages) sendFeed(w http.ResponseWriter, r *http.Request, format string, f *feed.Feed, tag string) {
	var text bytes.Buffer
	write, mediaType := f.WriteAtom, feed.AtomType
	if format == jsonFeed {
		write, mediaType = f.WriteJSON, feed.JSONType
	}
	if err := write(&text); err != nil {
		p.Log.Error("a feed failed", "error", err)
		p.fail(w, r, http.StatusInternalServerError)
		return
	}
	h := w.Header()
	setFeedHeaders(h, tag)
	h.Set("Content-Type", mediaType+"; charset=utf-8")
	sendText(w, r, http.StatusOK, text.Bytes())
}

// newsQuery returns the parameters of a feed in canonical form.
func newsQuery(f *view.NewsFilter) url.Values {
	q := url.Values{}
	add := func(name string, values []string) {
		if len(values) > 0 {
			q.Set(name, strings.Join(values, ","))
		}
	}
	var kinds []string
	for _, k := range f.Kinds {
		kinds = append(kinds, string(k))
	}
	add("kind", kinds)
	add("operator", f.Operators)
	add("generation", f.Generations)
	add("technology", f.Technologies)
	add("band", f.Bands)
	if f.Area != nil {
		q.Set(f.Area.Type, f.Area.Code)
	}
	if b := f.Box; b != nil {
		q.Set("bbox", strings.Join([]string{formatDegrees(b.West), formatDegrees(b.South), formatDegrees(b.East),
			formatDegrees(b.North)}, ","))
	}
	if d := f.Disc; d != nil {
		q.Set("lat", formatDegrees(d.Center.Lat))
		q.Set("lon", formatDegrees(d.Center.Lng))
		q.Set("radiusKm", strconv.FormatFloat(d.Radius/1000, 'f', -1, 64))
	}
	return q
}

// feedAddress returns the address of a feed in a format, without the beginning of the service.
func feedAddress(code market.Code, format string, q url.Values) string {
	if len(q) == 0 {
		return feedsPath + string(code) + format
	}
	return feedsPath + string(code) + format + "?" + strings.ReplaceAll(q.Encode(), "%2C", ",")
}

// newFeed writes news as a feed.
func newFeed(env *api.Env, w words, news *view.News) *feed.Feed {
	q := newsQuery(&news.Filter)
	f := &feed.Feed{ID: "tag:relais,2026:" + feedAddress(news.Market, "", q)[1:],
		Title: "relais · " + w.Fill("newsOf", w.newsWhat(news)), Lang: w["lang"], Author: news.SourceAuthority,
		Subtitle: news.SourceLabel, Rights: market.Get(news.Market).Licence}
	if news.Synthetic {
		f.Title, f.Rights = w["synthetic"]+" · "+f.Title, ""
	}
	f.Updated = env.Now.Truncate(24 * time.Hour) // Atom wants one, also of a market without data
	if news.Updated != nil {
		f.Updated = dayOf(*news.Updated)
	}
	q.Set("lang", w["lang"])
	address := func(format string) string { return env.BaseURL + feedAddress(news.Market, format, q) }
	f.Home = address("")
	setOffset(q, news.Offset)
	f.Atom, f.JSON = address(atomFeed), address(jsonFeed)
	if older := w.olderNews(news); older != "" {
		f.Subtitle += " · " + older
	}
	if news.Truncated {
		setOffset(q, news.Offset+len(news.Entries))
		f.NextAtom, f.NextJSON = address(atomFeed), address(jsonFeed)
	}
	for i := range news.Entries {
		e := &news.Entries[i]
		text := w.news(env, news.Market, e)
		id := "tag:relais,2026:" + string(news.Market) + "/" + url.PathEscape(e.Site.ID) + "/" + e.Date
		tags := kindsIn(e)
		if e.Correction > 0 {
			id += "/" + strconv.Itoa(e.Correction)
			tags = append(tags, "corrects")
		}
		f.Entries = append(f.Entries, feed.Entry{ID: id,
			Title: text.Title, Link: text.Link, Lines: text.Lines, Updated: dayOf(e.Date),
			At: &geo.Point{Lat: e.Site.Coordinates.Lat, Lng: e.Site.Coordinates.Lng}, Tags: tags})
		if text.Link != "" {
			f.Entries[i].Link = env.BaseURL + text.Link
		}
	}
	return f
}

// setOffset sets how many entries a page of a feed passes over.
func setOffset(q url.Values, n int) {
	if n > 0 {
		q.Set("offset", strconv.Itoa(n))
	}
}

// olderNews says which older changes a page of a feed does not have, "" if it has all.
func (w words) olderNews(news *view.News) string {
	switch {
	case news.Truncated:
		return w.Count("olderNews", len(news.Entries))
	case news.Oldest != nil:
		return w.Fill("oldestNews", w.Date(*news.Oldest))
	}
	return ""
}

// restOfNews says which changes a page that shows some entries of a feed does not have, "" if it has all.
func (w words) restOfNews(news *view.News, shown int) string {
	more := len(news.Entries) - shown
	switch {
	case news.Truncated:
		return w.Count("moreNewsPages", more)
	case more == 0:
		return w.olderNews(news)
	}
	return strings.TrimSpace(w.Count("moreNews", more) + " " + w.olderNews(news))
}

// dayOf returns the beginning of a day that is given as YYYY-MM-DD.
func dayOf(iso string) time.Time {
	day, _ := time.Parse(time.DateOnly, iso) // editions have dates
	return day
}

// newFeedPage describes a feed for people.
func newFeedPage(env *api.Env, w words, news *view.News) *feedPage {
	q := newsQuery(&news.Filter)
	q.Set("lang", w["lang"])
	page := &feedPage{What: w.newsWhat(news), News: news, Synthetic: news.Synthetic,
		Atom: env.BaseURL + feedAddress(news.Market, atomFeed, q), JSON: env.BaseURL + feedAddress(news.Market, jsonFeed, q)}
	for i := range news.Entries[:min(shownNews, len(news.Entries))] {
		page.Entries = append(page.Entries, w.news(env, news.Market, &news.Entries[i]))
	}
	page.Rest, page.None = w.restOfNews(news, len(page.Entries)), w.noNews(news)
	if news.Editions > 0 {
		page.WeekLink = figureLink(weekPath, "market", string(news.Market), "lang", w["lang"])
	}
	return page
}

// noNews says why there are no entries.
func (w words) noNews(news *view.News) string {
	switch {
	case news.Oldest != nil:
		return w["noRecentNews"]
	case news.Reason == nil:
		return w["noNews"]
	case news.SourceUnavailableReason != nil:
		return w.Fill("noInventory", w.Market(news.Market))
	case news.Editions == 1:
		return w.Fill("firstNoted", w.Date(*news.Updated))
	}
	return w["noEditionYet"]
}
