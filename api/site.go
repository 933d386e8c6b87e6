package api

import (
	"context"
	"slices"
	"sync"

	"relais/api/endpoint"
	"relais/api/view"
	"relais/index"
	"relais/internal/fold"
	"relais/market"
	"relais/site"
)

var getAntenna = endpoint.New(endpoint.Decl{
	Name: "antennas.get", Path: "/antennas/{id}", Scope: "antennas:read", FailureName: "ANTENNA", MaxAge: 60,
	DependsOn:  []string{dataLearned},
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
	loaded, at, _, err := r.findSite(p.ID, p.Market, p.Operator, errNoAntenna)
	if err != nil {
		return nil, err
	}
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

var getSite = endpoint.New(endpoint.Decl{
	Name: "sites.get", Path: "/sites/{siteId}", Scope: "antennas:read", FailureName: "SITE", MaxAge: 60,
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
	loaded, at, operator, err := r.findSite(p.ID, p.Market, p.Operator, errNoSite)
	if err != nil {
		return nil, err
	}
	s := new(site.Site)
	loaded.Site(at, s)
	return &view.Body[view.Site, view.DetailMeta]{Data: view.NewSite(loaded.Snap, s, operator),
		Meta: detailMeta(loaded)}, nil
}

func detailMeta(m *index.Market) view.DetailMeta {
	a, date := attribution(m.Table, m)
	return view.DetailMeta{Market: m.Table.Code, SourceDate: date, Attribution: a}
}

// findSite returns the site that name identifies and the position of its first operator
// among those in o. Without such a site or operator it returns the error absent.
func (r *Env) findSite(name string, in *market.Code, o operatorNames, absent *Error) (*index.Market, uint32, int,
	error) {
	among := market.All
	if in != nil {
		among = []*market.Market{market.Get(*in)}
	}
	if err := o.checkMarkets(among); err != nil {
		return nil, 0, 0, err
	}
	loaded, at, err := r.locate(name, in, absent)
	if err != nil {
		return nil, 0, 0, err
	}
	operators, err := o.positions(loaded.Table)
	if err != nil {
		return nil, 0, 0, err
	}
	if operators == nil {
		return loaded, at, index.Any, nil
	}
	for _, operator := range operators {
		if loaded.Has(at, operator) {
			return loaded, at, operator, nil
		}
	}
	return nil, 0, 0, absent
}

// locate finds the site that name identifies: in the given market, else in the market of a
// siteKey, else in all loaded markets. A site id counts before a station number.
func (r *Env) locate(name string, in *market.Code, absent *Error) (*index.Market, uint32, error) {
	if in != nil {
		return r.locateIn(market.Get(*in), name, absent)
	}
	if r.Set == nil {
		return nil, 0, errLoading
	}
	for _, m := range market.All {
		if prefix := index.Key(m.Code, ""); len(name) > len(prefix) && fold.EqualASCII(name[:len(prefix)], prefix) {
			if loaded, at, err := r.locateIn(m, name, absent); err != absent {
				return loaded, at, err
			}
		}
	}
	none := true
	for loaded := range r.Set.Loaded() {
		none = false
		if r.Withholds(loaded.Table, loaded.Snap.Registers) {
			continue
		}
		if at, ok := loaded.ByID(name); ok {
			return loaded, at, nil
		}
	}
	if none {
		return nil, 0, notLoaded(market.Default)
	}
	return nil, 0, absent
}

func (r *Env) locateIn(m *market.Market, name string, absent *Error) (*index.Market, uint32, error) {
	loaded, err := r.load(m)
	if err != nil {
		return nil, 0, err
	}
	if loaded != nil {
		if at, ok := loaded.ByID(name); ok {
			return loaded, at, nil
		}
	}
	return nil, 0, absent
}
