package ogc

import (
	"context"
	"slices"
	"time"

	"relais/api"
	"relais/api/view"
	"relais/export"
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
			rows, err := r.SiteRows(ctx, &p.SiteParams, p.BBox.box())
			if err != nil {
				return nil, err
			}
			total := len(rows.Sites)
			rows.Sites = cut(rows.Sites, p.Offset, p.limit())
			return &features{market: p.Market, kind: "sites", table: bySiteKey(rows.SiteTable()), offset: p.Offset, limit: p.limit(),
				total: total}, nil
		},
		func(_ context.Context, r *api.Env, p *marketOne) (*features, error) {
			rows, err := r.SiteRow(p.Market, p.FeatureID)
			if err != nil {
				return nil, err
			}
			f := &features{market: p.Market, kind: "sites", table: bySiteKey(rows.SiteTable())}
			for row := range f.table.Rows { // its siteKey, by whatever name it was asked
				var v export.Value
				row.Cell(0, &v)
				f.id = v.Text
			}
			return f, nil
		})
	return k
}()

// bySiteKey makes the siteKey the id of a table of sites.
func bySiteKey(t *export.Table) *export.Table {
	t.ID = 0
	return t
}

// cut returns the part of a list from offset on, of at most limit elements.
func cut[E any](list []E, offset, limit int) []E {
	list = list[min(offset, len(list)):]
	return list[:min(limit, len(list))]
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
			list, err := r.OutageRows(&p.OutageParams, p.BBox.box())
			if err != nil {
				return nil, err
			}
			list = slices.DeleteFunc(list, func(o view.Outage) bool {
				t, _ := time.Parse(time.RFC3339, o.StartedAt) // zero where it is not stated
				return !p.Datetime.has(t)
			})
			return &features{market: p.Market, kind: "outages", table: view.OutageTable(cut(list, p.Offset, p.limit())),
				offset: p.Offset, limit: p.limit(), total: len(list)}, nil
		},
		func(_ context.Context, r *api.Env, p *marketOne) (*features, error) {
			q := &outageItems{}
			q.Market, q.Source = p.Market, "all"
			list, err := r.OutageRows(&q.OutageParams, nil)
			return &features{market: p.Market, kind: "outages", table: view.OutageTable(list), id: p.FeatureID}, err
		})
	return k
}()

type measureItems struct {
	api.MeasureParams
	place
	when
	page
}

// The measurements of the last year are features.
const measureDays = 365

func (p *measureItems) span(r *api.Env) api.Span {
	from, to, _ := p.Datetime.bounds()
	oldest := oldestMeasure(r)
	if from.Before(oldest) {
		from = oldest
	}
	return api.Span{Since: from, Until: to, Box: p.BBox.box()}
}

func oldestMeasure(r *api.Env) time.Time {
	return r.Now.UTC().Truncate(time.Minute).AddDate(0, 0, -measureDays)
}

// newestMeasures is how many of the newest measurements can be asked by their ids.
const newestMeasures = 10000

func anyMeasure(p *marketOne) *measureItems {
	q := &measureItems{}
	q.Market = p.Market
	return q
}

var measureErrors = []string{"INVALID_BBOX", "INVALID_OPERATOR", "INVALID_DATE"}

var speedtests = func() kind {
	k := kind{name: "speedtests", title: "Speedtests",
		description: "Speedtests of the last 365 days, the newest first. The newest 10,000 can be asked by their ids.",
		times:       timesOfMeasures(measure.Speedtest), table: func() *export.Table { return export.Speedtests(nil) }}
	k.items, k.item = declare(decl{name: k.name, columns: k.table().Names(),
		scope: "speedtest:read", failure: "SPEEDTESTS", maxAge: 60,
		dependsOn: []string{"recent measures"}, errors: measureErrors},
		func(_ context.Context, r *api.Env, p *measureItems) (*features, error) {
			list, total, err := r.SpeedtestRows(&p.MeasureParams, p.span(r), p.Offset, p.limit())
			return &features{market: p.Market, kind: "speedtests", table: export.Speedtests(list), offset: p.Offset,
				limit: p.limit(), total: total}, err
		},
		func(_ context.Context, r *api.Env, p *marketOne) (*features, error) {
			q := anyMeasure(p)
			list, _, err := r.SpeedtestRows(&q.MeasureParams, q.span(r), 0, newestMeasures)
			return &features{market: p.Market, kind: "speedtests", table: export.Speedtests(list), id: p.FeatureID}, err
		})
	return k
}()

var coverage = func() kind {
	k := kind{name: "coverage", title: "Coverage points",
		description: "Points of the last 365 days where the signal was measured, in no order.",
		times:       timesOfMeasures(measure.Coverage), table: func() *export.Table { return export.Coverage(nil) }}
	k.items, k.item = declare(decl{name: k.name, columns: k.table().Names(),
		scope: "coverage:read", failure: "COVERAGE_POINTS", maxAge: 60,
		dependsOn: []string{"recent measures"}, errors: measureErrors},
		func(_ context.Context, r *api.Env, p *measureItems) (*features, error) {
			list, total, err := r.CoverageRows(&p.MeasureParams, p.span(r), p.Offset, p.limit())
			return &features{market: p.Market, kind: "coverage", table: export.Coverage(list), offset: p.Offset,
				limit: p.limit(), total: total}, err
		},
		func(_ context.Context, r *api.Env, p *marketOne) (*features, error) {
			q := anyMeasure(p)
			list, err := r.CoverageRow(&q.MeasureParams, q.span(r), p.FeatureID)
			return &features{market: p.Market, kind: "coverage", table: export.Coverage(list), id: p.FeatureID}, err
		})
	return k
}()

type changeItems struct {
	api.ChangeParams
	place
	when
	page
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
			first, last := p.Datetime.days()
			list, total, err := r.ChangeRows(ctx, &p.ChangeParams, p.BBox.box(), first, last, p.Offset, p.limit())
			return &features{market: p.Market, kind: "changes", table: view.ChangeFeatures(list), offset: p.Offset, limit: p.limit(),
				total: total}, err
		},
		func(ctx context.Context, r *api.Env, p *marketOne) (*features, error) {
			q := &changeItems{}
			q.Market = p.Market
			var day period
			if err := day.UnmarshalText([]byte(p.FeatureID[:min(len(p.FeatureID), len(time.DateOnly))])); err != nil {
				day = "0001-01-01" // no change has it
			}
			first, last := day.days()
			list, _, err := r.ChangeRows(ctx, &q.ChangeParams, nil, first, last, 0, 1<<31-1)
			return &features{market: p.Market, kind: "changes", table: view.ChangeFeatures(list), id: p.FeatureID}, err
		})
	return k
}()
