package api

import (
	"context"
	"time"

	"relais/api/view"
	"relais/catalog"
	"relais/export"
	"relais/geo"
	"relais/index"
	"relais/market"
	"relais/measure"
	"relais/site"
)

// Parameters that select rows for other transports.
type (
	// SiteParams select sites of a market.
	SiteParams struct {
		marketParams
		siteFilters
		siteText
	}
	// OutageParams select outages of a market.
	OutageParams struct {
		marketParams
		territoryParam
		Source outageSource `param:"source" default:"all" doc:"Only what operators publish, or only what people report."`
	}
	// MeasureParams select measurements of a market.
	MeasureParams struct{ marketParams }
	// ChangeParams select changes of a market.
	ChangeParams struct {
		marketParams
		changeSelection
	}
)

// SiteRows returns the sites that the parameters and a box, nil for anywhere, select, in the order of the register.
func (r *Env) SiteRows(ctx context.Context, p *SiteParams, box *geo.Box) (*export.Register, error) {
	s, err := p.selection(p.marketParams)
	if err != nil {
		return nil, err
	}
	found, err := r.Sites(ctx, catalog.Sites{Selection: s, Where: index.Query{Box: box, Text: p.Text}, Limit: -1})
	if err != nil || found.Register == nil {
		return &export.Register{}, err
	}
	return &export.Register{Market: found.Register, Source: view.SourceOf(s.Market, found.Register.Snap), Sites: found.Sites,
		Filter: emissionFilter(&found.Filter)}, nil
}

// SiteRow returns the site of a market that a siteKey or id names. It fails if there is not one.
func (r *Env) SiteRow(c market.Code, name string) (*export.Register, error) {
	found, err := r.Site(catalog.Site{Name: name, Market: market.Get(c)})
	if err != nil {
		return nil, err
	}
	return &export.Register{Market: found.Register, Source: view.SourceOf(found.Register.Table, found.Register.Snap),
		Sites: []uint32{found.At}}, nil
}

// OutageRows returns the outages that the parameters and a box, nil for anywhere, select, what began last first.
func (r *Env) OutageRows(p *OutageParams, box *geo.Box) ([]view.Outage, error) {
	q, err := feedQuery(p.marketParams, p.territoryParam)
	if err != nil {
		return nil, err
	}
	q.Box = box
	list, _ := r.outagesBySource(p.Source, q)
	rows := make([]view.Outage, len(list))
	for i, o := range list {
		rows[i] = r.NewOutage(o)
	}
	return rows, nil
}

// Span is a period and a place for measurements.
type Span struct {
	Since time.Time // not older
	Until time.Time // older; zero: of any age
	Box   *geo.Box  // nil: anywhere
}

// SpeedtestRows returns a page of speedtests, the newest first, and how many match.
func (r *Env) SpeedtestRows(p *MeasureParams, s Span, offset, limit int) ([]measure.Test, int, error) {
	store, q, err := r.measureQuery(p.marketParams, 0, limit)
	if err != nil {
		return nil, 0, err
	}
	q.Since, q.Until, q.Box, q.Offset = s.Since, s.Until, s.Box, offset
	return store.Speedtests(q)
}

// CoverageRows returns a page of coverage points in the order of the store, and how many match.
func (r *Env) CoverageRows(p *MeasureParams, s Span, offset, limit int) ([]measure.Point, int, error) {
	store, q, err := r.measureQuery(p.marketParams, 0, limit)
	if err != nil {
		return nil, 0, err
	}
	q.Since, q.Until, q.Box, q.Offset = s.Since, s.Until, s.Box, offset
	return store.Points(q)
}

// CoverageRow returns the coverage point with an id, none if the parameters do not select it.
func (r *Env) CoverageRow(p *MeasureParams, s Span, id string) ([]measure.Point, error) {
	store, q, err := r.measureQuery(p.marketParams, 0, 1)
	if err != nil {
		return nil, err
	}
	q.Since = s.Since
	point, ok := store.PointByID(q, id)
	if !ok {
		return nil, nil
	}
	return []measure.Point{point}, nil
}

// ChangeRows returns a page of the changes of the editions of a period, the newest first, and how many match. The
// dates are those of the first and last edition; 0 for any.
func (r *Env) ChangeRows(ctx context.Context, p *ChangeParams, box *geo.Box, first, last site.Date, offset, limit int) (
	[]view.Change, int, error) {
	editions, err := r.Archives.Editions(p.Market)
	if err != nil || len(editions) < 2 || last != 0 && last <= editions[0].Date {
		return nil, 0, err
	}
	since := editions[0].Date
	for _, e := range editions {
		if e.Date < first {
			since = e.Date
		}
	}
	filters := changeFilters{changeSelection: p.changeSelection}
	if box != nil {
		filters.boxParams = boxParams{North: &box.North, South: &box.South, East: &box.East, West: &box.West}
	}
	body, err := r.changesPage(ctx, &changesParams{marketParams: p.marketParams, changeFilters: filters,
		Since: archiveDate(since.String()), Until: archiveDate(last.String()), Offset: offset, Limit: limit}, nil)
	if err != nil {
		return nil, 0, err
	}
	return body.Data, body.Meta.TotalMatched, nil
}
