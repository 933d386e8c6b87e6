package tools

import (
	"cmp"
	"context"

	"relais/api"
	"relais/api/endpoint"
	"relais/api/view"
	"relais/archive/change"
	"relais/catalog"
	"relais/market"
	"relais/site"
)

var changeTools = []*Tool{changesList}

var changesList = endpoint.New(endpoint.Decl{
	Name: "changes_list", Title: "What changed around a place",
	Summary: "What editions of a register changed in a commune, postal code, department, region or province, or in a whole market: sites, operators and systems that came or went, new statuses, sites that moved; the newest edition first. Without a period it is the newest edition. It answers what is new around somewhere.",
}, listChanges)

type changesListParams struct {
	Place  string      `param:"place" max:"100" doc:"Commune, postal code, department, territory, region or province; its department, postal code or country may follow. Without it, the whole market." example:"Rennes"`
	Market market.Code `param:"market" default:"FR" doc:"The market, of a question without a place."`
	api.AreaParams
	areaRadiusParams
	operatorParams
	api.Period
	Net        bool             `param:"net" doc:"true: only what differs between the first and the last edition of the period."`
	Kind       view.ChangeKind  `param:"kind" doc:"Only changes of this kind."`
	Generation *site.Generation `param:"generation" doc:"Only changes of systems of this generation."`
	Technology string           `param:"technology" max:"100" doc:"Only changes of this system." example:"5G NR 3500"`
	pageParams
}

// A ChangeList is a page of changes.
type ChangeList struct {
	Center *Center          `json:"center,omitempty"`
	Since  *string          `json:"since" doc:"Date of the edition with which the period begins; its own changes are left out. null when there is nothing to compare."`
	Until  *string          `json:"until" doc:"Date of the last edition of the period; null when there is nothing to compare."`
	Note   *string          `json:"note,omitempty" doc:"Why there is nothing to compare. It does not mean that nothing changed."`
	Kinds  view.ChangeKinds `json:"kinds" doc:"Changes by kind, on all pages. A new site counts once as a site, once for each operator and once for each system."`
	List[ListedChange]
	Sourced
}

// A ListedChange is a change in short.
type ListedChange struct {
	Date       string          `json:"date" doc:"Of the edition that has it, YYYY-MM-DD."`
	Kind       view.ChangeKind `json:"kind"`
	SiteKey    string          `json:"siteKey" doc:"Names the site in other tools. A site that is gone is not found by them."`
	Where      string          `json:"where" doc:"Commune, else department or province; empty when the source names none."`
	Operator   string          `json:"operator,omitempty"`
	Technology string          `json:"technology,omitempty" doc:"System; its generation when the source states no more."`
	Before     *string         `json:"statusBefore,omitempty" doc:"As published."`
	After      *string         `json:"status,omitempty" doc:"As published."`
	URL        string          `json:"url" doc:"A page about the site."`
}

func listChanges(r *Reading, ctx context.Context, p *changesListParams) (*ChangeList, error) {
	answer, code := &ChangeList{}, p.Market
	if p.Place == "" && p.RadiusKm != nil {
		return nil, &endpoint.ParamError{Param: "radiusKm", Want: "a place belongs to it: give both, or neither"}
	}
	if p.Place != "" && p.AreaParams != (api.AreaParams{}) {
		return nil, &endpoint.ParamError{Param: "place", Value: p.Place,
			Want: "department, territory and province are for a question without a place"}
	}
	area, err := p.Code(market.Get(p.Market))
	if err != nil {
		return nil, err
	}
	var f change.Filter
	if area != "" {
		f.Areas = []string{area}
	}
	if p.Place != "" {
		place, err := r.place(&placeParams{Place: p.Place}, p.Operator)
		if err != nil {
			return nil, err
		}
		answer.Center, code = placeCenter(place), place.Market.Code
		// An area stands for all of itself, unless a radius is stated.
		if f.Areas = place.AreaCodes(); f.Areas == nil || p.RadiusKm != nil {
			f.Areas, f.Disc = nil, place.Near(p.metres()).Disc
		}
	}
	q, err := p.question(market.Get(code), f)
	if err != nil {
		return nil, err
	}
	found, err := r.Changes(ctx, q)
	if err != nil {
		return nil, err
	}
	page := api.ChangesPage(found)
	answer.Since, answer.Until, answer.Note, answer.Kinds = page.Meta.Since, page.Meta.Until, page.Meta.Reason,
		page.Meta.Kinds
	items := each(page.Data, r.listedChange)
	answer.List, answer.Sourced = listOf(items, p.Offset, page.Meta.TotalMatched), sourced(q.Market, found.Register)
	if answer.Until != nil {
		answer.Sources[0].Date, answer.Sources[0].Label = answer.Until, page.Meta.SourceLabel
	}
	return answer, nil
}

// question returns the question of the parameters about a market, with the place of a filter.
func (p *changesListParams) question(m *market.Market, f change.Filter) (q catalog.Changes, err error) {
	operators, err := p.Operator.Positions(m)
	if err != nil {
		return q, err
	}
	f.Operators = m.KeysOf(operators)
	var kind change.Kind
	if kind.UnmarshalText([]byte(p.Kind)) == nil { // else any kind is wanted
		f.Kinds = []change.Kind{kind}
	}
	if p.Generation != nil {
		f.Generations = []site.Generation{*p.Generation}
	}
	if p.Technology != "" {
		q.Technologies = []string{p.Technology}
	}
	q.Market, q.Filter, q.Net, q.Offset, q.Limit = m, f, p.Net, p.Offset, p.Limit
	p.Bound(&q)
	return q, nil
}

// listedChange returns a change in short, with the commune as its place, or else the area.
func (r *Reading) listedChange(c view.Change) ListedChange {
	none := ""
	v := ListedChange{Date: c.Date, Kind: c.Kind, SiteKey: c.Site.SiteKey, URL: r.pageOf(c.Site.SiteKey),
		Operator: *cmp.Or(c.Operator, &none), Technology: *cmp.Or(c.Technology, c.Generation, &none),
		Where: *cmp.Or(c.Site.Commune, &none)}
	if v.Where == "" && c.Site.Area != nil {
		v.Where = c.Site.Area.Label
	}
	if c.Before != nil {
		v.Before = c.Before.Status
	}
	if c.After != nil {
		v.After = c.After.Status
	}
	return v
}
