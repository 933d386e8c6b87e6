package tools

import (
	"context"
	"slices"
	"strings"

	"relais/api/endpoint"
	"relais/index"
	"relais/market"
	"relais/site"
)

var plannedTools = []*Tool{sitesPlannedNearby, sitesPlannedNearbyFromPlace}

var sitesPlannedNearby = endpoint.New(endpoint.Decl{
	Name: "sites_planned_nearby", Title: "Planned sites near a position",
	Summary: "Sites around a position with emissions that are only projects, the nearest first: what is approved and not yet built. A site may emit something else already.",
}, plannedNearPoint)

// plannedParams select projects.
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

// A PlannedList is a page of sites with their projects.
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

func plannedNearPoint(r *Reading, ctx context.Context, p *sitesPlannedNearbyParams) (*PlannedList, error) {
	return plannedList(r, ctx, p.center(p.Market), index.Query{Disc: disc(p.point(), p.RadiusKm)}, p.plannedParams, p.pageParams)
}

var sitesPlannedNearbyFromPlace = endpoint.New(endpoint.Decl{
	Name: "sites_planned_nearby_from_place", Title: "Planned sites near a place",
	Summary: "Sites around a commune or a postal code, or in a department, region or province, with emissions that are only projects, the nearest to its middle first.",
}, plannedNearPlace)

type sitesPlannedFromPlaceParams struct {
	placeParams
	areaRadiusParams
	plannedParams
	pageParams
}

func plannedNearPlace(r *Reading, ctx context.Context, p *sitesPlannedFromPlaceParams) (*PlannedList, error) {
	place, err := r.place(&p.placeParams, p.Operator)
	if err != nil {
		return nil, err
	}
	return plannedList(r, ctx, placeCenter(place), place.Near(p.metres()), p.plannedParams, p.pageParams)
}

// plannedList returns a page of the sites with projects around a centre. where is the place to look in.
func plannedList(r *Reading, ctx context.Context, c *Center, where index.Query, p plannedParams,
	page pageParams) (*PlannedList, error) {
	m := market.Get(c.Market)
	status, err := projectStatus(m)
	if err != nil {
		return nil, err
	}
	s, err := p.selection(m, emissionParams{p.Generation, status})
	if err != nil {
		return nil, err
	}
	found, err := r.Sites(ctx, page.of(s, where))
	if err != nil {
		return nil, err
	}
	sites := r.sites(found.Register, found.Hits)
	items := make([]PlannedSite, len(sites))
	for i, s := range sites {
		items[i] = plannedAt(found.Register, found.Sites[i], s)
	}
	return &PlannedList{*c, listOf(items, page.Offset, found.Total), sourced(m, found.Register)}, nil
}

// projectStatus returns the name of the status of projects in a market. It is an error if the register states
// none: an empty list would look like a market in which nothing is planned.
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
