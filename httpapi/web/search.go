package web

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"relais/api"
	"relais/catalog"
	"relais/geo"
	"relais/index"
	"relais/index/question"
	"relais/market"
	"relais/site/spelling"
)

// search answers the list of what a text finds, or without a text, of all sites of a market.
func (p lists) search(w http.ResponseWriter, r *http.Request) {
	q, words := newListQuery(r), wordsFor(r)
	if p.Keyed {
		p.failWith(w, r, http.StatusForbidden, words["needsKey"])
		return
	}
	if asked := question.Parse(q.Text); asked.Position != nil {
		http.Redirect(w, r, p.URL(q.around(&asked)), http.StatusSeeOther)
		return
	}
	env := p.Env()
	list := newListPage(env, words, q)
	list.Title = words["searchTitle"]
	if q.Text != "" {
		list.Title = words.Fill("resultsFor", q.Text)
	}
	status := http.StatusOK
	if utf8.RuneCountInString(q.Text) > maxQuery {
		status, list.Notice, list.Title, list.Query.Text = http.StatusBadRequest, words["tooLong"], words["searchTitle"], ""
	} else if err := p.fillSearch(r, env, words, list); err != nil {
		status, list.Notice = p.failure(words, err, words.asked(q.Market))
		retryAfter(w.Header(), err)
	}
	p.sendList(w, r, status, "list.html", list)
}

// sendList answers a page with a list. Search engines are kept out of it: it has no end.
func (p lists) sendList(w http.ResponseWriter, r *http.Request, status int, template string, list *listPage) {
	if list.Last != "" && status == http.StatusOK {
		status = http.StatusNotFound
	}
	w.Header().Set("Cache-Control", "public, max-age=60")
	if status != http.StatusOK {
		w.Header().Set("Cache-Control", "no-store")
	}
	p.render(w, r, status, template, list)
}

// noRegister says why there is no register of a code.
func (w words) noRegister(code string) string {
	m := market.Get(market.Code(code))
	switch {
	case m == nil:
		return w["notFound"]
	case !m.HasInventory():
		return w.Fill("noInventory", w.Market(m.Code))
	}
	return w.Fill("notLoaded", w.Market(m.Code))
}

// asked returns the name of the market that was asked for.
func (w words) asked(code string) string {
	if name := w["market."+code]; name != "" {
		return name
	}
	return code
}

// fillSearch asks the market that was chosen. If none was, it lists the first that has such sites,
// and names the others.
func (p lists) fillSearch(r *http.Request, env *api.Env, w words, list *listPage) error {
	hits, err := p.searched(r, env, w, list)
	if err != nil || list.nowhere(w, hits) {
		return err
	}
	first := hits[0]
	for _, h := range hits {
		if h.Total > 0 {
			first = h
			break
		}
	}
	list.show(r, w, hits, &first, nil)
	if p.Map && len(first.Sites) > 0 {
		at := first.Register.Position(first.Sites[0])
		list.MapLink = mapLink(r, &list.Query, at.Lat, at.Lng, 12)
	}
	if first.Total == 0 && len(list.Radio) == 0 && list.Better == nil {
		list.Notice, list.Hint = w["noMatch"], w["nothingHint"]
	}
	if list.Query.Text == "" {
		list.Examples = examples(r, first.Register)
	}
	if list.everything() {
		list.setAreas(first.Register)
	}
	return nil
}

// searched returns the sites that the text of a list is about, or else those of its filters, by market. It says on the
// page what was understood.
func (p lists) searched(r *http.Request, env *api.Env, w words, list *listPage) ([]catalog.SitesFound, error) {
	q := &list.Query
	if q.Text == "" || q.BBox != "" {
		return searchMarkets(r.Context(), env, q)
	}
	ask := catalog.Find{Text: q.Text, Offset: (q.Page - 1) * pageRows, Limit: pageRows}
	if ask.Market = market.Get(market.Code(q.Market)); ask.Market == nil && q.Market != "" {
		_, err := q.sites(q.Market, pageRows) // its error says which there are
		return nil, err
	}
	ask.Narrow = func(m *market.Market) (catalog.Selection, error) {
		sites, err := q.sites(string(m.Code), pageRows)
		return sites.Selection, err
	}
	found, err := env.Find(r.Context(), ask)
	if err != nil {
		return nil, err
	}
	list.understand(w, found)
	if q.Page == 1 {
		list.addRadio(r, w, found)
	}
	return byMarket(found), nil
}

// byMarket returns the pages of what was found, one for each register that was asked.
func byMarket(found *catalog.Found) (hits []catalog.SitesFound) {
	for _, m := range found.Registers {
		one := catalog.SitesFound{Selected: catalog.Selected{Register: m}}
		for _, page := range found.Pages {
			if page.Register == m {
				one.Sites = append(one.Sites, page.Sites...)
				one.Total = max(one.Total+len(page.Sites), page.Total)
			}
		}
		hits = append(hits, one)
	}
	return hits
}

// everything reports whether the list is the first page of all sites, in no order that a reader chose.
func (list *listPage) everything() bool {
	q := &list.Query
	return q.Text == "" && q.BBox == "" && q.Page == 1 && q.Sort == "" && !list.Filtered()
}

// setAreas shows the areas of a market that its sites state instead of all sites, whose list has no end.
func (list *listPage) setAreas(m *index.Market) {
	for i, c := range m.Departments(index.Any) {
		if c.Total == 0 {
			continue
		}
		q := list.Query
		q.Market, q.More = string(m.Table.Code), []moreFilter{{m.Table.AreaType, m.Table.Areas[i].Code}}
		list.Areas = append(list.Areas, otherMarket{areaName(m.Table, m.Table.Areas[i].Code), q.href(), c.Total})
	}
	if list.Areas != nil {
		list.Rows, list.Next, list.MapLink = nil, "", ""
	}
}

// nowhere reports whether no market was asked, and says so.
func (list *listPage) nowhere(w words, hits []catalog.SitesFound) bool {
	switch {
	case len(hits) > 0:
		return false
	case list.Query.Market == "":
		list.Notice = w["noRegisters"]
	default:
		list.Notice = w.Fill("noInventory", w.asked(list.Query.Market))
	}
	return true
}

// show lists what was found in one of the markets, and names the others. center is the middle of a search
// by distance, or nil.
func (list *listPage) show(r *http.Request, w words, hits []catalog.SitesFound, in *catalog.SitesFound,
	center *geo.Point) {
	list.setMarket(w, in.Register)
	list.setRows(r, w, in, center)
	list.addOthers(w, hits, in.Register)
	list.Caption = w.Count("siteCount", in.Total) + " · " + w.Market(in.Register.Table.Code)
}

// mapLink returns the address of the map at a place, with the filters of a list.
func mapLink(r *http.Request, q *listQuery, lat, lng float64, zoom int) string {
	return Link(r, "/", "operator", strings.Join(q.Operators, ","), "generation", strings.Join(q.Generations, ",")) +
		"#map=" + strconv.Itoa(zoom) + "/" + formatDegrees(lat) + "/" + formatDegrees(lng)
}

// searchMarkets asks the market of a question, or all, in the order of /markets. Of those that were
// not chosen, one that does not have an operator of the question is left out.
func searchMarkets(ctx context.Context, env *api.Env, q *listQuery) (hits []catalog.SitesFound, err error) {
	if q.Market != "" {
		h, err := searchMarket(ctx, env, q, q.Market, pageRows)
		if err != nil || h.Register == nil {
			return nil, err
		}
		return []catalog.SitesFound{h}, nil
	}
	limit := pageRows
	for _, m := range shownMarkets(env) {
		h, one := searchMarket(ctx, env, q, string(m.Table.Code), limit)
		if one != nil {
			err = one
			continue
		}
		if h.Total > 0 {
			limit = 1 // of the others, only the number counts
		}
		hits = append(hits, h)
	}
	if len(hits) > 0 {
		err = nil
	} else if env.Set == nil {
		_, err = searchMarket(ctx, env, q, string(market.Default), 1)
	}
	return hits, err
}

// searchMarket asks one market. Its result has no register if the market has none.
func searchMarket(ctx context.Context, env *api.Env, q *listQuery, code string, limit int) (catalog.SitesFound, error) {
	question, err := q.sites(code, limit)
	if err != nil {
		return catalog.SitesFound{}, err
	}
	return env.Sites(ctx, question)
}

// addOthers names the markets that have such sites too.
func (list *listPage) addOthers(w words, hits []catalog.SitesFound, first *index.Market) {
	for _, h := range hits {
		if h.Register == first || h.Total == 0 {
			continue
		}
		q := list.Query
		q.Market, q.Page, q.Sort = string(h.Register.Table.Code), 1, ""
		list.Others = append(list.Others, otherMarket{w.Market(h.Register.Table.Code), q.href(), h.Total})
	}
}

// A radioHit is a site that has a number as radio identifier.
type radioHit struct {
	listRow
	As []string // eNB, gNB, cell, PCI
}

// mostRadio are the sites that a page lists by a radio identifier.
const mostRadio = 10

// addRadio adds the sites that the identifier of the text names.
func (list *listPage) addRadio(r *http.Request, w words, found *catalog.Found) {
	list.RadioLast = !found.RadioFirst()
	list.RadioMore = len(found.Radio) > mostRadio
	for _, x := range found.Radio[:min(len(found.Radio), mostRadio)] {
		list.addSource(x.Register)
		as := typesOf(w, x.Types)
		if x.Foreign {
			as = append(as, w["radioForeign"])
		}
		list.Radio = append(list.Radio, radioHit{newListRow(r, w, x.Register, x.Site, nil), as})
	}
}

// typesOf returns what a number was found as. A cell has two names in the API.
func typesOf(w words, types []index.RadioType) (list []string) {
	for _, t := range types {
		if t != index.LookupCellID {
			list = append(list, w["radio."+string(t)])
		}
	}
	return list
}

// examples returns what can be searched for in a market.
func examples(r *http.Request, m *index.Market) (list []example) {
	if m.Len() == 0 {
		return nil
	}
	middle := m.Position(uint32(m.Len() / 2))
	key := index.Key(m.Table.Code, m.Snap.ID(m.Len()/2))
	texts := []string{key, formatDegrees(middle.Lat) + ", " + formatDegrees(middle.Lng)}
	m.CommunesIn(geo.Box{South: middle.Lat - 0.2, North: middle.Lat + 0.2, West: middle.Lng - 0.3, East: middle.Lng + 0.3},
		func(place *index.Place) {
			if len(texts) < 3 {
				texts = append([]string{spelling.Commune(place.Name, "", m.Table.Spelling)}, texts...)
			}
		})
	for _, text := range texts {
		list = append(list, example{text, Link(r, searchPath, "q", text)})
	}
	return list
}

// around returns the address of the sites around the position in a text, under the filters that it names.
func (q listQuery) around(asked *question.Question) string {
	near := q
	near.Path, near.Text, near.Lat, near.Lng, near.Page = nearPath, "", formatDegrees(asked.Position.Lat),
		formatDegrees(asked.Position.Lng), 1
	if asked.Generation != 0 {
		near.Generations = []string{asked.Generation.String()}
	}
	for _, key := range asked.Operators {
		for _, m := range market.All {
			if _, has := m.Operator(key); has && m.Contains(*asked.Position) {
				near.Operators = append(near.Operators, key)
			}
		}
	}
	return near.href()
}
