package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"relais/api"
	"relais/api/view"
	"relais/catalog"
	"relais/httpapi/web/docs"
	"relais/index"
	"relais/market"
	"relais/site"
)

// sites answers the pages about a site, and their pictures.
type sites struct{ *Pages }

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
	Matrix                       siteMatrix
	Sketch                       *siteSketch // nil in the picture
	// HasStatus and HasDates say that the register states some of the emissions, Phases that its statuses tell projects
	// from what is in service.
	HasStatus, HasDates, Phases bool
	Nodes                       []siteNodes
	Stations                    []string
	Outages                     *siteOutages
	Past                        *pastOutages // nil: nothing is known
	Photos                      *sitePhotos
	Timeline                    *siteTimeline
	Canonical                   string // address of the page
	Picture                     string // address of the picture for previews
	MapLink                     string // "" without a map
	GeoLink, StreetLink         string // to programs that show the way, and to a map with streets
	NearLink                    string
	DocsLink                    string // "" without documentation
	Description                 string // for Open Graph
}

// maxKey is the longest key of a site that is looked for, in bytes.
const maxKey = 128

// site answers the page about a site. The card of the map shows its main part.
func (p sites) site(w http.ResponseWriter, r *http.Request) {
	key, err := url.PathUnescape(strings.TrimPrefix(r.URL.EscapedPath(), view.SitePagePath))
	if err != nil || len(key) > maxKey {
		p.fail(w, r, http.StatusNotFound)
		return
	}
	env, words := p.Env(), wordsFor(r)
	found, err := findSite(env, key)
	if err != nil {
		status, text := p.failure(words, err, words["site"])
		if status == http.StatusNotFound && p.removed(w, r, env, key) {
			return
		}
		if status == http.StatusForbidden {
			text = words["restrictedSite"]
		}
		retryAfter(w.Header(), err)
		p.failWith(w, r, status, text)
		return
	}
	w.Header().Set("Cache-Control", "public, max-age=60")
	page := p.newSitePage(r, env, words, found.Register, found.At)
	scene, err := newScene(r.Context(), env, words, found.Register.Table, page.Site)
	if err != nil {
		p.failFigures(w, r, err)
		return
	}
	page.Sketch = newSketch(words, scene, page)
	p.render(w, r, http.StatusOK, "site.html", page)
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
func (p sites) newSitePage(r *http.Request, env *api.Env, w words, loaded *index.Market, at uint32) *sitePage {
	var stored site.Site
	loaded.Site(at, &stored)
	stored.Radio = loaded.AppendLearned(stored.Radio, at)
	m := loaded.Table
	d := &view.Detail{Summary: view.NewSummary(loaded.Snap, &stored), More: view.NewMore(loaded.Snap, &stored)}
	s := &sitePage{place: placeOf(m, &stored, *d.SiteKey), Site: d, Key: *d.SiteKey,
		Date: loaded.Snap.SourceDate, Synthetic: loaded.Snap.Synthetic,
		Deployments: m.Deployments, Canonical: view.SitePage(env.BaseURL, *d.SiteKey), Stations: stationsOf(d)}
	s.setSupport(w, m)
	s.setOperators(w, operatorsOf(w, m, d))
	s.Phases = slices.ContainsFunc(m.Statuses, func(one market.Status) bool { return one.Phase == market.Project })
	s.Nodes = nodesOf(m, d)
	s.Picture = s.Canonical + pictureExt + "?lang=" + w["lang"]
	lat, lng := formatDegrees(d.Coordinates.Lat), formatDegrees(d.Coordinates.Lng)
	if p.Map {
		s.MapLink = Link(r, "/", "site", *d.SiteKey) + "#map=15/" + lat + "/" + lng
	}
	s.GeoLink = "geo:" + lat + "," + lng
	s.StreetLink = "https://www.openstreetmap.org/directions?to=" + lat + "," + lng
	s.NearLink = Link(r, nearPath, "lat", lat, "lng", lng,
		"market", string(d.Market))
	if p.Docs != nil {
		s.DocsLink = Link(r, docs.Path) + "#op-antennas-get"
	}
	s.Description = s.description(w)
	p.addReports(env, w, m, s)
	s.Past = p.pastOutagesOf(r.Context(), env, w, m, *d.SiteKey)
	return s
}

// setOperators adds what the operators have.
func (s *sitePage) setOperators(w words, list []siteOperator) {
	s.Operators, s.Matrix = list, newSiteMatrix(w, list)
	for _, o := range list {
		for _, e := range o.Emissions {
			s.HasStatus, s.HasDates = s.HasStatus || e.Status != "", s.HasDates || e.Date != ""
		}
	}
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
func (p sites) addReports(env *api.Env, w words, m *market.Market, s *sitePage) {
	if env.Outages != nil {
		s.Outages = p.outagesOf(env, m, s.Site)
	}
	if env.Photos != nil {
		s.Photos = p.photosOf(env, s.Site)
	}
	p.setTimeline(env, w, m, s.Site.ID, s)
}

// Who names the operators with their generations.
func (s *sitePage) Who(w words) string {
	var list []string
	for _, o := range s.Operators {
		text := strings.TrimSpace(o.Label + " " + o.Best)
		if o.Next != "" {
			text += " (" + w.Fill("plannedGeneration", o.Next) + ")"
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

// description sums the site up for a preview of the page elsewhere.
func (s *sitePage) description(w words) string {
	d := s.Site
	parts := []string{s.Who(w), strings.Join(d.Technologies, ", ")}
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
