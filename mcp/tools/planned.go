package tools

import (
	"context"
	"slices"
	"strings"

	"relais/api"
	"relais/api/endpoint"
	"relais/index"
	"relais/market"
	"relais/site"
)

var plannedTools = []*Tool{sitesPlannedNearby, sitesPlannedNearbyFromPlace}

var sitesPlannedNearby = endpoint.New(endpoint.Decl{
	Name: "sites_planned_nearby", Title: "Planned sites near a position",
	Summary: "Sites around a position with emissions that are only projects, the nearest first: what is approved and not yet built. A site may emit something else already.",
}, (*Reading).sitesPlannedNearby)

// plannedParams pick what is planned.
type plannedParams struct {
	operatorParams
	Generation *site.Generation `param:"generation" doc:"Generation of a planned emission."`
}

type sitesPlannedNearbyParams struct {
	pointParams
	radiusParams
	Market market.Code `param:"market" default:"FR" doc:"A market whose register states projects."`
	plannedParams
	pageParams
}

// A PlannedList is a page of sites with what is planned there.
type PlannedList struct {
	Center Center `json:"center"`
	List[PlannedSite]
	Sourced
}

// A PlannedSite is a site with its projects.
type PlannedSite struct {
	Site
	Planned []Planned `json:"planned"`
	New     bool      `json:"onlyProjects" doc:"Nothing of the site is in operation."`
}

// A Planned is an operator's projects on a site.
type Planned struct {
	Operator     string   `json:"operator"`
	Technologies []string `json:"technologies" doc:"Distinct systems such as 5G NR 3500."`
}

func (r *Reading) sitesPlannedNearby(_ context.Context, p *sitesPlannedNearbyParams) (*PlannedList, error) {
	c := p.center(p.Market)
	return r.planned(c, index.Query{Disc: p.disc(c.point())}, p.plannedParams, p.pageParams)
}

var sitesPlannedNearbyFromPlace = endpoint.New(endpoint.Decl{
	Name: "sites_planned_nearby_from_place", Title: "Planned sites near a place",
	Summary: "Sites around a commune or a postal code, or in a department, region or province, with emissions that are only projects, the nearest to its middle first.",
}, (*Reading).sitesPlannedNearbyFromPlace)

type sitesPlannedFromPlaceParams struct {
	placeParams
	areaRadiusParams
	plannedParams
	pageParams
}

func (r *Reading) sitesPlannedNearbyFromPlace(_ context.Context, p *sitesPlannedFromPlaceParams) (*PlannedList, error) {
	place, err := r.place(&p.placeParams, p.Operator)
	if err != nil {
		return nil, err
	}
	return r.planned(place.center(), place.query(p.areaRadiusParams), p.plannedParams, p.pageParams)
}

// planned is a page of the sites with projects around a centre, where a query looks for them.
func (r *Reading) planned(c *Center, where index.Query, p plannedParams, page pageParams) (*PlannedList, error) {
	status, err := projectStatus(market.Get(c.Market))
	if err != nil {
		return nil, err
	}
	in := api.MarketParams{Market: c.Market, Operator: p.Operator}
	m, loaded, f, err := r.ResolveMarket(in, api.AreaParams{}, api.EmissionParams{Generation: p.Generation, Status: status})
	if err != nil {
		return nil, err
	}
	var hits index.Hits
	if loaded != nil {
		where.Filter = f
		hits = loaded.Find(where, page.Offset, page.Limit)
	}
	sites := r.sites(loaded, hits)
	items := make([]PlannedSite, len(sites))
	for i, s := range sites {
		items[i] = plannedAt(loaded, hits.Sites[i], s)
	}
	return &PlannedList{*c, listOf(items, page.Offset, hits.Total), sourced(m, loaded)}, nil
}

// projectStatus is the name of the status of projects in a market.
func projectStatus(m *market.Market) (string, error) {
	var have []string
	for _, one := range market.All {
		i := slices.IndexFunc(one.Statuses, func(s market.Status) bool { return s.Phase == market.Project })
		if i < 0 {
			continue
		}
		if one == m {
			return m.Statuses[i].Name, nil
		}
		have = append(have, string(one.Code))
	}
	return "", &endpoint.ParamError{Param: "market", Value: string(m.Code),
		Want: "a market whose register states projects: " + strings.Join(have, ", ")}
}

// plannedAt adds the projects of a site.
func plannedAt(m *index.Market, at uint32, summary Site) PlannedSite {
	var s site.Site
	m.Site(at, &s)
	p := PlannedSite{Site: summary, Planned: []Planned{}, New: true}
	for o, operator := range m.Table.Operators {
		var systems []string
		for _, e := range s.Emissions {
			project := m.Table.Phase(e.Status) == market.Project
			p.New = p.New && project
			if project && e.System != "" && s.Stations[e.Station].Operator == o && !slices.Contains(systems, e.System) {
				systems = append(systems, e.System)
			}
		}
		if systems != nil {
			p.Planned = append(p.Planned, Planned{operator.Key, systems})
		}
	}
	return p
}
