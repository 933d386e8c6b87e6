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
	InMarket       = oneInMarket
	Operator       = operatorName
	AreaParams     = areaParams
	EmissionParams = oneEmissionParams
	BoxParams      = boxParams
	ArchiveDate    = archiveDate
	RadioParams    = radioParams
	Technology     = technologyName
)

// Pick resolves the parameters that pick a market's sites to its row, its register,
// which is nil for a market without an inventory, and a filter.
func (r *Reading) Pick(in InMarket, a AreaParams, e EmissionParams) (*market.Market, *index.Market, index.Filter,
	error) {
	return r.pick(in.several(), a, e.several())
}

// Load returns the register of a market, nil for one without an inventory; a market
// with an inventory that is not loaded is an error.
func (r *Reading) Load(m *market.Market) (*index.Market, error) { return r.load(m) }

// Locate finds the site that a siteKey, site id, national code or station number
// names, in one market or, with nil, in all.
func (r *Reading) Locate(name string, in *market.Code) (*index.Market, uint32, error) {
	where := "no site that is loaded"
	if in != nil {
		where = "no site of " + string(*in)
	}
	return r.locate(name, in, &Error{Status: 404, Code: codeNoSite,
		Message: fmt.Sprintf("%s has the identifier %q: search by words for sites, and give the siteKey of one that is found", where, name)})
}

// Measured returns the speedtests and coverage points; an error while they are not
// open.
func (r *Reading) Measured() (*measure.Store, error) { return r.measures() }

// City names the commune of an INSEE code, "" where the registers do not.
func (r *Reading) City(insee string) string { return r.city(insee) }

// AskMeasured begins a question to the measures of a market: those of an operator, at most
// so many days old; with 0, of any age. The error is about the operator, or says that the
// measures are not open.
func (r *Reading) AskMeasured(in InMarket, days, limit int) (*measure.Store, measure.Query, error) {
	return r.askMeasured(in.several(), days, limit)
}

func (r *Reading) askMeasured(in inMarket, days, limit int) (*measure.Store, measure.Query, error) {
	q, err := in.query(limit)
	if err != nil {
		return nil, q, err
	}
	if days > 0 {
		q.Since = r.since(days)
	}
	store, err := r.measures()
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
func (r *Reading) SpeedtestsOfSite(t SiteTests) ([]measure.Test, int, error) {
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
func (r *Reading) Departments(o Operator) ([]view.Department, error) {
	body, err := r.departments(context.Background(), &statsParams{operatorList(o)})
	if err != nil {
		return nil, err
	}
	return body.Data, nil
}

// Table returns the position of the operator in the market's table, index.Any for ALL.
func (o operatorName) Table(m *market.Market) (int, error) { return o.in(m) }

// Message is what whoever asked is told of an operation's error, and the cause that is
// for the log only, nil for none.
func Message(err error) (message string, cause error) {
	e := Report(&endpoint.Op[*Reading]{}, err)
	if e.Status >= 500 && e.Code != codeNotReady && e.Code != codeBusy && e.Code != codeNotWritable {
		return "an internal error; the server's log has it", fmt.Errorf("%s: %w", e.Message, err)
	}
	return e.Message, nil
}

// Table returns the position of the area in the market's table, index.Any for none.
func (p areaParams) Table(m *market.Market) (int, error) { return p.in(m) }

// NotFound is the error of something that is not there.
func NotFound(message string) *Error {
	return &Error{Status: 404, Code: codeNotFound, Message: message}
}
