package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"relais/api"
	"relais/api/endpoint"
	"relais/api/view"
	"relais/catalog"
	"relais/export/feed"
	"relais/market"
	"relais/site"
)

// feedsPath is the path prefix of feeds, and of the pages about them.
const feedsPath = "/feeds/"

// Extensions of the formats of a feed. Without one it is a page.
const (
	atomFeed = ".atom"
	jsonFeed = ".json"
)

// A newsText is an entry in words.
type newsText struct {
	Title, Link, Date string
	MapLink           string // "" without a map
	Lines             []string
}

// feed answers a feed, or the page about it.
func (p news) feed(w http.ResponseWriter, r *http.Request) {
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
	var news *catalog.NewsFound
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
		p.render(w, r, http.StatusOK, "feeds.html", p.feedPage(r, env, words, news))
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
func askNews(ctx context.Context, env *api.Env, call *endpoint.Call[*api.Env]) (*catalog.NewsFound, error) {
	news, err := call.Do(ctx, env)
	if err != nil {
		return nil, api.PublicError(call.Op, err)
	}
	return news.(*catalog.NewsFound), nil
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
func (p news) sendFeed(w http.ResponseWriter, r *http.Request, format string, f *feed.Feed, tag string) {
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
func newsQuery(s *catalog.ChangeSelection) url.Values {
	q, f := url.Values{}, &s.Filter
	add := func(name string, values []string) {
		if len(values) > 0 {
			q.Set(name, strings.Join(values, ","))
		}
	}
	add("kind", textsOf(f.Kinds))
	add("operator", f.Operators)
	add("generation", textsOf(f.Generations))
	add("technology", s.Technologies)
	add("band", s.Bands)
	for _, code := range f.Areas {
		q.Set(s.Market.AreaType, code)
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

// periodQuery returns the parameters of a feed with its period.
func periodQuery(n *catalog.News) url.Values {
	q := newsQuery(&n.ChangeSelection)
	if n.Days > 0 {
		q.Set("since", strconv.Itoa(n.Days)+"d")
	} else if n.Since != 0 {
		q.Set("since", n.Since.String())
	}
	return q
}

// feedAddress returns the address of a feed in a format, without the beginning of the service.
func feedAddress(code market.Code, format string, q url.Values) string {
	if len(q) == 0 {
		return feedsPath + string(code) + format
	}
	return feedsPath + string(code) + format + "?" + encodeQuery(q)
}

// textsOf returns the texts of values.
func textsOf[E fmt.Stringer](values []E) (list []string) {
	for _, v := range values {
		list = append(list, v.String())
	}
	return list
}

// newsSource returns the source of news, the date of the newest data, 0 for none, and whether it was made up.
func newsSource(news *catalog.NewsFound) (from market.Register, updated site.Date, synthetic bool) {
	from = news.Market.Register
	if loaded := news.Register; loaded != nil {
		from, updated = view.SourceOf(news.Market, loaded.Snap), site.ParseDate([]byte(loaded.Snap.SourceDate))
		synthetic = loaded.Snap.Synthetic
	}
	if n := len(news.Editions); n > 0 {
		newest := &news.Editions[n-1]
		if updated, synthetic = newest.Date, synthetic || newest.Synthetic; synthetic && news.Register == nil {
			from = view.Demonstration(from)
		}
	}
	return from, updated, synthetic
}

// newFeed writes news as a feed.
func newFeed(env *api.Env, w words, news *catalog.NewsFound) *feed.Feed {
	q, code := periodQuery(&news.News), news.Market.Code
	from, updated, synthetic := newsSource(news)
	f := &feed.Feed{ID: "tag:relais,2026:" + feedAddress(code, "", q)[1:],
		Title: "relais · " + w.Fill("newsOf", w.newsWhat(news.Register, &news.ChangeSelection)), Lang: w["lang"], Author: from.Authority,
		Subtitle: from.Source, Rights: news.Market.Licence}
	if synthetic {
		f.Title, f.Rights = w["synthetic"]+" · "+f.Title, ""
	}
	f.Updated = env.Now.Truncate(24 * time.Hour) // Atom wants one, also of a market without data
	if updated != 0 {
		f.Updated = updated.Time()
	}
	q.Set("lang", w["lang"])
	address := func(format string) string { return env.BaseURL + feedAddress(code, format, q) }
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
		f.Entries = append(f.Entries, newFeedEntry(env, w, news, &news.Entries[i]))
	}
	return f
}

func newFeedEntry(env *api.Env, w words, news *catalog.NewsFound, e *catalog.NewsEntry) feed.Entry {
	text, at := w.news(news, e, false), &e.Changes[0]
	place := at.Point()
	entry := feed.Entry{ID: "tag:relais,2026:" + string(news.Market.Code) + "/" + url.PathEscape(at.Site) + "/" + text.Date,
		Title: text.Title, Lines: text.Lines, Updated: e.Date.Time(), At: &place, Tags: textsOf(kindsIn(e.Changes))}
	if e.Correction > 0 {
		entry.ID += "/" + strconv.Itoa(e.Correction)
		entry.Tags = append(entry.Tags, "corrects")
	}
	if text.Link != "" {
		entry.Link = env.BaseURL + text.Link
	}
	return entry
}

// setOffset sets how many entries a page of a feed passes over.
func setOffset(q url.Values, n int) {
	if n > 0 {
		q.Set("offset", strconv.Itoa(n))
	}
}

// olderNews says which older changes a page of a feed does not have, "" if it has all.
func (w words) olderNews(news *catalog.NewsFound) string {
	switch {
	case news.Truncated:
		return w.Count("olderNews", len(news.Entries))
	case news.Oldest != 0:
		return w.Fill("oldestNews", w.Date(news.Oldest.String()))
	}
	return ""
}

// restOfNews says which changes a page that shows some entries of a feed does not have, "" if it has all.
func (w words) restOfNews(news *catalog.NewsFound, shown int) string {
	more := len(news.Entries) - shown
	switch {
	case news.Truncated:
		return w.Count("moreNewsPages", more)
	case more == 0:
		return w.olderNews(news)
	}
	return strings.TrimSpace(w.Count("moreNews", more) + " " + w.olderNews(news))
}
