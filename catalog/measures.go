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
	Newest       bool      // in addition the newest campaign of each source, whatever its age
	Edition      string    // only those of this edition, "" for all
	Since, Until time.Time // measured then or later, and before; zero for any and for unknown age
	// Sample asks for an even sample of the place, the newest first. It is for coverage points.
	Sample bool
	ID     string     // only the coverage point with this id
	Of     *SiteTests // only the speedtests of a site, nil for any
	// Offset is how many measurements are passed over, and Limit how many there are at most.
	Offset, Limit int
}

// UsualDays is how far back a question reaches that says nothing of ages.
const UsualDays = 30

// SetWindow sets which measurements the question is about by when they were made and published. It may state days, an
// edition, both or neither: then it is about the usual days and the newest campaigns.
func (q *Measures) SetWindow(days *int, edition string) {
	q.Days, q.Newest, q.Edition = 0, days == nil && edition == "", edition
	switch {
	case days != nil:
		q.Days = *days
	case q.Newest:
		q.Days = UsualDays
	}
}

// MeasureEditions returns the editions of a market that have measurements of a kind. See measure.Store.Editions.
func (c *Catalog) MeasureEditions(m *market.Market, kind measure.Kind) (list []measure.Edition) {
	if c.Measures == nil {
		return nil
	}
	for _, e := range c.Measures.Editions(m.Code) {
		if e.Measures[kind] > 0 {
			list = append(list, e)
		}
	}
	return list
}

// MeasureStore returns the measurements. Error: ErrNoMeasures.
func (c *Catalog) MeasureStore() (*measure.Store, error) {
	if c.Measures == nil {
		return nil, ErrNoMeasures
	}
	return c.Measures, nil
}

// Query returns the question as a query to the store, at the minute of a request.
func (q *Measures) Query(minute time.Time) measure.Query {
	since := q.Since
	if q.Days > 0 {
		if oldest := minute.Add(-time.Duration(q.Days) * 24 * time.Hour); since.Before(oldest) {
			since = oldest
		}
	}
	return measure.Query{Market: q.Market.Code, Among: q.Market.KeysOf(q.Operators), Generations: q.Generations,
		Box: q.Box, Disc: q.Disc, Newest: q.Newest, Edition: q.Edition, Since: since, Until: q.Until, Offset: q.Offset, Limit: q.Limit}
}

// Speedtests returns a page of speedtests, the newest first. Error: ErrNoMeasures.
func (c *Catalog) Speedtests(q Measures) (found Page[measure.Test], err error) {
	store, err := c.MeasureStore()
	if err != nil {
		return found, err
	}
	found.Version = store.Version()
	if ask := q.Query(c.Minute()); q.Of != nil {
		found.Items, found.Total, err = store.SpeedtestsOfSite(q.Of.query(q.Market, ask))
	} else {
		found.Items, found.Total, err = store.Speedtests(ask)
	}
	return found, err
}

// Points returns coverage points: a page in the order of the store, or a sample. Error: ErrNoMeasures.
func (c *Catalog) Points(q Measures) (found Page[measure.Point], err error) {
	store, err := c.MeasureStore()
	if err != nil {
		return found, err
	}
	found.Version = store.Version()
	switch ask := q.Query(c.Minute()); {
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
	store, err := c.MeasureStore()
	if err != nil {
		return nil, err
	}
	return store.Survey(kind, q.Query(c.Minute()))
}

// SiteTests are the speedtests of a site, whatever their place and age: those whose radio names a node or cell that a
// source assigns to it, else those of its operators within a kilometre.
type SiteTests struct {
	Site     SiteFound // not used with a Node
	Node     *uint64   // eNB or gNB: only speedtests that name it, at whatever site; nil for those of Site
	MCC, MNC *int      // nil for any; an MNC alone is one of the market's country, where it has only one
	Best     bool      // only the one with the highest average speed; the Offset is then 0
}

// query narrows a query about a market.
func (s *SiteTests) query(m *market.Market, of measure.Query) measure.SiteQuery {
	ask := measure.SiteQuery{Query: of}
	ask.MNC, ask.MCC, ask.Best = s.MNC, s.MCC, s.Best
	// Network codes are not unique among countries.
	if mcc, ok := measure.InferMCC(m.Code); ok && s.MNC != nil && s.MCC == nil {
		ask.MCC = &mcc
	}
	if s.Node != nil {
		for _, kind := range []site.RadioKind{site.ENB, site.GNB} {
			ask.Radio = append(ask.Radio, site.RadioID{Kind: kind, Operator: index.Any, Value: *s.Node})
		}
		return ask
	}
	var there site.Site
	s.Site.Register.Site(s.Site.At, &there)
	ask.Radio, ask.Center, ask.Operators = there.Radio, &there.Position, m.KeysOf(s.Site.Operators())
	return ask
}
