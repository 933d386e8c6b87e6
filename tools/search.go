package tools

import (
	"context"

	"relais/endpoint"
	"relais/geo"
	"relais/index"
	"relais/market"
	"relais/ops"
	"relais/site"
	"relais/view"
)

var siteTools = []*Tool{sitesSearch, sitesGet, sitesNearby}

var sitesSearch = endpoint.New(endpoint.Decl{
	Name: "sites_search", Title: "Search sites of a market",
	Summary: "Finds antenna sites of one market by words (commune, postal code, address, identifier) and by operator, generation, status and department or province. Use sites_nearby for a position and sites_global_search when the market is not known.",
}, (*Reading).sitesSearch)

type sitesSearchParams struct {
	ops.InMarket
	ops.AreaParams
	ops.EmissionParams
	Query string `param:"query" max:"200" doc:"Words that must all occur in identifiers, commune, postal code, address or department, without regard to case and accents." example:"saint-denis"`
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
	return r.found(m, loaded, index.Query{Filter: f, Text: p.Query, Ranked: p.Query != ""}, p.pageParams), nil
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

var sitesNearby = endpoint.New(endpoint.Decl{
	Name: "sites_nearby", Title: "Sites near a position",
	Summary: "Antenna sites of a market around a position, the nearest first, with distances in metres. Use sites_nearby_from_place for the name of a place.",
}, (*Reading).sitesNearby)

type sitesNearbyParams struct {
	pointParams
	radiusParams
	ops.InMarket
	ops.EmissionParams
	pageParams
}

func (r *Reading) sitesNearby(_ context.Context, p *sitesNearbyParams) (*SiteList, error) {
	return r.near(p.point(), p.radiusParams, p.InMarket, p.EmissionParams, p.pageParams)
}

// near is a page of the sites around a point.
func (r *Reading) near(c geo.Point, radius radiusParams, in ops.InMarket, e ops.EmissionParams, p pageParams) (*SiteList, error) {
	m, loaded, f, err := r.Pick(in, ops.AreaParams{}, e)
	if err != nil {
		return nil, err
	}
	return r.found(m, loaded, index.Query{Filter: f, Disc: radius.around(c)}, p), nil
}
