package api

import (
	"cmp"
	"context"

	"relais/api/endpoint"
	"relais/api/view"
	"relais/catalog"
	"relais/export"
	"relais/index"
	"relais/market"
	"relais/measure"
	"relais/site"
)

var (
	errNoIdentifier = &Error{Status: 400, Code: codeNoIdentifier, Parameter: "siteId",
		Message: "siteId: missing; give siteId, anfrCode, nationalSiteCode, sourceCode or enb"}
)

// measureStore returns the measurements. It fails while they are not open.
func (r *Env) measureStore() (*measure.Store, error) {
	if r.Measures == nil {
		return nil, catalog.ErrNoMeasures
	}
	return r.Measures, nil
}

var listSpeedtests = endpoint.New(endpoint.Decl{
	Name: "speedtests.list", Path: "/speedtests", Scope: "speedtest:read", FailureName: "SPEEDTESTS", MaxAge: 60,
	Example:    endpoint.Request{Target: "/speedtests?limit=1"},
	DependsOn:  []string{catalog.Recent},
	Summary:    "Speedtests of a market in the last days, the newest first.",
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
	Days   int `param:"days" default:"30" min:"1" max:"365" doc:"How many days back."`
	Limit  int `param:"limit" default:"100" min:"1" max:"1000" doc:"Most items to answer."`
	Offset int `param:"offset" default:"0" min:"0" doc:"Items to pass over."`
}

// Check holds the rules over several parameters.
func (p *speedtestsParams) Check() error {
	return cmp.Or(p.boxParams.check(), p.csvParams.check(string(p.Format)))
}

func (r *Env) speedtests(_ context.Context, p *speedtestsParams) (*endpoint.Answer, error) {
	store, q, err := r.measureQuery(p.marketParams, p.Days, p.Limit)
	if err != nil {
		return nil, err
	}
	q.Box, q.Offset = p.box(), p.Offset
	version := store.Version()
	tests, total, err := store.Speedtests(q)
	if err != nil {
		return nil, err
	}
	m := market.Get(p.Market)
	meta := view.SpeedtestsMeta{Limit: p.Limit, Returned: len(tests), Market: p.Market, Operator: p.Operator.canonical(m),
		Offset: p.Offset, SourceUnavailableReason: unavailableReason(m), DataVersion: &version}
	if next := p.Offset + len(tests); len(tests) > 0 && next < total {
		meta.HasMore, meta.NextOffset = true, &next
	}
	if p.Format == formatCSV {
		return p.file(export.Speedtests(tests), p.Market, "speedtests", meta.NextOffset), nil
	}
	return encodePage(tests, view.AppendSpeedtest, meta)
}

// measureQuery returns a query for measurements of the market and operators.
func (in *marketParams) measureQuery(limit int) (measure.Query, error) {
	m := market.Get(in.Market)
	operators, err := in.Operator.positions(m)
	if err != nil {
		return measure.Query{}, err
	}
	return measure.Query{Market: in.Market, Among: keysOf(m, operators), Limit: limit}, nil
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
	DependsOn:  []string{catalog.Measures},
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
func (p *siteSpeedtestsParams) codes() (given []struct{ name, value string }) {
	for _, c := range []struct{ name, value string }{{"siteId", p.SiteID}, {"anfrCode", p.ANFRCode},
		{"nationalSiteCode", p.NationalCode}, {"sourceCode", p.SourceCode}} {
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
	q, in, err := r.siteQuery(p)
	if err != nil {
		return nil, err
	}
	tests, total, err := r.testsOfSite(q)
	if err != nil {
		return nil, err
	}
	version, m := r.Measures.Version(), market.Get(in.Market)
	return encodePage(tests, view.AppendSpeedtest,
		view.SiteSpeedtestsMeta{DataVersion: &version, Total: total, Limit: p.Limit, Offset: q.Offset,
			BestOnly: p.BestOnly, Market: in.Market, Operator: in.Operator.canonical(m),
			SourceUnavailableReason: unavailableReason(m)})
}

func (r *Env) testsOfSite(q measure.SiteQuery) ([]measure.Test, int, error) {
	store, err := r.measureStore()
	if err != nil {
		return nil, 0, err
	}
	return store.SpeedtestsOfSite(q)
}

// siteQuery resolves the site and its market.
func (r *Env) siteQuery(p *siteSpeedtestsParams) (q measure.SiteQuery, in marketParams, err error) {
	in = marketParams{market.Default, p.Operator}
	if p.Market != nil {
		in.Market = *p.Market
	}
	var loaded *index.Market
	var at uint32
	for i, c := range p.codes() {
		if i > 0 {
			if other, ok := loaded.ByID(c.value); !ok || other != at {
				return q, in, &endpoint.ParamError{Param: c.name, Value: c.value,
					Want: "a code of the same site as " + p.codes()[0].name}
			}
			continue
		}
		found, err := r.findSite(c.value, p.Market, nil)
		if err != nil {
			return q, in, err
		}
		loaded, at = found.Register, found.At
		in.Market = loaded.Table.Code
	}
	if q.Query, err = in.measureQuery(p.Limit); err != nil {
		return q, in, err
	}
	q.MNC, q.MCC, q.Best = p.MNC, p.MCC, p.BestOnly
	if mcc, ok := measure.InferMCC(in.Market); ok && p.MNC != nil && p.MCC == nil {
		q.MCC = &mcc
	}
	if !p.BestOnly {
		q.Offset = p.Offset
	}
	if p.ENB != nil {
		id := site.RadioID{Kind: site.ENB, Operator: index.Any, Value: uint64(*p.ENB)}
		q.Radio = []site.RadioID{id, id}
		q.Radio[1].Kind = site.GNB
		return q, in, nil
	}
	s := new(site.Site)
	loaded.Site(at, s)
	q.Radio, q.Center, q.Operators = s.Radio, &s.Position, []string{}
	for i, o := range loaded.Table.Operators {
		if loaded.Has(at, i) {
			q.Operators = append(q.Operators, o.Key)
		}
	}
	return q, in, nil
}
