package tools

import (
	"context"
	"slices"

	"relais/api"
	"relais/api/endpoint"
	"relais/api/view"
	"relais/catalog"
	"relais/index"
	"relais/market"
	"relais/site"
)

var siteTools = []*Tool{sitesSearch, sitesGlobalSearch, sitesGet}

var sitesSearch = endpoint.New(endpoint.Decl{
	Name: "sites_search", Title: "Search sites of a market",
	Summary: "Finds antenna sites of one market by words (commune, postal code, address, identifier) and by operator, generation, status and department or province. Use sites_nearby for a position and sites_global_search when the market is not known.",
}, searchMarket)

type sitesSearchParams struct {
	marketParams
	api.AreaParams
	emissionParams
	Query string `param:"query" max:"200" doc:"A question as people type it: operator, technology, status, place, eNB, gNB, cell, PLMN, position and siteKey are understood. For a place its sites are answered, the nearest to its middle first; other words must all occur in identifiers, commune, postal code, address or department, whole, without regard to case and accents, Saint as St." example:"saint-denis"`
	pageParams
}

// A SiteList is a page of sites.
type SiteList struct {
	Understood *Understood `json:"understood,omitempty" doc:"How the query was read."`
	List[Site]
	Sourced
}

func searchMarket(r *Reading, ctx context.Context, p *sitesSearchParams) (*SiteList, error) {
	s, err := selection(market.Get(p.Market), p.Operator, p.AreaParams, p.emissionParams)
	if err != nil {
		return nil, err
	}
	return searchSites(r, ctx, s, p.Query, p.pageParams)
}

// searchSites returns a page of the selected sites that a question is about, "" for none.
func searchSites(r *Reading, ctx context.Context, s catalog.Selection, text string, p pageParams) (*SiteList, error) {
	// Without words there is nothing to understand; a market without an inventory has a source to name instead of sites.
	if s.Market != nil && (text == "" || !s.Market.HasInventory()) {
		return r.siteList(ctx, p.of(s, index.Query{}))
	}
	found, err := r.Find(ctx, catalog.Find{Text: text, Selection: s, Offset: p.Offset, Limit: p.Limit})
	if err != nil {
		return nil, err
	}
	items, total := r.foundSites(found), found.Total
	if p.Offset > 0 { // the sites of an identifier are on the first page
		items = r.pageSites(found)
	} else {
		total = max(total, len(items))
	}
	return &SiteList{newUnderstood(found), listOf(items, p.Offset, total), sourcesOf(nil, found.Registers)}, nil
}

// siteList answers a question for sites.
func (r *Reading) siteList(ctx context.Context, q catalog.Sites) (*SiteList, error) {
	found, err := r.Sites(ctx, q)
	if err != nil {
		return nil, err
	}
	return &SiteList{List: listOf(r.sites(found.Register, found.Hits), q.Offset, found.Total),
		Sourced: sourced(q.Market, found.Register)}, nil
}

// foundSites returns the sites that a text is about: those of an identifier, unless it is a place, come first.
func (r *Reading) foundSites(found *catalog.Found) (items []Site) {
	if found.RadioFirst() {
		for _, x := range found.Radio {
			items = append(items, r.site(x.Register, x.Site, -1))
		}
	}
	for _, s := range r.pageSites(found) {
		if !slices.ContainsFunc(items, func(have Site) bool { return have.SiteKey == s.SiteKey }) {
			items = append(items, s)
		}
	}
	return items
}

// pageSites returns the sites of the pages of what was found.
func (r *Reading) pageSites(found *catalog.Found) (items []Site) {
	for _, page := range found.Pages {
		items = append(items, r.sites(page.Register, page.Hits)...)
	}
	return items
}

var sitesGet = endpoint.New(endpoint.Decl{
	Name: "sites_get", Title: "One site in full",
	Summary: "Everything that the register states of one site: support, radio (azimuths, frequencies, nodes), stations and emissions with their status and dates. Use it after a search, with the siteKey.",
}, getSite)

// A SiteDetail is a site in full.
type SiteDetail struct {
	Site view.Detail `json:"site"`
	URL  string      `json:"url"`
	Sourced
}

func getSite(r *Reading, _ context.Context, p *siteParams) (*SiteDetail, error) {
	loaded, at, err := p.find(r)
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
}, searchMarkets)

type sitesGlobalSearchParams struct {
	Query string `param:"query" max:"200" required:"true" doc:"As the query of sites_search, in all markets." example:"lausanne"`
	pageParams
}

func searchMarkets(r *Reading, ctx context.Context, p *sitesGlobalSearchParams) (*SiteList, error) {
	return searchSites(r, ctx, catalog.Selection{}, p.Query, p.pageParams)
}
