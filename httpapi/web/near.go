package web

import (
	"net/http"
	"slices"
	"strconv"

	"relais/api"
	"relais/catalog"
	"relais/geo"
)

// defaultRadius is the radius in kilometres of a page that states none.
const defaultRadius = "5"

var radii = []string{"1", "2", "5", "10", "20", "50"}

// near answers the list of the sites around a position, the nearest first.
func (p lists) near(w http.ResponseWriter, r *http.Request) {
	q, words := newListQuery(r), wordsFor(r)
	if p.Keyed {
		p.failWith(w, r, http.StatusForbidden, words["needsKey"])
		return
	}
	q.Text, q.BBox = "", ""
	if q.Radius == "" {
		q.Radius = defaultRadius
	}
	env := p.Env()
	list := newListPage(env, words, q)
	list.Near, list.Title = true, words["nearTitle"]
	for _, radius := range radii {
		list.Radii = append(list.Radii, option{radius, radius + "\u00a0km", "", radius == q.Radius})
	}
	if !slices.Contains(radii, q.Radius) {
		list.Radii = append(list.Radii, option{q.Radius, q.Radius + "\u00a0km", "", true})
	}
	if q.Lat == "" && q.Lng == "" {
		list.Notice = words["nearGive"]
		p.sendList(w, r, http.StatusOK, "list.html", list)
		return
	}
	status := http.StatusOK
	if err := p.fillNear(r, env, words, list); err != nil {
		status, list.Notice = p.failure(words, err, words.asked(q.Market))
		list.Hint = words["nearGive"]
		retryAfter(w.Header(), err)
	}
	p.sendList(w, r, status, "list.html", list)
}

// fillNear asks the market that was chosen. If none was, it lists the market with the nearest site,
// and names the others.
func (p lists) fillNear(r *http.Request, env *api.Env, w words, list *listPage) error {
	hits, err := nearMarkets(r, env, &list.Query)
	if err != nil || list.nowhere(w, hits) {
		return err
	}
	first := hits[0]
	for _, h := range hits[1:] {
		if len(h.Sites) > 0 && (len(first.Sites) == 0 || h.Metres[0] < first.Metres[0]) {
			first = h
		}
	}
	lat, _ := strconv.ParseFloat(list.Query.Lat, 64) // they were bound
	lng, _ := strconv.ParseFloat(list.Query.Lng, 64)
	center := geo.Point{Lat: lat, Lng: lng}
	list.Title = w.Fill("nearSites", formatDegrees(lat)+", "+formatDegrees(lng))
	list.show(r, w, hits, &first, &center)
	list.Caption += " · " + w["nearestFirst"]
	if p.Map {
		list.MapLink = mapLink(r, &list.Query, lat, lng, 13)
	}
	if first.Total == 0 {
		list.Notice, list.Hint = w["noMatch"], w["nearHint"]
	}
	return nil
}

// nearMarkets asks the market of a question, or those that can have sites there. If there is no such
// market, it asks all.
func nearMarkets(r *http.Request, env *api.Env, q *listQuery) (hits []catalog.SitesFound, err error) {
	if q.Market != "" {
		return searchMarkets(r.Context(), env, q)
	}
	lat, bad := strconv.ParseFloat(q.Lat, 64)
	lng, bad2 := strconv.ParseFloat(q.Lng, 64)
	for _, m := range shownMarkets(env) {
		if bad != nil || bad2 != nil || !m.Table.Contains(geo.Point{Lat: lat, Lng: lng}) {
			continue
		}
		h, one := searchMarket(r.Context(), env, q, string(m.Table.Code), pageRows)
		if one != nil {
			err = one
			continue
		}
		hits = append(hits, h)
	}
	if len(hits) > 0 {
		return hits, nil
	}
	if err != nil {
		return nil, err
	}
	return searchMarkets(r.Context(), env, q)
}
