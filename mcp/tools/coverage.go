package tools

import (
	"cmp"
	"context"
	"slices"

	"relais/api"
	"relais/api/endpoint"
	"relais/api/view"
	"relais/catalog"
	"relais/geo"
	"relais/index"
	"relais/measure"
)

var coverageTools = []*Tool{sitesGetCoverage, sitesGetSignalStats}

var sitesGetCoverage = endpoint.New(endpoint.Decl{
	Name: "sites_get_coverage", Title: "Coverage measured near a site",
	Summary: "Where phones measured the signal around a site: how many points of each generation and operator, and an even sample of them. The points are of any site that was received there. Use sites_get_signal_stats for how strong the signal is.",
}, siteCoverage)

// nearSiteParams pick coverage points around a site.
type nearSiteParams struct {
	siteParams
	RadiusKm float64 `param:"radiusKm" default:"1" above:"0" max:"10" doc:"How far around the site to look, in kilometres."`
	operatorParams
	Technology *api.Technology `param:"technology" doc:"2G, 3G, 4G, 5G, or a technology of one, such as LTE, which stands for all of its generation." example:"4G"`
	Days       *int            `param:"days" min:"1" max:"365" doc:"How many days back; default: all that is stored." example:"90"`
}

type siteCoverageParams struct {
	nearSiteParams
	Limit int `param:"limit" default:"10" min:"1" max:"50" doc:"Most points of the sample."`
}

// A SiteCoverage is the coverage points around a site.
type SiteCoverage struct {
	Center       Center               `json:"center" doc:"The site."`
	Total        int                  `json:"total" doc:"Points that match."`
	Technologies []TechnologyCoverage `json:"technologies"`
	Points       []CoveragePoint      `json:"points" doc:"An even sample of the area, the newest first."`
	Measured
	Sourced
}

// A TechnologyCoverage is how many points there are of a generation.
type TechnologyCoverage struct {
	Technology *string            `json:"technology" doc:"2G to 5G, for all that sources call a technology of it, such as LTE; null when it is not stated."`
	Count      int                `json:"count"`
	Operators  []OperatorCoverage `json:"operators"`
}

// An OperatorCoverage is how many points there are of an operator.
type OperatorCoverage struct {
	Operator  *string `json:"operator" doc:"null for networks that do not belong to an operator of the market, or are not stated."`
	Count     int     `json:"count"`
	Synthetic bool    `json:"synthetic" doc:"Nobody measured some of them: they were made up for a demonstration."`
}

// A CoveragePoint is a coverage point. Numbers that are not known are null.
type CoveragePoint struct {
	ID          string           `json:"id"`
	Timestamp   string           `json:"timestamp" doc:"ISO 8601, UTC; empty when the source does not state it."`
	Coordinates view.Coordinates `json:"coordinates"`
	Distance    *int             `json:"distanceMeters" doc:"From the site, metres."`
	Signal      *float64         `json:"signalStrength" doc:"dBm."`
	RSRP        *float64         `json:"rsrp" doc:"dBm."`
	RSRQ        *float64         `json:"rsrq" doc:"dB."`
	SNR         *float64         `json:"snr" doc:"dB."`
	Technology  string           `json:"technology" doc:"As the source calls it; empty when it is not stated."`
	NoService   bool             `json:"noService" doc:"A phone found no network here."`
	Operator    string           `json:"mobileOperator" doc:"Empty when it is not known."`
	Edition     *string          `json:"edition" doc:"Of the campaign that it is from; null for what no authority published."`
	Radio       view.PointRadio  `json:"radio"`
}

func siteCoverage(r *Reading, _ context.Context, p *siteCoverageParams) (*SiteCoverage, error) {
	loaded, c, q, err := r.nearSite(&p.nearSiteParams)
	if err != nil {
		return nil, err
	}
	groups, err := r.Survey(measure.Coverage, q)
	if err != nil {
		return nil, err
	}
	q.Sample, q.Limit = true, p.Limit
	points, err := r.Points(q)
	if err != nil {
		return nil, err
	}
	v := &SiteCoverage{Center: *c, Technologies: []TechnologyCoverage{}, Measured: r.measured(c.Market, measure.Coverage),
		Sourced: sourced(loaded.Table, loaded),
		Points:  each(points.Items, func(p measure.Point) CoveragePoint { return newCoveragePoint(&p, c.point()) })}
	// Groups come by operator, and the answer has them by generation; stable keeps the operators in order.
	slices.SortStableFunc(groups, func(a, b measure.Group) int { return int(a.Technology) - int(b.Technology) })
	for i := range groups {
		g := newGroup(&groups[i])
		if i == 0 || groups[i].Technology != groups[i-1].Technology {
			v.Technologies = append(v.Technologies, TechnologyCoverage{Technology: g.Technology})
		}
		last := &v.Technologies[len(v.Technologies)-1]
		last.Operators = append(last.Operators, OperatorCoverage{g.Operator, g.Count, g.Synthetic})
		last.Count += g.Count
		v.Total += g.Count
	}
	return v, nil
}

func newCoveragePoint(p *measure.Point, center geo.Point) CoveragePoint {
	return CoveragePoint{ID: p.ID, Timestamp: timestamp(p.Time), Coordinates: view.Coordinates(p.Position),
		Distance: metresTo(center, p.Position),
		Signal:   number(p.Signal), RSRP: number(p.Radio.RSRP), RSRQ: number(p.Radio.RSRQ), SNR: number(p.Radio.SNR),
		Technology: p.Technology, NoService: p.NoService(), Operator: p.OperatorName, Edition: textOrNull(p.Edition),
		Radio: pointRadio(&p.Radio)}
}

// nearSite returns a site, its place, and the question for the measurements around it.
func (r *Reading) nearSite(p *nearSiteParams) (*index.Market, *Center, catalog.Measures, error) {
	loaded, at, err := p.find(r)
	if err != nil {
		return nil, nil, catalog.Measures{}, err
	}
	c := centerOf(loaded, at)
	q, err := c.measures(p.Operator, p.RadiusKm, *cmp.Or(p.Days, new(int)))
	q.Generations = p.Technology.Generations()
	return loaded, c, q, err
}
