package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"relais/api"
	"relais/api/endpoint"
	"relais/api/view"
	"relais/geo"
	"relais/index"
	"relais/market"
	"relais/site"
)

var nearTools = []*Tool{sitesNearby, sitesNearbyFromPlace, sitesNearbyFromSite}

var sitesNearby = endpoint.New(endpoint.Decl{
	Name: "sites_nearby", Title: "Sites near a position",
	Summary: "Antenna sites of a market around a position, the nearest first, with distances in metres. Use sites_nearby_from_place for the name of a place.",
}, (*Reading).sitesNearby)

type sitesNearbyParams struct {
	pointParams
	radiusParams
	api.MarketParams
	api.EmissionParams
	pageParams
}

// A NearList is a page of sites around a centre.
type NearList struct {
	Center Center `json:"center"`
	List[Site]
	Sourced
}

func (r *Reading) sitesNearby(_ context.Context, p *sitesNearbyParams) (*NearList, error) {
	c := p.center(p.Market)
	return r.nearList(c, index.Query{Disc: p.disc(c.point())}, p.MarketParams, p.EmissionParams, p.pageParams)
}

// nearList returns a page of the sites around a centre that a query finds.
func (r *Reading) nearList(c *Center, where index.Query, in api.MarketParams, e api.EmissionParams,
	p pageParams) (*NearList, error) {
	m, loaded, f, err := r.ResolveMarket(in, api.AreaParams{}, e)
	if err != nil {
		return nil, err
	}
	where.Filter = f
	list := r.siteList(m, loaded, where, p)
	return &NearList{*c, list.List, list.Sourced}, nil
}

// query is where sites near the place are: around its middle, and of an area or region, whose
// middle says little, in all of it.
func (p *Place) query(radius areaRadiusParams) index.Query {
	if p.wide() && radius.RadiusKm == nil {
		return index.Query{Place: &p.at, Disc: &geo.Disc{Center: p.center().point(), Radius: anywhere}}
	}
	return index.Query{Disc: radius.orUsual().disc(p.center().point())}
}

// areaRadiusParams are radiusParams for a place that may be an area.
type areaRadiusParams struct {
	RadiusKm *float64 `param:"radiusKm" above:"0" max:"50" doc:"How far around its middle to look, in kilometres; by default 5, and in all of a department, region or province."`
}

func (p areaRadiusParams) orUsual() radiusParams {
	if p.RadiusKm == nil {
		return radiusParams{5}
	}
	return radiusParams{*p.RadiusKm}
}

func (c *Center) point() geo.Point { return geo.Point{Lat: c.Coordinates.Lat, Lng: c.Coordinates.Lng} }

// center is the position as a centre.
func (p pointParams) center(in market.Code) *Center {
	return &Center{Market: in, Coordinates: view.Coordinates{Lat: p.Lat, Lng: p.Lon}, Note: otherMarket(in, p.point())}
}

// otherMarket says of a position outside a market in which it may be; "" inside. Where
// markets without an inventory are is not known.
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
}, (*Reading).sitesNearbyFromPlace)

type sitesNearbyFromPlaceParams struct {
	placeParams
	areaRadiusParams
	operatorParams
	api.EmissionParams
	pageParams
}

// operatorParams pick an operator of the market that a place or a site is in.
type operatorParams struct {
	Operator api.Operator `param:"operator" default:"ALL" doc:"An operator of the market (see capabilities_guide), or ALL." example:"ORANGE"`
}

func (r *Reading) sitesNearbyFromPlace(_ context.Context, p *sitesNearbyFromPlaceParams) (*NearList, error) {
	place, err := r.place(&p.placeParams, p.Operator)
	if err != nil {
		return nil, err
	}
	return r.nearList(place.center(), place.query(p.areaRadiusParams),
		api.MarketParams{Market: place.Market, Operator: p.Operator}, p.EmissionParams, p.pageParams)
}

var sitesNearbyFromSite = endpoint.New(endpoint.Decl{
	Name: "sites_nearby_from_site", Title: "Sites near a site",
	Summary: "The neighbours of a site, the nearest first, with distances in metres. The site itself is left out.",
}, (*Reading).sitesNearbyFromSite)

type sitesNearbyFromSiteParams struct {
	siteParams
	radiusParams
	operatorParams
	api.EmissionParams
	pageParams
}

func (r *Reading) sitesNearbyFromSite(_ context.Context, p *sitesNearbyFromSiteParams) (*NearList, error) {
	loaded, at, err := r.Locate(p.Site, p.Market)
	if err != nil {
		return nil, err
	}
	_, _, f, err := r.ResolveMarket(api.MarketParams{Market: loaded.Table.Code, Operator: p.Operator}, api.AreaParams{},
		p.EmissionParams)
	if err != nil {
		return nil, err
	}
	c := r.centerOf(loaded, at)
	// One more than the page, and the page moved by one where the site itself stands
	// before it: it is the first of its distance, or one of those on the same spot.
	hits := loaded.Find(index.Query{Filter: f, Disc: p.disc(c.point())}, 0, p.Offset+p.Limit+1)
	if own := slices.Index(hits.Sites, at); own >= 0 {
		hits.Sites, hits.Metres = slices.Delete(hits.Sites, own, own+1), slices.Delete(hits.Metres, own, own+1)
		hits.Total--
	} else if self := loaded.Find(index.Query{Filter: f, ID: loaded.Snap.ID(int(at))}, 0, 1); self.Total > 0 {
		hits.Total--
	}
	from, to := min(p.Offset, len(hits.Sites)), min(p.Offset+p.Limit, len(hits.Sites))
	hits.Sites, hits.Metres = hits.Sites[from:to], hits.Metres[from:to]
	return &NearList{*c, listOf(r.sites(loaded, hits), p.Offset, hits.Total), sourced(loaded.Table, loaded)}, nil
}

// centerOf is a site as a centre.
func (r *Reading) centerOf(m *index.Market, at uint32) *Center {
	var s site.Site
	m.Site(at, &s)
	return &Center{Name: index.Key(m.Table.Code, s.ID), Market: m.Table.Code,
		Coordinates: view.Coordinates{Lat: s.Position.Lat, Lng: s.Position.Lng}}
}
