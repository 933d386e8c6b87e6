package tools

import (
	"context"
	"strings"

	"relais/api"
	"relais/api/endpoint"
	"relais/api/view"
	"relais/index"
	"relais/market"
	"relais/site"
)

var siteTools = []*Tool{sitesSearch, sitesGlobalSearch, sitesGet}

var sitesSearch = endpoint.New(endpoint.Decl{
	Name: "sites_search", Title: "Search sites of a market",
	Summary: "Finds antenna sites of one market by words (commune, postal code, address, identifier) and by operator, generation, status and department or province. Use sites_nearby for a position and sites_global_search when the market is not known.",
}, (*Reading).sitesSearch)

type sitesSearchParams struct {
	api.MarketParams
	api.AreaParams
	api.EmissionParams
	Query string `param:"query" max:"200" doc:"A question as people type it: operator, technology and status are understood; the other words must all occur in identifiers, commune, postal code, address or department, whole, without regard to case and accents, Saint as St. The best matches come first: identifier, commune or postal code, city." example:"saint-denis"`
	pageParams
}

// A SiteList is a page of sites.
type SiteList struct {
	Understood *Understood `json:"understood,omitempty" doc:"How the query was read."`
	List[Site]
	Sourced
}

func (r *Reading) sitesSearch(_ context.Context, p *sitesSearchParams) (*SiteList, error) {
	m, loaded, f, err := r.ResolveMarket(p.MarketParams, p.AreaParams, p.EmissionParams)
	if err != nil {
		return nil, err
	}
	return r.askedOf(m, loaded, f, p.Query, p.pageParams)
}

// askedOf is a page of the sites of a market that a question is about, "" for none.
func (r *Reading) askedOf(m *market.Market, loaded *index.Market, f index.Filter, text string, p pageParams) (*SiteList,
	error) {
	if text == "" || loaded == nil {
		return r.siteList(m, loaded, index.Query{Filter: f}, p), nil
	}
	q, err := r.inquire(text, &m.Code)
	if err != nil {
		return nil, err
	}
	list := &SiteList{List: listOf[Site](nil, p.Offset, 0), Sourced: sourced(m, loaded)}
	ask := q.words(f)
	if q.narrow(loaded, &ask.Filter) {
		list = r.siteList(m, loaded, ask, p)
	}
	if list.Total == 0 && q.place == nil {
		if err := r.shorten(q, &m.Code); err != nil {
			return nil, err
		}
		if ask := (index.Query{Filter: f}); q.place != nil && q.narrow(loaded, &ask.Filter) {
			ask.Place = &q.place.at
			list = r.siteList(m, loaded, ask, p)
		}
	}
	if list.Total == 0 {
		q.notes = append(q.notes, q.nothing())
	}
	list.Understood = q.understood()
	return list, nil
}

// words asks for the sites that have the words of the question; of a region, for its sites.
func (q *inquiry) words(f index.Filter) index.Query {
	if q.place != nil && q.place.Kind == index.Region {
		return index.Query{Filter: f, Place: &q.place.at}
	}
	text := strings.Join(q.Words, " ")
	if q.place != nil && q.place.match == 0 { // Paris 15e is PARIS 15
		return index.Query{Filter: f, Text: q.place.Name, Ranked: true, Spoken: true, Whole: true}
	}
	return index.Query{Filter: f, Text: text, Ranked: text != "", Spoken: true}
}

// siteList is a page of the sites that a query finds.
func (r *Reading) siteList(m *market.Market, loaded *index.Market, q index.Query, p pageParams) *SiteList {
	var hits index.Hits
	if loaded != nil {
		hits = loaded.Find(q, p.Offset, p.Limit)
	}
	return &SiteList{List: listOf(r.sites(loaded, hits), p.Offset, hits.Total), Sourced: sourced(m, loaded)}
}

var sitesGet = endpoint.New(endpoint.Decl{
	Name: "sites_get", Title: "One site in full",
	Summary: "Everything that the register states of one site: support, radio (azimuths, frequencies, nodes), stations and emissions with their status and dates. Use it after a search, with the siteKey.",
}, (*Reading).sitesGet)

// A SiteDetail is a site in full.
type SiteDetail struct {
	Site view.Detail `json:"site"`
	URL  string      `json:"url"`
	Sourced
}

func (r *Reading) sitesGet(_ context.Context, p *siteParams) (*SiteDetail, error) {
	loaded, at, err := r.Locate(p.Site, p.Market)
	if err != nil {
		return nil, err
	}
	var s site.Site
	loaded.Site(at, &s)
	d := view.Detail{Summary: view.NewSummary(loaded.Snap, &s), More: view.NewMore(loaded.Snap, &s)}
	return &SiteDetail{d, r.pageOf(*d.SiteKey), sourced(loaded.Table, loaded)}, nil
}

var sitesGlobalSearch = endpoint.New(endpoint.Decl{
	Name: "sites_global_search", Title: "Search sites of all markets",
	Summary: "Finds antenna sites by words in every loaded market, those of one market after those of another. Use it when the market is not known, or for an identifier.",
}, (*Reading).sitesGlobalSearch)

type sitesGlobalSearchParams struct {
	Query string `param:"query" max:"200" required:"true" doc:"A question as people type it: operator, technology and status are understood; the other words must all occur in identifiers, commune, postal code, address or area, whole, without regard to case and accents, Saint as St. The best matches come first: identifier, commune or postal code, city." example:"lausanne"`
	pageParams
}

func (r *Reading) sitesGlobalSearch(_ context.Context, p *sitesGlobalSearchParams) (*SiteList, error) {
	q, err := r.inquire(p.Query, nil)
	if err != nil {
		return nil, err
	}
	items, total, from, err := r.everywhere(q, p.pageParams)
	if err == nil && total == 0 && q.place == nil {
		if err = r.shorten(q, nil); q.place != nil {
			q.Words = strings.Fields(q.place.Name)
			items, total, from, err = r.everywhere(q, p.pageParams)
		}
	}
	if err != nil {
		return nil, err
	}
	if total == 0 {
		q.notes = append(q.notes, q.nothing())
	}
	return &SiteList{q.understood(), listOf(items, p.Offset, total), from}, nil
}

// everywhere is a page of the sites of all loaded markets that have the words of a question.
func (r *Reading) everywhere(q *inquiry, p pageParams) (items []Site, total int, from Sourced, err error) {
	among, from, err := r.registers(nil)
	if err != nil {
		return nil, 0, from, err
	}
	for _, m := range among {
		ask := q.words(index.All)
		if ask.Place != nil && q.place.Market != m.Table.Code || q.Country != "" && q.Country != m.Table.Country ||
			!q.narrow(m, &ask.Filter) {
			continue
		}
		hits := m.Find(ask, max(0, p.Offset-total), p.Limit-len(items))
		total += hits.Total
		if len(hits.Sites) > 0 {
			items = append(items, r.sites(m, hits)...)
		}
	}
	return items, total, from, nil
}
