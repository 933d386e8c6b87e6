package api

import (
	"cmp"
	"context"
	"fmt"

	"relais/api/endpoint"
	"relais/api/view"
	"relais/catalog"
	"relais/community"
	"relais/geo"
)

var listOutages = endpoint.New(endpoint.Decl{
	Name: "outages.list", Path: "/outages", Scope: "network-status:read", FailureName: "OUTAGES", MaxAge: 30,
	Example:    endpoint.Request{Target: "/outages?operator=ORANGE&limit=2"},
	DependsOn:  []string{catalog.DataOutages},
	Summary:    "Outages that operators publish and that people report, side by side.",
	Doc:        "What began last comes first, with lat, lon and radiusKm the nearest; a box is ignored then. Reports that are resolved, rejected or without news for 24 hours are left out. While operatorFeed.available is false, no entry of an operator does not mean no outage.",
	ErrorCodes: []string{codeInvalidBBox, codeInvalidOperator},
	Shapes:     shapes[[]view.Outage, view.OutagesMeta](),
	Files:      []string{csvType}, Columns: view.OutageTable(nil).Names(),
}, (*Env).outages)

// OutageParams select outages of a market.
type OutageParams struct {
	marketParams
	territoryParam
	Source outageSource `param:"source" default:"all" doc:"Only what operators publish, or only what people report."`
}

// Question returns the question for all outages that the parameters select.
func (p *OutageParams) Question() (q catalog.Outages, err error) {
	q.Source, q.Limit = outageSources[p.Source], -1
	if q.Market, q.Operators, err = p.Resolve(); err != nil {
		return q, err
	}
	q.Areas, err = areaParams{Territory: p.Territory}.Codes(q.Market)
	return q, err
}

type outagesParams struct {
	OutageParams
	wideDiscParams
	boxParams
	Format tableFormat `param:"format" default:"json" doc:"json; or csv: the items without meta, in columns with the names of their members."`
	csvParams
	Limit  int `param:"limit" default:"200" min:"1" doc:"Most entries to answer; above 500 it is 500."`
	Offset int `param:"offset" default:"0" min:"0" doc:"Entries to pass over."`
}

// maxOutages is the greatest limit.
const maxOutages = 500

// territoryParam is the one filter on the area that outages have.
type territoryParam struct {
	Territory string `param:"territory" max:"8" doc:"DROM: only this territory (971, 972, 973, 974, 976)." example:"974"`
}

// An outageSource is a source of outages, or all.
type outageSource string

// Values lists the sources.
func (outageSource) Values() []string {
	return append([]string{"all"}, view.OutageSource("").Values()...)
}

const operatorsOnly = outageSource(view.FromOperator)

// outageSources are the sources apart from all.
var outageSources = map[outageSource]catalog.OutageSource{operatorsOnly: catalog.FromOperators,
	outageSource(view.FromCommunity): catalog.FromPeople}

// wideDiscParams are discParams of a greater radius.
type wideDiscParams struct {
	Lat      *float64 `param:"lat" min:"-90" max:"90" doc:"Centre of a disc, latitude in degrees; lat, lon and radiusKm belong together. Answers come nearest first." example:"48.8584"`
	Lon      *float64 `param:"lon" min:"-180" max:"180" doc:"Centre of a disc, longitude in degrees." example:"2.2945"`
	Lng      *float64 `param:"lng" min:"-180" max:"180" doc:"The same as lon." example:"2.2945"`
	RadiusKm *float64 `param:"radiusKm" above:"0" max:"200" doc:"Radius of the disc in kilometres." example:"20"`
}

// area returns the disc or the box. A disc takes precedence.
func (p *outagesParams) area() (*geo.Disc, *geo.Box) {
	narrow := discParams(p.wideDiscParams)
	if disc := narrow.disc(); disc != nil {
		return disc, nil
	}
	return nil, p.box()
}

// Check holds the rules over several parameters.
func (p *outagesParams) Check() error {
	narrow := discParams(p.wideDiscParams)
	if err := cmp.Or(p.csvParams.check(string(p.Format)), p.boxParams.checkOnce()); err != nil {
		return err
	}
	if err := narrow.check(); err != nil || p.Lat != nil {
		return err // with a disc, the box is ignored
	}
	return p.boxParams.check()
}

func (r *Env) outages(_ context.Context, p *outagesParams) (*endpoint.Answer, error) {
	q, err := p.Question()
	if err != nil {
		return nil, err
	}
	q.Disc, q.Box = p.area()
	q.Offset, q.Limit = p.Offset, min(p.Limit, maxOutages)
	found := r.FindOutages(q)
	list, next := r.NewOutages(found.Items), found.Next(p.Offset)
	if p.Format == formatCSV {
		return p.file(view.OutageTable(list), p.Market, "outages", next), nil
	}
	return encodeBody(&view.Body[[]view.Outage, view.OutagesMeta]{Data: list, Meta: view.OutagesMeta{Market: p.Market,
		Operator: p.Operator.canonical(q.Market), Territory: territoryOf(q), Count: len(list), Truncated: next != nil,
		SourceUnavailableReason: unavailableReason(q.Market), OperatorFeed: view.NewOperatorFeed(found.Feed),
		Offset: p.Offset, HasMore: next != nil, NextOffset: next, DataVersion: &found.Version}})
}

// NewOutage returns an outage as answers show it.
func (r *Env) NewOutage(o community.Outage) view.Outage { return view.NewOutage(o, r.SiteOf(o)) }

// NewOutages returns outages as answers show them.
func (r *Env) NewOutages(list []community.Outage) []view.Outage {
	shown := make([]view.Outage, len(list))
	for i, o := range list {
		shown[i] = r.NewOutage(o)
	}
	return shown
}

func territoryOf(q catalog.Outages) *string {
	if q.Areas == nil {
		return nil
	}
	return &q.Areas[0]
}

var listUnavailableSites = endpoint.New(endpoint.Decl{
	Name: "sites-hs.list", Path: "/sites-hs", Scope: "network-status:read", FailureName: "SITES_HS", MaxAge: 30,
	Example:    endpoint.Request{Target: "/sites-hs?operator=ORANGE"},
	DependsOn:  []string{catalog.DataOutages},
	Summary:    "Sites that their operators say are unavailable, as they publish them.",
	Doc:        "What began last comes first. Operators of FR, DROM and CA publish such files; for the other markets the answer is empty and sourceUnavailableReason says so.",
	ErrorCodes: []string{codeInvalidOperator},
}, (*Env).unavailableSites)

type unavailableSitesParams struct {
	marketParams
	territoryParam
}

func (r *Env) unavailableSites(_ context.Context,
	p *unavailableSitesParams) (*view.Body[[]view.UnavailableSite, view.UnavailableSitesMeta], error) {
	q, err := (&OutageParams{p.marketParams, p.territoryParam, operatorsOnly}).Question()
	if err != nil {
		return nil, err
	}
	found := r.FindOutages(q)
	body := &view.Body[[]view.UnavailableSite, view.UnavailableSitesMeta]{Data: make([]view.UnavailableSite, found.Total)}
	for i, o := range found.Items {
		body.Data[i] = view.NewUnavailableSite(o.Entry, r.SiteOf(o))
	}
	body.Meta = view.UnavailableSitesMeta{Market: p.Market, Operator: p.Operator.canonical(q.Market), Territory: territoryOf(q),
		Cached: found.Feed.LastUpdate != nil || found.Total > 0, Count: found.Total,
		LastUpdate: view.LastUpdate(found.Feed.LastUpdate), OperatorFeed: view.NewOperatorFeed(found.Feed),
		DataVersion: &found.Version}
	if !found.Feed.Exists {
		reason := fmt.Sprintf("No operator of %s publishes its unavailable sites.", q.Market.Label)
		body.Meta.Unavailable = &reason
	}
	return body, nil
}
