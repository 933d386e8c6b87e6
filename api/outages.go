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
	"relais/index"
	"relais/market"
	"relais/outage"
)

var listOutages = endpoint.New(endpoint.Decl{
	Name: "outages.list", Path: "/outages", Scope: "network-status:read", FailureName: "OUTAGES", MaxAge: 30,
	Example:    endpoint.Request{Target: "/outages?operator=ORANGE&limit=2"},
	DependsOn:  []string{catalog.Outages},
	Summary:    "Outages that operators publish and that people report, side by side.",
	Doc:        "What began last comes first, with lat, lon and radiusKm the nearest; a box is ignored then. Reports that are resolved, rejected or without news for 24 hours are left out. While operatorFeed.available is false, no entry of an operator does not mean no outage.",
	ErrorCodes: []string{codeInvalidBBox, codeInvalidOperator},
	Shapes:     shapes[[]view.Outage, view.OutagesMeta](),
	Files:      []string{csvType}, Columns: view.OutageTable(nil).Names(),
}, (*Env).outages)

type outagesParams struct {
	marketParams
	territoryParam
	Source outageSource `param:"source" default:"all" doc:"Only what operators publish, or only what people report."`
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
	q, err := feedQuery(p.marketParams, p.territoryParam)
	if err != nil {
		return nil, err
	}
	q.Disc, q.Box = p.area()
	limit := min(p.Limit, maxOutages)
	if q.Limit = limit; p.Offset > 0 {
		q.Limit = 0 // all: the page is cut from them
	}
	list, truncated := r.outagesBySource(p.Source, q)
	if p.Offset > 0 {
		list = list[min(p.Offset, len(list)):]
		truncated = len(list) > limit
		list = list[:min(limit, len(list))]
	}
	body := &view.Body[[]view.Outage, view.OutagesMeta]{Data: make([]view.Outage, len(list))}
	for i, o := range list {
		body.Data[i] = r.NewOutage(o)
	}
	version, next := r.Outages.Version(), p.Offset+len(list)
	if truncated {
		body.Meta.NextOffset = &next
	}
	if p.Format == formatCSV {
		return p.file(view.OutageTable(body.Data), q.Market, "outages", body.Meta.NextOffset), nil
	}
	status, m := r.Outages.FeedStatus(q.Market, q.Operators), market.Get(q.Market)
	body.Meta = view.OutagesMeta{Market: q.Market, Operator: p.Operator.canonical(m),
		Territory: territoryOf(q), Count: len(list), Truncated: truncated, SourceUnavailableReason: unavailableReason(m),
		OperatorFeed: view.OperatorFeed{Exists: status.Exists, Available: status.Available},
		Offset:       p.Offset, HasMore: truncated, NextOffset: body.Meta.NextOffset, DataVersion: &version}
	return encodeBody(body)
}

func (r *Env) outagesBySource(source outageSource, q outage.Query) (list []community.Outage, truncated bool) {
	switch view.OutageSource(source) {
	case view.FromOperator:
		entries, truncated := r.Outages.Entries(q)
		for _, e := range entries {
			list = append(list, community.Outage{Entry: e})
		}
		return list, truncated
	case view.FromCommunity:
		reports, truncated := r.Outages.Reports(q)
		for _, report := range reports {
			list = append(list, community.Outage{Report: report})
		}
		return list, truncated
	}
	return r.Outages.All(q)
}

// feedQuery resolves the parameters that select a market's outages. It needs no register.
func feedQuery(in marketParams, t territoryParam) (outage.Query, error) {
	m := market.Get(in.Market)
	q := outage.Query{Market: m.Code}
	operators, err := in.Operator.positions(m)
	if err != nil {
		return q, err
	}
	q.Operators = keysOf(m, operators)
	q.Area, err = areaParams{Territory: t.Territory}.code(m)
	return q, err
}

// NewOutage returns an outage as answers show it.
func (r *Env) NewOutage(o community.Outage) view.Outage { return view.NewOutage(o, r.outageSite(o)) }

// outageSite returns the key of the only site that an outage can be at. It is nil if that is not exactly
// one, if the market is not loaded, and if the caller may not see its sites.
func (r *Env) outageSite(o community.Outage) *string {
	m, operator, code, p := o.Where()
	loaded, err := r.Register(market.Get(m))
	if err != nil || loaded == nil {
		return nil
	}
	var at uint32
	ok := false
	if o.Report != nil && o.Report.SiteKey != "" {
		at, ok = loaded.ByID(o.Report.SiteKey)
	} else if i, known := loaded.Table.Operator(operator); known {
		at, ok = loaded.OperatorSite(i, code, p)
	}
	if !ok {
		return nil
	}
	return new(index.Key(m, loaded.Snap.ID(int(at))))
}

func territoryOf(q outage.Query) *string {
	if q.Area == "" {
		return nil
	}
	return &q.Area
}

var listUnavailableSites = endpoint.New(endpoint.Decl{
	Name: "sites-hs.list", Path: "/sites-hs", Scope: "network-status:read", FailureName: "SITES_HS", MaxAge: 30,
	Example:    endpoint.Request{Target: "/sites-hs?operator=ORANGE"},
	DependsOn:  []string{catalog.Outages},
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
	q, err := feedQuery(p.marketParams, p.territoryParam)
	if err != nil {
		return nil, err
	}
	list, _ := r.Outages.Entries(q)
	body := &view.Body[[]view.UnavailableSite, view.UnavailableSitesMeta]{Data: make([]view.UnavailableSite, len(list))}
	for i, e := range list {
		body.Data[i] = view.NewUnavailableSite(e, r.outageSite(community.Outage{Entry: e}))
	}
	status := r.Outages.FeedStatus(q.Market, q.Operators)
	body.Meta = view.UnavailableSitesMeta{Market: q.Market, Operator: p.Operator.canonical(market.Get(q.Market)),
		Territory: territoryOf(q),
		Cached: status.LastUpdate != nil ||
			len(list) > 0, Count: len(list), LastUpdate: view.LastUpdate(status.LastUpdate),
		OperatorFeed: view.OperatorFeed{Exists: status.Exists, Available: status.Available}}
	version := r.Outages.Version()
	body.Meta.DataVersion = &version
	if !status.Exists {
		reason := fmt.Sprintf("No operator of %s publishes its unavailable sites.", market.Get(q.Market).Label)
		body.Meta.Unavailable = &reason
	}
	return body, nil
}
