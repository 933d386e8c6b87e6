package web

import (
	"net/http"
	"net/url"
	"strings"

	"relais/api"
	"relais/api/view"
	"relais/catalog"
	"relais/httpapi/web/docs"
	"relais/index"
	"relais/market"
	"relais/site"
)

// A sitePage is the data of site.html.
type sitePage struct {
	place
	Site        *view.Detail
	Key         string
	Date        string // of the data, YYYY-MM-DD
	Synthetic   bool
	Deployments bool // dates are those of deployments
	// Nature and Owner are of the support, as published; NatureMeaning is in the reader's language.
	Nature, NatureMeaning, Owner string
	Operators                    []siteOperator
	// HasStatus and HasDates say that the register states some of the emissions.
	HasStatus, HasDates bool
	Nodes               []siteNodes
	Stations            []string
	Outages             *siteOutages
	Photos              *sitePhotos
	Timeline            *siteTimeline
	Canonical           string // address of the page
	MapLink             string // "" without a map
	NearLink            string
	DocsLink            string // "" without documentation
	Description         string // for Open Graph
}

// maxKey is the longest key of a site that is looked for, in bytes.
const maxKey = 128

// site answers the page about a site. The card of the map shows its main part.
func (p *Pages) site(w http.ResponseWriter, r *http.Request) {
	key, err := url.PathUnescape(strings.TrimPrefix(r.URL.EscapedPath(), view.SitePagePath))
	if err != nil || len(key) > maxKey {
		p.fail(w, r, http.StatusNotFound)
		return
	}
	env, words := p.Env(), wordsFor(r)
	found, err := findSite(env, key)
	if err != nil {
		status, text := p.failure(words, err, words["site"])
		if status == http.StatusForbidden {
			text = words["restrictedSite"]
		}
		retryAfter(w.Header(), err)
		p.failWith(w, r, status, text)
		return
	}
	w.Header().Set("Cache-Control", "public, max-age=60")
	p.render(w, r, http.StatusOK, "site.html", p.newSitePage(r, env, words, found.Register, found.At))
}

// findSite finds the site with a key.
func findSite(env *api.Env, key string) (catalog.SiteFound, error) {
	q, err := api.BindSite(lookup(url.Values{"id": {key}}))
	if err != nil {
		return catalog.SiteFound{}, err
	}
	return env.Site(q)
}

// newSitePage collects what is known of a site of a register.
func (p *Pages) newSitePage(r *http.Request, env *api.Env, w words, loaded *index.Market, at uint32) *sitePage {
	var stored site.Site
	loaded.Site(at, &stored)
	stored.Radio = loaded.AppendLearned(stored.Radio, at)
	m := loaded.Table
	d := &view.Detail{Summary: view.NewSummary(loaded.Snap, &stored), More: view.NewMore(loaded.Snap, &stored)}
	s := &sitePage{place: placeOf(m, &stored, *d.SiteKey), Site: d, Key: *d.SiteKey,
		Date: loaded.Snap.SourceDate, Synthetic: loaded.Snap.Synthetic,
		Deployments: m.Deployments, Canonical: view.SitePage(env.BaseURL, *d.SiteKey), Stations: stationsOf(d)}
	s.setSupport(w, m)
	s.Operators = operatorsOf(w, m, d)
	for _, o := range s.Operators {
		for _, e := range o.Emissions {
			s.HasStatus, s.HasDates = s.HasStatus || e.Status != "", s.HasDates || e.Date != ""
		}
	}
	s.Nodes = nodesOf(m, d)
	lat, lng := formatDegrees(d.Coordinates.Lat), formatDegrees(d.Coordinates.Lng)
	if p.Map {
		s.MapLink = Link(r, "/", "site", *d.SiteKey) + "#map=15/" + lat + "/" + lng
	}
	s.NearLink = Link(r, nearPath, "lat", lat, "lng", lng,
		"market", string(d.Market))
	if p.Docs != nil {
		s.DocsLink = Link(r, docs.Path) + "#op-antennas-get"
	}
	s.Description = description(w, m, d)
	p.addReports(env, w, m, s)
	return s
}

// setSupport adds what the register states of the support.
func (s *sitePage) setSupport(w words, m *market.Market) {
	info := &s.Site.Support.SupportInfo
	if info.Nature != nil {
		s.Nature = *info.Nature
	}
	if m.LegacyCode && s.Nature != "" { // the codes are ANFR's
		s.NatureMeaning = w.Nature(info.NatID, s.Nature)
	}
	if info.TypeProprietaire != nil {
		s.Owner = *info.TypeProprietaire
	}
}

// addReports adds what other datasets than the register have of the site. One that cannot be read
// says so on the page.
func (p *Pages) addReports(env *api.Env, w words, m *market.Market, s *sitePage) {
	if env.Outages != nil {
		s.Outages = p.outagesOf(env, m, s.Site)
	}
	if env.Photos != nil {
		s.Photos = p.photosOf(env, s.Site)
	}
	if env.Archives != nil {
		s.Timeline = p.timelineOf(env, w, m, s.Site.ID)
	}
}

// description sums the site up for a preview of the page elsewhere.
func description(w words, m *market.Market, d *view.Detail) string {
	parts := []string{strings.Join(labelsOf(m, d.Operators), ", "), strings.Join(d.Technologies, ", ")}
	if d.Support.Height != nil {
		parts = append(parts, w.Metres(*d.Support.Height))
	}
	parts = append(parts, d.SourceLabel)
	return strings.Join(parts, " · ")
}

// labelsOf returns the names of operators.
func labelsOf(m *market.Market, keys []string) []string {
	names := make([]string, len(keys))
	for i, key := range keys {
		names[i] = market.Label(m.Code, key)
	}
	return names
}
