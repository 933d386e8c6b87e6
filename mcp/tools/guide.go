package tools

import (
	"context"
	"fmt"
	"strings"

	"relais/api/endpoint"
	"relais/market"
)

var capabilitiesGuide = endpoint.New(endpoint.Decl{
	Name: "capabilities_guide", Title: "What can be asked here",
	Summary: "The markets with the dates of their data, which tool answers which question, and the limits. Call it first.",
}, newGuide)

// A Guide lists the markets and the tools.
type Guide struct {
	Markets []GuideMarket `json:"markets"`
	Tools   []GuideTool   `json:"tools"`
	Limits  []string      `json:"limits"`
	Sourced
}

// A GuideMarket is a market of the guide.
type GuideMarket struct {
	Market    market.Code `json:"market"`
	Label     string      `json:"label"`
	Loaded    bool        `json:"loaded" doc:"Whether this server has the market's inventory."`
	Sites     *int        `json:"sites" doc:"null when the inventory is not loaded."`
	Operators []string    `json:"operators"`
	AreaType  string      `json:"areaType" doc:"department, province; empty when the register names no areas."`
}

// A GuideTool is a tool of the guide.
type GuideTool struct {
	Name     string `json:"name"`
	Question string `json:"question" doc:"What it is for."`
	SignedIn bool   `json:"signedIn" doc:"Whether it needs somebody who signed in."`
}

// firstSentence returns the first sentence of a summary: the guide has all tools, and must be short.
func firstSentence(text string) string {
	if sentence, _, more := strings.Cut(text, ". "); more {
		return sentence + "."
	}
	return text
}

func newGuide(r *Reading, _ context.Context, _ *struct{}) (*Guide, error) {
	g := &Guide{Markets: []GuideMarket{}, Tools: make([]GuideTool, 0, len(listed())), Limits: []string{
		fmt.Sprintf("An answer has at most %d bytes: truncated says that there is more, nextOffset where it goes on.",
			MaxAnswer),
		"Positions go in and out as WGS84 degrees, distances come out in metres, radiusKm goes in in kilometres.",
		fmt.Sprintf("Who signed in submits at most %d times an hour. The operator of the server decides how many calls a minute are answered.", hourlyLimit),
		"What a source does not state is null or empty: it is not known, which is not the same as no.",
	}}
	for _, m := range market.All {
		row := GuideMarket{Market: m.Code, Label: m.Label, Operators: m.OperatorKeys(), AreaType: m.AreaType}
		loaded, _ := r.Register(m) // a market without a register is listed too: its measurements may be asked for
		if loaded != nil {
			row.Loaded, row.Sites = true, new(loaded.Len())
		}
		g.Sources = append(g.Sources, sourceOf(m, loaded))
		g.Markets = append(g.Markets, row)
	}
	for _, t := range listed() {
		g.Tools = append(g.Tools, GuideTool{t.Name, firstSentence(t.Summary), t.SignedIn})
	}
	return g, nil
}
