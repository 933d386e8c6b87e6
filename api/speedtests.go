package api

import (
	"cmp"
	"context"

	"relais/api/endpoint"
	"relais/api/view"
	"relais/catalog"
	"relais/export"
	"relais/market"
	"relais/measure"
)

var (
	errNoIdentifier = &Error{Status: 400, Code: codeNoIdentifier, Parameter: "siteId",
		Message: "siteId: missing; give siteId, anfrCode, nationalSiteCode, sourceCode or enb"}
)

var listSpeedtests = endpoint.New(endpoint.Decl{
	Name: "speedtests.list", Path: "/speedtests", Scope: "speedtest:read", FailureName: "SPEEDTESTS", MaxAge: 60,
	Example:    endpoint.Request{Target: "/speedtests?limit=1"},
	DependsOn:  []string{catalog.Recent},
	Summary:    "Speedtests of a market in the last days or in the newest campaign of an authority, the newest first.",
	Doc:        "Speeds are in Mbit/s, times in milliseconds, levels in dBm and dB.",
	ErrorCodes: []string{codeInvalidBBox, codeInvalidOperator},
	Shapes:     shapes[[]view.Speedtest, view.SpeedtestsMeta](),
	Files:      []string{csvType}, Columns: export.Speedtests(nil).Names(),
}, (*Env).speedtests)

type speedtestsParams struct {
	marketParams
	boxParams
	Format tableFormat `param:"format" default:"json" doc:"json; or csv: the items without meta, in columns with the names of their members."`
	csvParams
	windowParams
	Limit  int `param:"limit" default:"100" min:"1" max:"1000" doc:"Most items to answer."`
	Offset int `param:"offset" default:"0" min:"0" doc:"Items to pass over."`
}

// Check holds the rules over several parameters.
func (p *speedtestsParams) Check() error {
	return cmp.Or(p.boxParams.check(), p.csvParams.check(string(p.Format)))
}

func (r *Env) speedtests(_ context.Context, p *speedtestsParams) (*endpoint.Answer, error) {
	m, operators, err := p.Resolve()
	if err != nil {
		return nil, err
	}
	q := catalog.Measures{Market: m, Operators: operators, Box: p.box(), Offset: p.Offset, Limit: p.Limit}
	if err := p.Apply(r, &q); err != nil {
		return nil, err
	}
	found, err := r.Speedtests(q)
	if err != nil {
		return nil, err
	}
	next := found.Next(p.Offset)
	if p.Format == formatCSV {
		return p.file(export.Speedtests(found.Items), p.Market, "speedtests", next), nil
	}
	return encodePage(found.Items, view.AppendSpeedtest, view.SpeedtestsMeta{Limit: p.Limit, Returned: len(found.Items),
		Market: p.Market, Operator: p.Operator.canonical(m), Offset: p.Offset, HasMore: next != nil, NextOffset: next,
		Editions: r.editions(m, measure.Speedtest), SourceUnavailableReason: unavailableReason(m), DataVersion: &found.Version})
}

// measureBytes is the approximate size of a measurement in JSON.
const measureBytes = 480

// encodePage encodes a body of items and meta.
func encodePage[T any](items []T, item func([]byte, *T) []byte, meta any) (*endpoint.Answer, error) {
	text, err := view.JSON(meta)
	if err != nil {
		return nil, err
	}
	body := append(make([]byte, 0, len(items)*measureBytes+len(text)+len(pageHead)+len(pageMiddle)), pageHead...)
	for i := range items {
		if i > 0 {
			body = append(body, ',')
		}
		body = item(body, &items[i])
	}
	return endpoint.Encoded(append(append(body, pageMiddle...), text...)), nil
}

var siteSpeedtests = endpoint.New(endpoint.Decl{
	Name: "speedtests.site", Path: "/speedtests/site", Scope: "speedtest:read", FailureName: "SPEEDTESTS_SITE", MaxAge: 60,
	Example:    endpoint.Request{Target: "/speedtests/site?siteId=fr-90000001&bestOnly=true"},
	DependsOn:  []string{catalog.DataMeasures},
	Summary:    "Speedtests of a site, the newest first, or the best one.",
	Doc:        "The speedtests of a site are those whose radio names an eNB, gNB or cell that a source assigns to it, not one that was learned from measurements. If it has no such speedtest, the answer is those of its operators within a kilometre. A gNB whose length the data does not state is tried with every length in an NCI, as by /antennas/lookup-by-radio, where no speedtest names it for certain. The best has the highest averageSpeed, then the highest downloadSpeed, then is the most recent.",
	ErrorCodes: []string{codeNoIdentifier, codeNoSite, codeInvalidOperator},
	Shapes:     shapes[[]view.Speedtest, view.SiteSpeedtestsMeta](),
}, (*Env).speedtestsOfSite)

type siteSpeedtestsParams struct {
	SiteID       string        `param:"siteId" max:"128" doc:"Site id (sup_id), siteKey, national code or station number." example:"fr-90000010"`
	ANFRCode     string        `param:"anfrCode" max:"128" doc:"Legacy: the same as siteId. All that are given must name one site."`
	NationalCode string        `param:"nationalSiteCode" max:"128" doc:"The same."`
	SourceCode   string        `param:"sourceCode" max:"128" doc:"The same."`
	ENB          *int          `param:"enb" min:"0" max:"4294967295" doc:"eNB or gNB: only speedtests that name it, at whatever site." example:"1009"`
	Market       *market.Code  `param:"market" doc:"Only this market; default: that of the site, FR for an enb alone."`
	Operator     operatorNames `param:"operator" default:"ALL" doc:"Only speedtests of these operators, several with commas; or ALL." example:"ORANGE"`
	MNC          *int          `param:"mnc" min:"0" max:"999" doc:"Only this mobile network code." example:"1"`
	MCC          *int          `param:"mcc" min:"0" max:"999" doc:"Only this mobile country code; with mnc alone, that of the market where it has one only." example:"208"`
	BestOnly     bool          `param:"bestOnly" default:"false" doc:"Only the best speedtest."`
	Limit        int           `param:"limit" default:"20" min:"1" max:"100" doc:"Most items to answer."`
	Offset       int           `param:"offset" default:"0" min:"0" doc:"Items to pass over; ignored with bestOnly."`
}

// codes returns the identifiers of the site that are given.
func (p *siteSpeedtestsParams) codes() (given []siteCode) {
	for _, c := range []siteCode{{"siteId", p.SiteID}, {"anfrCode", p.ANFRCode}, {"nationalSiteCode", p.NationalCode},
		{"sourceCode", p.SourceCode}} {
		if c.value != "" {
			given = append(given, c)
		}
	}
	return given
}

// Check holds the rules over several parameters.
func (p *siteSpeedtestsParams) Check() error {
	if len(p.codes()) == 0 && p.ENB == nil {
		return errNoIdentifier
	}
	among := market.All
	if p.Market != nil {
		among = []*market.Market{market.Get(*p.Market)}
	}
	return p.Operator.checkMarkets(among)
}

func (r *Env) speedtestsOfSite(_ context.Context, p *siteSpeedtestsParams) (*endpoint.Answer, error) {
	q, err := r.siteTests(p)
	if err != nil {
		return nil, err
	}
	found, err := r.Speedtests(q)
	if err != nil {
		return nil, err
	}
	return encodePage(found.Items, view.AppendSpeedtest,
		view.SiteSpeedtestsMeta{DataVersion: &found.Version, Total: found.Total, Limit: p.Limit, Offset: q.Offset,
			BestOnly: p.BestOnly, Market: q.Market.Code, Operator: p.Operator.canonical(q.Market),
			SourceUnavailableReason: unavailableReason(q.Market)})
}

// siteTests returns the question that the parameters ask, with the site that they name.
func (r *Env) siteTests(p *siteSpeedtestsParams) (q catalog.Measures, err error) {
	q = catalog.Measures{Market: market.Get(market.Default), Limit: p.Limit,
		Of: &catalog.SiteTests{MNC: p.MNC, MCC: p.MCC, Best: p.BestOnly}}
	if p.Market != nil {
		q.Market = market.Get(*p.Market)
	}
	if codes := p.codes(); len(codes) > 0 {
		if q.Of.Site, err = r.findSite(codes[0].value, p.Market, nil); err != nil {
			return q, err
		}
		if err := checkCodes(q.Of.Site, "the same site as "+codes[0].name, codes...); err != nil {
			return q, err
		}
		q.Market = q.Of.Site.Register.Table
	}
	if p.ENB != nil {
		q.Of.Node = new(uint64(*p.ENB))
	}
	if !p.BestOnly {
		q.Offset = p.Offset
	}
	q.Operators, err = p.Operator.Positions(q.Market)
	return q, err
}
