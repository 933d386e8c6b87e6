package catalog

import (
	"time"

	"relais/geo"
	"relais/index"
	"relais/market"
	"relais/measure"
	"relais/site"
)

// Measures asks for measurements of a market.
type Measures struct {
	Market       *market.Market
	Operators    index.Choice         // nil for any
	Generations  []measure.Generation // nil for any
	Box          *geo.Box
	Disc         *geo.Disc // in addition to the box
	Days         int       // how far back from the minute of the request, 0 for any age
	Since, Until time.Time // measured then or later, and before; zero for any and for unknown age
	// Sample asks for an even sample of the place, the newest first. It is for coverage points.
	Sample bool
	ID     string // only the coverage point with this id
	// Offset is how many measurements are passed over, and Limit how many there are at most.
	Offset, Limit int
}

// MeasureStore returns the measurements. Error: ErrNoMeasures.
func (c *Catalog) MeasureStore() (*measure.Store, error) {
	if c.Measures == nil {
		return nil, ErrNoMeasures
	}
	return c.Measures, nil
}

// SelectMeasures returns the measurements, and a question as the query to them. Error: ErrNoMeasures.
func (c *Catalog) SelectMeasures(q Measures) (*measure.Store, measure.Query, error) {
	since := q.Since
	if q.Days > 0 {
		if oldest := c.Minute().Add(-time.Duration(q.Days) * 24 * time.Hour); since.Before(oldest) {
			since = oldest
		}
	}
	store, err := c.MeasureStore()
	return store, measure.Query{Market: q.Market.Code, Among: q.Market.KeysOf(q.Operators), Generations: q.Generations,
		Box: q.Box, Disc: q.Disc, Since: since, Until: q.Until, Offset: q.Offset, Limit: q.Limit}, err
}

// Speedtests returns a page of speedtests, the newest first. Error: ErrNoMeasures.
func (c *Catalog) Speedtests(q Measures) (found Page[measure.Test], err error) {
	store, ask, err := c.SelectMeasures(q)
	if err != nil {
		return found, err
	}
	found.Version = store.Version()
	found.Items, found.Total, err = store.Speedtests(ask)
	return found, err
}

// Points returns coverage points: a page in the order of the store, or a sample. Error: ErrNoMeasures.
func (c *Catalog) Points(q Measures) (found Page[measure.Point], err error) {
	store, ask, err := c.SelectMeasures(q)
	if err != nil {
		return found, err
	}
	found.Version = store.Version()
	switch {
	case q.ID != "":
		if point, ok := store.PointByID(ask, q.ID); ok {
			found.Items, found.Total = []measure.Point{point}, 1
		}
	case q.Sample:
		found.Items, err = store.Coverage(ask)
		found.Total = len(found.Items)
	default:
		found.Items, found.Total, err = store.Points(ask)
	}
	return found, err
}

// Survey returns the groups of measurements by operator and generation. Error: ErrNoMeasures.
func (c *Catalog) Survey(kind measure.Kind, q Measures) ([]measure.Group, error) {
	store, ask, err := c.SelectMeasures(q)
	if err != nil {
		return nil, err
	}
	return store.Survey(kind, ask)
}

// SiteTests asks for the speedtests of a site, the newest first: those whose radio names a node or cell that a source
// assigns to it, else those of its operators within a kilometre.
type SiteTests struct {
	Market *market.Market
	Site   SiteFound // not used with a Node
	Node   *uint64   // eNB or gNB: only speedtests that name it, at whatever site; nil for those of Site
	// Operators are those of the speedtests, nil for any.
	Operators     index.Choice
	MCC, MNC      *int // nil for any; an MNC alone is one of the market's country, where it has only one
	Best          bool // only the one with the highest average speed
	Offset, Limit int  // Offset is 0 with Best
}

// SiteTests returns a page of the speedtests of a site. Error: ErrNoMeasures.
func (c *Catalog) SiteTests(q SiteTests) (found Page[measure.Test], err error) {
	store, base, err := c.SelectMeasures(Measures{Market: q.Market, Operators: q.Operators, Offset: q.Offset, Limit: q.Limit})
	if err != nil {
		return found, err
	}
	ask := measure.SiteQuery{Query: base}
	ask.MNC, ask.MCC, ask.Best = q.MNC, q.MCC, q.Best
	// Network codes are not unique among countries.
	if mcc, ok := measure.InferMCC(q.Market.Code); ok && q.MNC != nil && q.MCC == nil {
		ask.MCC = &mcc
	}
	if q.Node != nil {
		for _, kind := range []site.RadioKind{site.ENB, site.GNB} {
			ask.Radio = append(ask.Radio, site.RadioID{Kind: kind, Operator: index.Any, Value: *q.Node})
		}
	} else {
		s := new(site.Site)
		q.Site.Register.Site(q.Site.At, s)
		ask.Radio, ask.Center, ask.Operators = s.Radio, &s.Position, q.Market.KeysOf(q.Site.Operators())
	}
	found.Version = store.Version()
	found.Items, found.Total, err = store.SpeedtestsOfSite(ask)
	return found, err
}
