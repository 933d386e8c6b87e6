package api

import (
	"slices"

	"relais/api/endpoint"
	"relais/api/view"
	"relais/catalog"
	"relais/market"
	"relais/measure"
)

// windowParams say how old measurements may be, and which edition they are of.
type windowParams struct {
	Days    *int   `param:"days" min:"1" max:"365" doc:"How many days back, exactly. Without it and edition: 30, and in addition the newest campaign of each authority, whatever its age."`
	Edition string `param:"edition" max:"80" doc:"Only this edition, whatever its age: an id of meta.editions." example:"arcep-2025-habitations"`
}

// WindowParams are shared with other transports.
type WindowParams = windowParams

// Apply sets the window of a question. Error: the market has no such edition.
func (p *windowParams) Apply(r *Env, q *catalog.Measures) error {
	q.SetWindow(p.Days, p.Edition)
	if p.Edition == "" || r.Measures == nil {
		return nil
	}
	if _, ok := r.Measures.Edition(q.Market.Code, p.Edition); !ok {
		return &endpoint.ParamError{Param: "edition", Value: p.Edition,
			Want: "an id of meta.editions, which lists those of the market " + string(q.Market.Code)}
	}
	return nil
}

// maxOwnEditions is how many editions that nobody published an answer lists.
const maxOwnEditions = 50

// editions returns the editions of a market with measurements of a kind: all campaigns, and the last imports.
func (r *Env) editions(m *market.Market, kind measure.Kind) []view.Edition {
	list := []view.Edition{}
	all := r.MeasureEditions(m, kind)
	own := slices.IndexFunc(all, func(e measure.Edition) bool { return e.Campaign.ID == "" })
	if own >= 0 {
		all = all[:min(own+maxOwnEditions, len(all))]
	}
	for _, e := range all {
		list = append(list, view.NewEdition(&e, kind))
	}
	return list
}
