package tools

import (
	"context"

	"relais/api"
	"relais/api/endpoint"
	"relais/api/view"
	"relais/market"
)

var coverageMapTools = []*Tool{coverageAt}

var coverageAt = endpoint.New(endpoint.Decl{
	Name: "coverage_at", Title: "Who covers a place",
	Summary: "What official coverage maps say of a place: for each operator and technology the level that is expected outdoors, where it is better, the nearest site that has the technology, and what phones measured within 100 m, with a disagreement where theory and measurement contradict each other. The maps are computed by operators; nobody measured them.",
}, placeCoverage)

// A PlaceCoverage is what official coverage maps say of a place.
type PlaceCoverage struct {
	Market      *market.Code       `json:"market" doc:"That of the place; null if no map says anything of it."`
	Place       *string            `json:"place" doc:"What was found for q or siteId."`
	Coordinates view.Coordinates   `json:"coordinates"`
	Theory      string             `json:"theory" doc:"What the maps are."`
	Note        *string            `json:"note" doc:"Why the list is empty; null when it is not."`
	Maps        []view.CoverageRow `json:"maps" doc:"A row is the map of one operator and technology."`
	Sourced
}

func placeCoverage(r *Reading, ctx context.Context, p *api.CoverageAtParams) (*PlaceCoverage, error) {
	body, err := r.Env.PlaceCoverage(ctx, p)
	if err != nil {
		return nil, err
	}
	v := &PlaceCoverage{Market: body.Meta.Market, Place: body.Meta.Place, Coordinates: body.Meta.Coordinates, Theory: body.Meta.Theory,
		Note: body.Meta.Note, Maps: body.Data}
	v.Sources = []Source{}
	if len(body.Data) > 0 {
		from := &body.Data[0]
		source := Source{Market: *body.Meta.Market, Authority: from.Authority, Label: from.Source, Date: &from.Edition}
		if from.Licence != nil {
			source.Licence = *from.Licence
		}
		v.Sources = append(v.Sources, source)
	}
	return v, nil
}
