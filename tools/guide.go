package tools

import (
	"context"

	"relais/endpoint"
	"relais/market"
)

var capabilitiesGuide = endpoint.New(endpoint.Decl{
	Name: "capabilities_guide", Title: "What can be asked here",
	Summary: "The markets with the dates of their data, which tool answers which question, and the limits. Call it first.",
}, (*Reading).capabilitiesGuide)

// A Guide says what can be asked.
type Guide struct {
	Markets []GuideMarket `json:"markets"`
	Sourced
}

// A GuideMarket is a market of the guide.
type GuideMarket struct {
	Market    market.Code `json:"market"`
	Label     string      `json:"label"`
	Loaded    bool        `json:"loaded" doc:"Whether this server has the market's inventory."`
	Sites     int         `json:"sites"`
	Operators []string    `json:"operators"`
}

func (r *Reading) capabilitiesGuide(context.Context, *struct{}) (*Guide, error) {
	g := &Guide{Markets: []GuideMarket{}}
	for _, m := range market.All {
		row := GuideMarket{Market: m.Code, Label: m.Label, Operators: m.OperatorKeys()}
		if loaded := r.Set.Market(m.Code); loaded != nil {
			row.Loaded, row.Sites = true, loaded.Len()
			g.Sources = append(g.Sources, sourceOf(m, loaded))
		} else {
			g.Sources = append(g.Sources, sourceOf(m, nil))
		}
		g.Markets = append(g.Markets, row)
	}
	return g, nil
}
