package tools

import (
	"context"
	"fmt"

	"relais/api"
	"relais/api/endpoint"
	"relais/measure"
)

var speedtestsAreaSummary = endpoint.New(endpoint.Decl{
	Name: "speedtests_area_summary", Title: "Speeds around a position",
	Summary: "What is usual in the speedtests of the last days around a position: for each operator and generation how many, and the tenth percentile, median and ninetieth percentile of download, upload and ping. Use it to compare operators, and speedtests_nearby for the tests themselves.",
}, speedsNearPoint)

type areaSummaryParams struct {
	pointParams
	radiusParams
	marketParams
	api.WindowParams
}

// An AreaSummary has the quantiles of the speedtests around a centre.
type AreaSummary struct {
	Center Center       `json:"center"`
	Total  int          `json:"total" doc:"Speedtests of all groups."`
	Groups []SpeedGroup `json:"groups" doc:"By operator and generation."`
	Measured
}

// A Group is measures of one operator and generation.
type Group struct {
	Operator   *string `json:"operator" doc:"null for networks that do not belong to an operator of the market, or are not stated."`
	Technology *string `json:"technology" doc:"2G to 5G, for all that sources call a technology of it, such as LTE; null when it is not stated."`
	Count      int     `json:"count" doc:"Measurements."`
	Synthetic  bool    `json:"synthetic" doc:"Nobody measured some of them: they were made up for a demonstration."`
	Sampled    bool    `json:"sampled" doc:"The quantiles are of an even sample of the measurements; else they are of all."`
}

// A SpeedGroup is speedtests of one operator and generation.
type SpeedGroup struct {
	Group
	Download *Quantiles `json:"download" doc:"Mbit/s."`
	Upload   *Quantiles `json:"upload" doc:"Mbit/s."`
	Ping     *Quantiles `json:"ping" doc:"Milliseconds."`
}

// Quantiles are the quantiles of the stated values, and a nil pointer if none is stated. Each is one of the values
// (nearest rank), never between two.
type Quantiles struct {
	P10    float64 `json:"p10"`
	Median float64 `json:"median"`
	P90    float64 `json:"p90"`
	Values int     `json:"values" doc:"Of how many stated values."`
}

func speedsNearPoint(r *Reading, _ context.Context, p *areaSummaryParams) (*AreaSummary, error) {
	return r.areaSummary(p.center(p.Market), p.RadiusKm, p.Operator, p.WindowParams)
}

var speedtestsAreaSummaryFromPlace = endpoint.New(endpoint.Decl{
	Name: "speedtests_area_summary_from_place", Title: "Speeds around a place",
	Summary: "What is usual in the speedtests of the last days around a commune, a postal code or an area: for each operator and generation how many, and the tenth percentile, median and ninetieth percentile of download, upload and ping.",
}, speedsNearPlace)

type areaSummaryFromPlaceParams struct {
	placeParams
	radiusParams
	operatorParams
	api.WindowParams
}

func speedsNearPlace(r *Reading, _ context.Context, p *areaSummaryFromPlaceParams) (*AreaSummary,
	error) {
	place, err := r.place(&p.placeParams, p.Operator)
	if err != nil {
		return nil, err
	}
	return r.areaSummary(placeCenter(place), p.RadiusKm, p.Operator, p.WindowParams)
}

func (r *Reading) areaSummary(c *Center, km float64, o api.Operators, w api.WindowParams) (*AreaSummary, error) {
	q, err := r.around(c, o, km, w)
	if err != nil {
		return nil, err
	}
	groups, err := r.Survey(measure.Speedtest, q)
	if err != nil {
		return nil, err
	}
	s := &AreaSummary{Center: *c, Groups: make([]SpeedGroup, len(groups)), Measured: r.measured(c.Market, measure.Speedtest)}
	for i, g := range groups {
		s.Total += g.Count
		s.Groups[i] = SpeedGroup{newGroup(&g), newQuantiles(g.Values[0]), newQuantiles(g.Values[1]),
			newQuantiles(g.Values[2])}
	}
	return s, nil
}

func newGroup(g *measure.Group) Group {
	v := Group{Technology: generationText(g.Technology), Count: g.Count, Synthetic: g.Synthetic, Sampled: g.Sampled}
	if g.Operator != "" {
		v.Operator = &g.Operator
	}
	return v
}

// newQuantiles returns quantiles as answers have them, nil for none: zeros would look like speeds.
func newQuantiles(q measure.Quantiles) *Quantiles {
	if q.Of == 0 {
		return nil
	}
	return &Quantiles{q.P10, q.Median, q.P90, q.Of}
}

// generationText returns a generation such as 4G, nil for an unknown one.
func generationText(g measure.Generation) *string {
	if g == 0 {
		return nil
	}
	return new(fmt.Sprintf("%dG", g))
}
