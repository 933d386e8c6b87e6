package api

import (
	"context"
	"slices"
	"sync"

	"relais/api/endpoint"
	"relais/api/view"
	"relais/catalog"
	"relais/index"
	"relais/market"
	"relais/site"
)

var getAntenna = endpoint.New(endpoint.Decl{
	Name: "antennas.get", Path: "/antennas/{id}", Scope: "antennas:read", FailureName: "ANTENNA", MaxAge: 60,
	Example:    endpoint.Request{Target: "/antennas/fr-90000010"},
	DependsOn:  []string{catalog.Learned},
	Summary:    "One antenna site in full.",
	Doc:        "Without market, a siteKey finds its market; any other identifier is looked for in the loaded markets in the order of /markets.",
	ErrorCodes: []string{codeNoAntenna, codeInvalidOperator},
	Shapes:     shapes[view.Detail, view.DetailMeta](),
}, (*Env).antenna)

type antennaParams struct {
	ID       string        `param:"id" max:"128" code:"ANTENNA_NOT_FOUND" doc:"Site id (sup_id), siteKey, national code or station number." example:"23444"`
	Market   *market.Code  `param:"market" doc:"Only this market."`
	Operator operatorNames `param:"operator" default:"ALL" doc:"Only a site that has one of these operators, several with commas."`
}

// sitePool reuses records, with the memory of their lists.
var sitePool = sync.Pool{New: func() any { return new(site.Site) }}

func (r *Env) antenna(_ context.Context, p *antennaParams) (*endpoint.Answer, error) {
	found, err := r.findSite(p.ID, p.Market, p.Operator)
	if err != nil {
		return nil, err
	}
	loaded, at := found.Register, found.At
	s := sitePool.Get().(*site.Site)
	defer sitePool.Put(s)
	loaded.Site(at, s)
	s.Radio = loaded.AppendLearned(s.Radio, at)
	more, err := view.JSON(view.NewMore(loaded.Snap, s))
	if err != nil {
		return nil, err
	}
	meta, err := view.JSON(detailMeta(loaded))
	if err != nil {
		return nil, err
	}
	return endpoint.Encoded(slices.Concat([]byte(`{"data":`), openObject(loaded.Fragment(at)), []byte(","), more[1:],
		[]byte(`,"meta":`), meta)), nil
}

func (p *antennaParams) question() (catalog.Site, error) {
	return p.Operator.siteQuestion(p.ID, p.Market)
}

// BindSite returns the question that the parameters of /antennas/{id} ask.
func BindSite(get endpoint.Lookup) (catalog.Site, error) {
	return bind(getAntenna, get, (*antennaParams).question)
}

var getSite = endpoint.New(endpoint.Decl{
	Name: "sites.get", Path: "/sites/{siteId}", Scope: "antennas:read", FailureName: "SITE", MaxAge: 60,
	Example:    endpoint.Request{Target: "/sites/fr-90000010"},
	Summary:    "Where a site is and who is on it.",
	Doc:        "A short form of /antennas/{id}, for apps that show the photos of a site.",
	ErrorCodes: []string{codeNoSite, codeInvalidOperator},
}, (*Env).site)

type siteParams struct {
	ID       string        `param:"siteId" max:"128" code:"SITE_NOT_FOUND" doc:"Site id (sup_id), siteKey, national code or station number." example:"fr-90000010"`
	Market   *market.Code  `param:"market" doc:"Only this market."`
	Operator operatorNames `param:"operator" default:"ALL" doc:"Only a site that has one of these operators, several with commas; operatorSiteId is then the first one's."`
}

func (r *Env) site(_ context.Context, p *siteParams) (*view.Body[view.Site, view.DetailMeta], error) {
	found, err := r.findSite(p.ID, p.Market, p.Operator)
	if err != nil {
		return nil, err
	}
	loaded, s := found.Register, new(site.Site)
	loaded.Site(found.At, s)
	return &view.Body[view.Site, view.DetailMeta]{Data: view.NewSite(loaded.Snap, s, found.Operator),
		Meta: detailMeta(loaded)}, nil
}

func detailMeta(m *index.Market) view.DetailMeta {
	a, date := attribution(m.Table, m)
	return view.DetailMeta{Market: m.Table.Code, SourceDate: date, Attribution: a}
}

// question returns the question for the site that a name identifies. Some market must have each of the operators.
func (l operatorNames) siteQuestion(name string, in *market.Code) (catalog.Site, error) {
	q, among := catalog.Site{Name: name, Operators: l.Texts()}, market.All
	if in != nil {
		q.Market = market.Get(*in)
		among = []*market.Market{q.Market}
	}
	return q, l.checkMarkets(among)
}

// A siteCode is a parameter that names a site.
type siteCode struct{ name, value string }

// checkCodes fails if one of the codes, which may be "", is not of a site.
func checkCodes(found catalog.SiteFound, what string, codes ...siteCode) error {
	for _, c := range codes {
		if at, ok := found.Register.ByID(c.value); c.value != "" && (!ok || at != found.At) {
			return &endpoint.ParamError{Param: c.name, Value: c.value, Want: "a code of " + what}
		}
	}
	return nil
}

// findSite finds the site that a name identifies.
func (r *Env) findSite(name string, in *market.Code, o operatorNames) (catalog.SiteFound, error) {
	q, err := o.siteQuestion(name, in)
	if err != nil {
		return catalog.SiteFound{}, err
	}
	return r.Site(q)
}
