package api

import (
	"context"

	"relais/api/endpoint"
	"relais/catalog"
)

// newsOfChanges finds the entries of feeds. It has no route of its own.
var newsOfChanges = endpoint.New(endpoint.Decl{
	Name: "feeds.changes", Path: "/feeds/{market}", FailureName: "FEEDS", MaxAge: 300, DependsOn: []string{catalog.Archives},
	Summary: "The newest changes of a market by site and edition.",
}, (*Env).news)

// NewsOfChanges returns the operation that feeds of pages ask.
func NewsOfChanges() *endpoint.Op[*Env] { return newsOfChanges }

// newsEntries is how many entries a page of a feed has at most.
const newsEntries = 200

type newsParams struct {
	marketParams
	changeFilters
	Since  periodStart `param:"since" code:"INVALID_DATE" doc:"Only of editions after the newest that is not after this date, YYYY-MM-DD, or so many days before the newest edition, such as 30d." example:"30d"`
	Offset int         `param:"offset" default:"0" min:"0" max:"100000" doc:"Entries to pass over."`
}

// Refine is like that of changesParams.
func (*newsParams) Refine(r *Env, f *Freshness) { refineKeyless(r, f) }

func (r *Env) news(ctx context.Context, p *newsParams) (*catalog.NewsFound, error) {
	s, err := p.selection(p.marketParams)
	if err != nil {
		return nil, err
	}
	return r.News(ctx, catalog.News{ChangeSelection: s, Since: p.Since.day(), Days: p.Since.days(),
		Offset: p.Offset, Limit: newsEntries})
}
