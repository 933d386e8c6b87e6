package tools

import (
	"cmp"
	"context"

	"relais/api"
	"relais/api/endpoint"
	"relais/api/view"
	"relais/market"
	"relais/site"
)

var changeTools = []*Tool{changesList}

var changesList = endpoint.New(endpoint.Decl{
	Name: "changes_list", Title: "What changed around a place",
	Summary: "What editions of a register changed in a commune, postal code, department, region or province, or in a whole market: sites, operators and systems that came or went, new statuses, sites that moved; the newest edition first. Without a period it is the newest edition. It answers what is new around somewhere.",
}, (*Reading).changesList)

type changesListParams struct {
	Place  string      `param:"place" max:"100" doc:"Commune, postal code, department, territory, region or province; its department, postal code or country may follow. Without it, the whole market." example:"Rennes"`
	Market market.Code `param:"market" default:"FR" doc:"The market, of a question without a place."`
	areaRadiusParams
	operatorParams
	Since      api.ArchiveDate  `param:"since" doc:"The period begins after the newest edition that is not after this date, YYYY-MM-DD; by default after the edition before that of until." example:"2026-08-20"`
	Until      api.ArchiveDate  `param:"until" doc:"The period ends with the newest edition that is not after this date, YYYY-MM-DD; by default with the newest of all." example:"2026-08-27"`
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

func (r *Reading) changesList(ctx context.Context, p *changesListParams) (*ChangeList, error) {
	q := api.ChangesQuestion{MarketParams: api.MarketParams{Market: p.Market, Operator: p.Operator}, Since: p.Since,
		Until: p.Until, Net: p.Net, Kind: p.Kind, Generation: p.Generation, Technology: p.Technology, Limit: p.Limit,
		Offset: p.Offset}
	answer := &ChangeList{}
	if p.Place == "" && p.RadiusKm != nil {
		return nil, &endpoint.ParamError{Param: "radiusKm", Want: "a place belongs to it: give both, or neither"}
	}
	if p.Place != "" {
		place, err := r.place(&placeParams{Place: p.Place}, p.Operator)
		if err != nil {
			return nil, err
		}
		answer.Center, q.Market = placeCenter(place), place.Market.Code
		if q.Areas = place.AreaCodes(); q.Areas == nil || p.RadiusKm != nil {
			q.Areas, q.Disc = nil, place.Near(p.metres()).Disc
		}
	}
	body, err := r.Changes(ctx, q)
	if err != nil {
		return nil, err
	}
	m := market.Get(q.Market)
	answer.Since, answer.Until, answer.Note, answer.Kinds = body.Meta.Since, body.Meta.Until, body.Meta.Reason,
		body.Meta.Kinds
	items := make([]ListedChange, len(body.Data))
	for i := range body.Data {
		items[i] = r.listedChange(&body.Data[i])
	}
	answer.List, answer.Sourced = listOf(items, p.Offset, body.Meta.TotalMatched), sourced(m, r.RegisterIfAny(m))
	if answer.Until != nil {
		answer.Sources[0].Date, answer.Sources[0].Label = answer.Until, body.Meta.SourceLabel
	}
	return answer, nil
}

func (r *Reading) listedChange(c *view.Change) ListedChange {
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
