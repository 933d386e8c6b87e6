package tools

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"relais/api"
	"relais/api/endpoint"
	"relais/api/view"
	"relais/catalog"
	"relais/geo"
	"relais/index"
	"relais/market"
	"relais/site"
)

var nearTools = []*Tool{sitesNearby, sitesNearbyFromPlace, sitesNearbyFromSite}

var sitesNearby = endpoint.New(endpoint.Decl{
	Name: "sites_nearby", Title: "Sites near a position",
	Summary: "Antenna sites of a market around a position, the nearest first, with distances in metres. Use sites_nearby_from_place for the name of a place.",
}, sitesNearPoint)

type sitesNearbyParams struct {
	pointParams
	radiusParams
	marketParams
	emissionParams
	pageParams
}

// A NearList is a page of sites around a centre.
type NearList struct {
	Center Center `json:"center"`
	List[Site]
	Sourced
}

func sitesNearPoint(r *Reading, ctx context.Context, p *sitesNearbyParams) (*NearList, error) {
	s, err := selection(market.Get(p.Market), p.Operator, api.AreaParams{}, p.emissionParams)
	if err != nil {
		return nil, err
	}
	return r.nearList(ctx, p.center(p.Market), p.of(s, index.Query{Disc: disc(p.point(), p.RadiusKm)}))
}

// nearList answers a question for the sites around a centre.
func (r *Reading) nearList(ctx context.Context, c *Center, q catalog.Sites) (*NearList, error) {
	list, err := r.siteList(ctx, q)
	if err != nil {
		return nil, err
	}
	return &NearList{*c, list.List, list.Sourced}, nil
}

// areaRadiusParams are radiusParams for a place that may be an area.
type areaRadiusParams struct {
	RadiusKm *float64 `param:"radiusKm" above:"0" max:"50" doc:"How far around its middle to look, in kilometres; by default 5, and in all of a department, region or province."`
}

// metres returns the radius in metres, 0 for the usual one.
func (p areaRadiusParams) metres() float64 { return *cmp.Or(p.RadiusKm, new(float64)) * 1000 }

// center returns the position as a centre.
func (p pointParams) center(in market.Code) *Center {
	return &Center{Market: in, Coordinates: view.Coordinates(p.point()), Note: otherMarket(in, p.point())}
}

// otherMarket returns a note that names the markets of a position outside of a market, "" for one inside. The
// areas of markets without an inventory are unknown.
func otherMarket(in market.Code, at geo.Point) string {
	if m := market.Get(in); !m.HasInventory() || m.Holds(index.Any, at) {
		return ""
	}
	note := fmt.Sprintf("The position is not in the market %s", in)
	var others []string
	for _, m := range market.All {
		if m.HasInventory() && m.Holds(index.Any, at) {
			others = append(others, string(m.Code))
		}
	}
	if len(others) == 0 {
		return note + " nor in another one that has an inventory."
	}
	return note + ": ask with market " + strings.Join(others, " or ") + "."
}

var sitesNearbyFromPlace = endpoint.New(endpoint.Decl{
	Name: "sites_nearby_from_place", Title: "Sites near a place",
	Summary: "Antenna sites around the middle of a commune or a postal code, or in a department, region or province, the nearest to its middle first. The answer says which place was meant.",
}, sitesNearPlace)

type sitesNearbyFromPlaceParams struct {
	placeParams
	areaRadiusParams
	operatorParams
	emissionParams
	pageParams
}

// operatorParams pick an operator of the market that a place or a site is in.
type operatorParams struct {
	Operator api.Operators `param:"operator" default:"ALL" doc:"An operator of the market (see capabilities_guide), or ALL." example:"ORANGE"`
}

// selection returns the sites of the operators in a market.
func (p operatorParams) selection(m *market.Market, e emissionParams) (catalog.Selection, error) {
	return selection(m, p.Operator, api.AreaParams{}, e)
}

func sitesNearPlace(r *Reading, ctx context.Context, p *sitesNearbyFromPlaceParams) (*NearList, error) {
	place, err := r.place(&p.placeParams, p.Operator)
	if err != nil {
		return nil, err
	}
	s, err := p.selection(place.Market, p.emissionParams)
	if err != nil {
		return nil, err
	}
	return r.nearList(ctx, placeCenter(place), p.of(s, place.Near(p.metres())))
}

var sitesNearbyFromSite = endpoint.New(endpoint.Decl{
	Name: "sites_nearby_from_site", Title: "Sites near a site",
	Summary: "The neighbours of a site, the nearest first, with distances in metres. The site itself is left out.",
}, sitesNearSite)

type sitesNearbyFromSiteParams struct {
	siteParams
	radiusParams
	operatorParams
	emissionParams
	pageParams
}

func sitesNearSite(r *Reading, ctx context.Context, p *sitesNearbyFromSiteParams) (*NearList, error) {
	loaded, at, err := p.find(r)
	if err != nil {
		return nil, err
	}
	s, err := p.selection(loaded.Table, p.emissionParams)
	if err != nil {
		return nil, err
	}
	c := centerOf(loaded, at)
	// From the first site on, and one more than the page: the site itself is among the nearest, but several
	// sites may stand on its spot, so that its place is known only when it is found.
	found, err := r.Sites(ctx, catalog.Sites{Selection: s, Where: index.Query{Disc: disc(c.point(), p.RadiusKm)},
		Limit: p.Offset + p.Limit + 1})
	if err != nil {
		return nil, err
	}
	hits := found.Hits
	if own := slices.Index(hits.Sites, at); own >= 0 {
		hits.Sites, hits.Metres = slices.Delete(hits.Sites, own, own+1), slices.Delete(hits.Metres, own, own+1)
		hits.Total--
	} else if self := loaded.Find(index.Query{Filter: found.Filter, ID: loaded.Snap.ID(int(at))}, 0, 1); self.Total > 0 {
		hits.Total-- // it is behind the page
	}
	from, to := min(p.Offset, len(hits.Sites)), min(p.Offset+p.Limit, len(hits.Sites))
	hits.Sites, hits.Metres = hits.Sites[from:to], hits.Metres[from:to]
	return &NearList{*c, listOf(r.sites(loaded, hits), p.Offset, hits.Total), sourced(loaded.Table, loaded)}, nil
}

// centerOf returns a site as a centre.
func centerOf(m *index.Market, at uint32) *Center {
	var s site.Site
	m.Site(at, &s)
	return &Center{Name: index.Key(m.Table.Code, s.ID), Market: m.Table.Code, Coordinates: view.Coordinates(s.Position)}
}
