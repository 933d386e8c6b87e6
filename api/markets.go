package api

import (
	"context"

	"relais/api/endpoint"
	"relais/api/view"
	"relais/catalog"
	"relais/market"
)

var listMarkets = endpoint.New(endpoint.Decl{
	Name: "markets.list", Path: "/markets", Scope: "antennas:read", FailureName: "MARKETS", MaxAge: 60,
	Example: endpoint.Request{Target: "/markets"},
	Summary: "The markets: operators, areas, filters, availability, and what this server has loaded.",
	Doc:     "A market without a register, or that is not loaded here, is listed too: availability and loaded say so. Keys of operators and codes of areas are what the filters of other routes take.",
}, (*Env).markets)

type marketsParams struct{}

func (r *Env) markets(context.Context, *marketsParams) (*view.Body[[]view.Market, view.MarketsMeta], error) {
	if r.Set == nil {
		return nil, catalog.ErrLoading
	}
	body := &view.Body[[]view.Market,
		view.MarketsMeta]{Meta: view.MarketsMeta{Total: len(market.All), DataVersion: &r.Set.Version}}
	for _, m := range market.All {
		body.Data = append(body.Data, view.NewMarket(m, r.Set.Market(m.Code)))
	}
	return body, nil
}
