package tools

import (
	"context"

	"relais/endpoint"
	"relais/index"
	"relais/market"
	"relais/ops"
	"relais/site"
	"relais/view"
)

var siteTools = []*Tool{sitesSearch, sitesGlobalSearch, sitesGet}

var sitesSearch = endpoint.New(endpoint.Decl{
	Name: "sites_search", Title: "Search sites of a market",
	Summary: "Finds antenna sites of one market by words (commune, postal code, address, identifier) and by operator, generation, status and department or province. Use sites_nearby for a position and sites_global_search when the market is not known.",
}, (*Reading).sitesSearch)

type sitesSearchParams struct {
	ops.InMarket
	ops.AreaParams
	ops.EmissionParams
	Query string `param:"query" max:"200" doc:"Words that must all occur in identifiers, commune, postal code, address or department, without regard to case and accents, Saint as St; the best matches come first: identifier, commune or postal code, city." example:"saint-denis"`
	pageParams
}

// A SiteList is a page of sites.
type SiteList struct {
	List[Site]
	Sourced
}

func (r *Reading) sitesSearch(_ context.Context, p *sitesSearchParams) (*SiteList, error) {
	m, loaded, f, err := r.Pick(p.InMarket, p.AreaParams, p.EmissionParams)
	if err != nil {
		return nil, err
	}
	return r.found(m, loaded, index.Query{Filter: f, Text: p.Query, Ranked: p.Query != "", Spoken: true}, p.pageParams), nil
}

// found is a page of the sites that a query finds.
func (r *Reading) found(m *market.Market, loaded *index.Market, q index.Query, p pageParams) *SiteList {
	var hits index.Hits
	if loaded != nil {
		hits = loaded.Find(q, p.Offset, p.Limit)
	}
	return &SiteList{listOf(r.sites(loaded, hits), p.Offset, hits.Total), sourced(m, loaded)}
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
	Query string `param:"query" max:"200" required:"true" doc:"Words that must all occur in identifiers, commune, postal code, address or area, without regard to case and accents, Saint as St; the best matches come first: identifier, commune or postal code, city." example:"lausanne"`
	pageParams
}

func (r *Reading) sitesGlobalSearch(_ context.Context, p *sitesGlobalSearchParams) (*SiteList, error) {
	items, total, from, err := r.everywhere(p.Query, p.pageParams)
	if err != nil {
		return nil, err
	}
	return &SiteList{listOf(items, p.Offset, total), from}, nil
}

// everywhere is a page of the sites of all loaded markets whose texts have the words.
func (r *Reading) everywhere(text string, p pageParams) (items []Site, total int, from Sourced, err error) {
	among, from, err := r.asked(nil)
	if err != nil {
		return nil, 0, from, err
	}
	for _, m := range among {
		hits := m.Find(index.Query{Filter: index.All, Text: text, Ranked: true, Spoken: true}, max(0, p.Offset-total), p.Limit-len(items))
		total += hits.Total
		if len(hits.Sites) > 0 {
			items = append(items, r.sites(m, hits)...)
		}
	}
	return items, total, from, nil
}
