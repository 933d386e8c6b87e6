package ogc

import (
	"context"
	"time"

	"relais/api"
	"relais/api/view"
	"relais/catalog"
	"relais/export"
	"relais/index"
	"relais/market"
	"relais/measure"
)

// A marketOne are the parameters of one feature of a market.
type marketOne struct {
	Market market.Code `param:"market" doc:"The market." example:"FR"`
	one
}

type siteItems struct {
	api.SiteParams
	place
	when
	page
}

var siteErrors = []string{"INVALID_BBOX", "INVALID_OPERATOR", "INVALID_DATE", "ARCHIVE_NOT_FOUND"}

var sites = func() kind {
	k := kind{name: "sites", title: "Antenna sites", description: "The sites of the register.", inRegister: true,
		table: func() *export.Table { return new(export.Register).SiteTable() }}
	k.items, k.item = declare(decl{name: k.name, columns: k.table().Names(),
		scope: "antennas:read", failure: "ANTENNAS", errors: siteErrors, maxAge: 60},
		func(ctx context.Context, r *api.Env, p *siteItems) (*features, error) {
			q, err := p.Question()
			if err != nil {
				return nil, err
			}
			q.Where.Box, q.Offset, q.Limit = p.BBox.box(), p.Offset, p.limit()
			found, err := r.Sites(ctx, q)
			return &features{market: p.Market, kind: "sites", table: bySiteKey(rowsOf(found.Selected, found.Sites...).SiteTable()),
				offset: p.Offset, limit: p.limit(), total: found.Total}, err
		},
		func(_ context.Context, r *api.Env, p *marketOne) (*features, error) {
			found, err := r.Site(catalog.Site{Name: p.FeatureID, Market: market.Get(p.Market)})
			if err != nil {
				return nil, err
			}
			return &features{market: p.Market, kind: "sites", table: bySiteKey(rowOf(found).SiteTable()), id: found.Key()}, nil
		})
	return k
}()

// rowsOf returns sites as rows, none of a market without an inventory.
func rowsOf(s catalog.Selected, sites ...uint32) *export.Register {
	if s.Register == nil {
		return &export.Register{}
	}
	return &export.Register{Market: s.Register, Source: view.SourceOf(s.Register.Table, s.Register.Snap), Sites: sites,
		Filter: s.Filter.OfEmissions()}
}

func rowOf(f catalog.SiteFound) *export.Register {
	return rowsOf(catalog.Selected{Register: f.Register, Filter: index.All}, f.At)
}

// bySiteKey makes the siteKey the id of a table of sites.
func bySiteKey(t *export.Table) *export.Table {
	t.ID = 0
	return t
}

type outageItems struct {
	api.OutageParams
	place
	when
	page
}

var outages = func() kind {
	k := kind{name: "outages", title: "Outages", description: "Outages that operators publish and that people report.",
		times: timesOfOutages, table: func() *export.Table { return view.OutageTable(nil) }}
	k.items, k.item = declare(decl{name: k.name, columns: k.table().Names(),
		scope: "network-status:read", failure: "OUTAGES", maxAge: 30,
		dependsOn: []string{"outages"}, errors: []string{"INVALID_BBOX", "INVALID_OPERATOR", "INVALID_DATE"}},
		func(_ context.Context, r *api.Env, p *outageItems) (*features, error) {
			q, err := p.Question()
			if err != nil {
				return nil, err
			}
			q.Since, q.Until, _ = p.Datetime.bounds()
			q.Box, q.Offset, q.Limit = p.BBox.box(), p.Offset, p.limit()
			found := r.FindOutages(q)
			return &features{market: p.Market, kind: "outages", table: view.OutageTable(r.NewOutages(found.Items)),
				offset: p.Offset, limit: p.limit(), total: found.Total}, nil
		},
		func(_ context.Context, r *api.Env, p *marketOne) (*features, error) {
			all := r.FindOutages(catalog.Outages{Market: market.Get(p.Market), Limit: -1})
			return &features{market: p.Market, kind: "outages", table: view.OutageTable(r.NewOutages(all.Items)), id: p.FeatureID}, nil
		})
	return k
}()

type measureItems struct {
	api.MarketOperators
	place
	when
	page
}

// The measurements of the last year are features, and the newest campaigns.
const measureDays = 365

// question returns the question for a page.
func (p *measureItems) question() (q catalog.Measures, err error) {
	q = catalog.Measures{Days: measureDays, Box: p.BBox.box(), Offset: p.Offset, Limit: p.limit()}
	q.Since, q.Until, _ = p.Datetime.bounds()
	q.Newest = q.Since.IsZero() // a campaign may be older than what was asked for
	q.Market, q.Operators, err = p.Resolve()
	return q, err
}

// newestMeasures is how many of the newest measurements can be asked by their ids.
const newestMeasures = 10000

var measureErrors = []string{"INVALID_BBOX", "INVALID_OPERATOR", "INVALID_DATE"}

var speedtests = func() kind {
	k := kind{name: "speedtests", title: "Speedtests",
		description: "Speedtests of the last 365 days and of the newest campaign of each authority, the newest first. The newest 10,000 can be asked by their ids.",
		times:       timesOfMeasures(measure.Speedtest), table: func() *export.Table { return export.Speedtests(nil) }}
	k.items, k.item = declare(decl{name: k.name, columns: k.table().Names(),
		scope: "speedtest:read", failure: "SPEEDTESTS", maxAge: 60,
		dependsOn: []string{"recent measures"}, errors: measureErrors},
		func(_ context.Context, r *api.Env, p *measureItems) (*features, error) {
			q, err := p.question()
			if err != nil {
				return nil, err
			}
			found, err := r.Speedtests(q)
			return &features{market: p.Market, kind: "speedtests", table: export.Speedtests(found.Items), offset: p.Offset,
				limit: p.limit(), total: found.Total}, err
		},
		func(_ context.Context, r *api.Env, p *marketOne) (*features, error) {
			found, err := r.Speedtests(catalog.Measures{Market: market.Get(p.Market), Days: measureDays, Newest: true,
				Limit: newestMeasures})
			return &features{market: p.Market, kind: "speedtests", table: export.Speedtests(found.Items), id: p.FeatureID}, err
		})
	return k
}()

var coverage = func() kind {
	k := kind{name: "coverage", title: "Coverage points",
		description: "Points of the last 365 days and of the newest campaign of each authority where the signal was measured, in no order.",
		times:       timesOfMeasures(measure.Coverage), table: func() *export.Table { return export.Coverage(nil) }}
	k.items, k.item = declare(decl{name: k.name, columns: k.table().Names(),
		scope: "coverage:read", failure: "COVERAGE_POINTS", maxAge: 60,
		dependsOn: []string{"recent measures"}, errors: measureErrors},
		func(_ context.Context, r *api.Env, p *measureItems) (*features, error) {
			q, err := p.question()
			if err != nil {
				return nil, err
			}
			found, err := r.Points(q)
			return &features{market: p.Market, kind: "coverage", table: export.Coverage(found.Items), offset: p.Offset,
				limit: p.limit(), total: found.Total}, err
		},
		func(_ context.Context, r *api.Env, p *marketOne) (*features, error) {
			found, err := r.Points(catalog.Measures{Market: market.Get(p.Market), Days: measureDays, Newest: true, ID: p.FeatureID,
				Limit: 1})
			return &features{market: p.Market, kind: "coverage", table: export.Coverage(found.Items), id: p.FeatureID}, err
		})
	return k
}()

type changeItems struct {
	api.ChangeParams
	place
	when
	page
}

// find returns a page of the changes of the editions of a period that are kept.
func (p *changeItems) find(ctx context.Context, r *api.Env, offset, limit int) (*features, error) {
	q, err := p.Question()
	if err != nil {
		return nil, err
	}
	first, last := p.Datetime.days()
	q.Since, q.Until, q.Kept = max(1, first-1), last, true
	q.Filter.Box, q.Offset, q.Limit = p.BBox.box(), offset, limit
	found, err := r.Changes(ctx, q)
	if err != nil {
		return nil, err
	}
	return &features{market: p.Market, kind: "changes", table: view.ChangeFeatures(api.Changes(found)), offset: offset,
		limit: limit, total: found.Kinds.Sum()}, nil
}

var changes = func() kind {
	k := kind{name: "changes", title: "Changes", description: "What the editions of the register that are kept changed, the newest first.",
		times: timesOfChanges,
		table: func() *export.Table { return view.ChangeFeatures(nil) }}
	k.items, k.item = declare(decl{name: k.name, columns: k.table().Names(),
		scope: "antennas:read", failure: "CHANGES", maxAge: 300,
		scopeBy:   api.ChangesScope,
		dependsOn: []string{"archives"}, errors: measureErrors},
		func(ctx context.Context, r *api.Env, p *changeItems) (*features, error) {
			return p.find(ctx, r, p.Offset, p.limit())
		},
		func(ctx context.Context, r *api.Env, p *marketOne) (*features, error) {
			q := &changeItems{}
			q.Market = p.Market
			if q.Datetime.UnmarshalText([]byte(p.FeatureID[:min(len(p.FeatureID), len(time.DateOnly))])) != nil {
				q.Datetime = "0001-01-01" // no change has it
			}
			f, err := q.find(ctx, r, 0, -1)
			if err == nil {
				f.id = p.FeatureID
			}
			return f, err
		})
	return k
}()
