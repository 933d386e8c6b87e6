package tools

import (
	"context"

	"relais/api/endpoint"
	"relais/measure"
)

var sessionTools = []*Tool{sessionsListNearby}

var sessionsListNearby = endpoint.New(endpoint.Decl{
	Name: "sessions_list_nearby", Title: "Drive tests near a position",
	Summary: "What was measured around a position by day and import, the last day first: how many coverage points or speedtests, their technologies and operators, from when to when. Use it to see how fresh and dense measurements are; speedtests_nearby and sites_get_coverage have the measurements. Who measured is not known.",
}, sessionsNear)

type sessionsParams struct {
	pointParams
	RadiusKm float64 `param:"radiusKm" default:"2" above:"0" max:"20" doc:"How far around to look, in kilometres."`
	marketParams
	pageParams
}

// A Session sums up the measurements of one import on one day.
type Session struct {
	Day          *string      `json:"day" doc:"YYYY-MM-DD, UTC; null for measurements that state no time."`
	Import       string       `json:"import" doc:"Tells imports apart: a file is one as a rule. Empty for speedtests that people submitted one by one."`
	Synthetic    bool         `json:"synthetic" doc:"Made up for a demonstration: nobody measured it."`
	Kind         measure.Kind `json:"kind" doc:"coverage or speedtest."`
	Measures     int          `json:"measures" doc:"Within the radius."`
	Technologies []string     `json:"technologies" doc:"As the measurements state them."`
	Operators    []string     `json:"operators"`
	First        *string      `json:"firstAt" doc:"ISO 8601, UTC."`
	Last         *string      `json:"lastAt"`
}

// A SessionList is a page of sessions around a centre.
type SessionList struct {
	Center *Center `json:"center"`
	All    int     `json:"allMeasures" doc:"Of all sessions."`
	Each   int     `json:"oneInEach" doc:"Always 1: all measurements are looked at."`
	List[Session]
	Measured
}

func sessionsNear(r *Reading, _ context.Context, p *sessionsParams) (*SessionList, error) {
	c := p.center(p.Market)
	q, err := c.measures(p.Operator, p.RadiusKm, 0)
	if err != nil {
		return nil, err
	}
	store, err := r.MeasureStore()
	if err != nil {
		return nil, err
	}
	q.Limit = p.Limit
	found, err := store.Sessions(q.Query(r.Minute()), p.Offset)
	if err != nil {
		return nil, err
	}
	items := each(found.Page, func(s measure.Session) Session {
		return Session{textOrNull(s.Day), s.Import, s.Synthetic, s.Kind, s.Measures, s.Technologies, s.Operators,
			timeOrNull(s.First), timeOrNull(s.Last)}
	})
	return &SessionList{c, found.Measures, 1, listOf(items, p.Offset, found.Total),
		r.measured(c.Market, measure.Speedtest, measure.Coverage)}, nil
}
