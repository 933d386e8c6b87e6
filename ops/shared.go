package ops

import (
	"context"
	"fmt"

	"relais/endpoint"
	"relais/index"
	"relais/market"
	"relais/measure"
	"relais/view"
)

// What operations of other transports share with these.
type (
	MarketParams   = singleMarketParams
	Operator       = operatorName
	AreaParams     = areaParams
	EmissionParams = singleEmissionParams
	BoxParams      = boxParams
	ArchiveDate    = archiveDate
	RadioParams    = radioParams
	Technology     = technologyName
)

// ResolveMarket resolves the parameters that pick a market's sites to its row, its register,
// which is nil for a market without an inventory, and a filter.
func (r *Env) ResolveMarket(in MarketParams, a AreaParams, e EmissionParams) (*market.Market, *index.Market, index.Filter,
	error) {
	return r.resolveMarket(in.asLists(), a, e.asLists())
}

// Load returns the register of a market, nil for one without an inventory; a market
// with an inventory that is not loaded is an error.
func (r *Env) Load(m *market.Market) (*index.Market, error) { return r.load(m) }

// Locate finds the site that a siteKey, site id, national code or station number
// names, in one market or, with nil, in all.
func (r *Env) Locate(name string, in *market.Code) (*index.Market, uint32, error) {
	where := "no site that is loaded"
	if in != nil {
		where = "no site of " + string(*in)
	}
	return r.locate(name, in, &Error{Status: 404, Code: codeNoSite,
		Message: fmt.Sprintf("%s has the identifier %q: search by words for sites, and give the siteKey of one that is found", where, name)})
}

// MeasureStore returns the speedtests and coverage points; an error while they are not
// open.
func (r *Env) MeasureStore() (*measure.Store, error) { return r.measureStore() }

// CommuneName names the commune of an INSEE code, "" where the registers do not.
func (r *Env) CommuneName(insee string) string { return r.communeName(insee) }

// MeasureQuery begins a question to the measures of a market: those of an operator, at most
// so many days old; with 0, of any age. The error is about the operator, or says that the
// measures are not open.
func (r *Env) MeasureQuery(in MarketParams, days, limit int) (*measure.Store, measure.Query, error) {
	return r.measureQuery(in.asLists(), days, limit)
}

func (r *Env) measureQuery(in marketParams, days, limit int) (*measure.Store, measure.Query, error) {
	q, err := in.measureQuery(limit)
	if err != nil {
		return nil, q, err
	}
	if days > 0 {
		q.Since = r.windowStart(days)
	}
	store, err := r.measureStore()
	return store, q, err
}

// SiteTests names speedtests of a site, as the parameters of /speedtests/site do.
type SiteTests struct {
	Site          string
	Market        *market.Code // nil: any
	Operator      Operator
	Best          bool
	Limit, Offset int
}

// SpeedtestsOfSite returns the speedtests that /speedtests/site answers, and how many
// match.
func (r *Env) SpeedtestsOfSite(t SiteTests) ([]measure.Test, int, error) {
	p := siteSpeedtestsParams{SiteID: t.Site, Market: t.Market, Operator: operatorList(t.Operator), BestOnly: t.Best,
		Limit: t.Limit, Offset: t.Offset}
	if err := p.Check(); err != nil {
		return nil, 0, err
	}
	q, _, err := r.siteQuery(&p)
	if err != nil {
		return nil, 0, err
	}
	return r.testsOfSite(q)
}

// Departments returns the statistics of the departments of FR and DROM that
// /stats/departments answers.
func (r *Env) Departments(o Operator) ([]view.Department, error) {
	body, err := r.departments(context.Background(), &statsParams{operatorList(o)})
	if err != nil {
		return nil, err
	}
	return body.Data, nil
}

// Position returns the position of the operator in the market's table, index.Any for ALL.
func (o operatorName) Position(m *market.Market) (int, error) { return o.position(m) }

// PublicMessage is what whoever asked is told of an operation's error, and the cause that is
// for the log only, nil for none.
func PublicMessage(err error) (message string, cause error) {
	e := PublicError(&endpoint.Op[*Env]{}, err)
	if e.Status >= 500 && e.Code != codeNotReady && e.Code != codeBusy && e.Code != codeNotWritable {
		return "an internal error; the server's log has it", fmt.Errorf("%s: %w", e.Message, err)
	}
	return e.Message, nil
}

// Position returns the position of the area in the market's table, index.Any for none.
func (p areaParams) Position(m *market.Market) (int, error) { return p.position(m) }

// NotFound is the error of something that is not there.
func NotFound(message string) *Error {
	return &Error{Status: 404, Code: codeNotFound, Message: message}
}
