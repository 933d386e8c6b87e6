package api

import (
	"context"

	"relais/api/view"
	"relais/geo"
	"relais/site"
)

// ChangeParams select changes of a market.
type ChangeParams struct {
	marketParams
	changeSelection
}

// ChangeRows returns a page of the changes of the editions of a period, the newest first, and how many match. The
// dates are those of the first and last edition; 0 for any.
func (r *Env) ChangeRows(ctx context.Context, p *ChangeParams, box *geo.Box, first, last site.Date, offset, limit int) (
	[]view.Change, int, error) {
	editions, err := r.Archives.Editions(p.Market)
	if err != nil || len(editions) < 2 || last != 0 && last <= editions[0].Date {
		return nil, 0, err
	}
	since := editions[0].Date
	for _, e := range editions {
		if e.Date < first {
			since = e.Date
		}
	}
	filters := changeFilters{changeSelection: p.changeSelection}
	if box != nil {
		filters.boxParams = boxParams{North: &box.North, South: &box.South, East: &box.East, West: &box.West}
	}
	body, err := r.changesPage(ctx, &changesParams{marketParams: p.marketParams, changeFilters: filters,
		Since: archiveDate(since.String()), Until: archiveDate(last.String()), Offset: offset, Limit: limit}, nil)
	if err != nil {
		return nil, 0, err
	}
	return body.Data, body.Meta.TotalMatched, nil
}
