package api

import (
	"context"

	"relais/api/endpoint"
	"relais/api/view"
	"relais/market"
)

// newsOfChanges is what feeds of pages list. It has no route of its own.
var newsOfChanges = endpoint.New(endpoint.Decl{
	Name: "feeds.changes", Path: "/feeds/{market}", FailureName: "FEEDS", MaxAge: 300, DependsOn: []string{dataArchives},
	Summary: "The newest changes of a market by site and edition.",
}, (*Env).news)

// NewsOfChanges returns the operation that feeds of pages ask.
func NewsOfChanges() *endpoint.Op[*Env] { return newsOfChanges }

// Bounds of a feed.
const (
	newsEntries  = 200
	newsEditions = 60 // in which a feed looks for entries: more than a year of weeks
)

type newsParams struct {
	Market   market.Code  `param:"market" doc:"The market to read." example:"FR"`
	Operator operatorList `param:"operator" default:"ALL" doc:"Operators of the market (see /markets) by key, label or legal name, several with commas; or ALL." example:"ORANGE"`
	changeFilters
}

// refine is like that of changesParams.
func (*newsParams) refine(r *Env, f *Freshness) { f.refineKeyless(r) }

func (r *Env) news(ctx context.Context, p *newsParams) (*view.News, error) {
	m := market.Get(p.Market)
	f, err := p.resolve(m, p.Operator)
	if err != nil {
		return nil, err
	}
	found, err := r.newestEdits(ctx, m)
	if err != nil {
		return nil, err
	}
	loaded := r.RegisterOf(m)
	if err := p.resolveSystems(&f, m, found.systems(loaded)); err != nil {
		return nil, err
	}
	f.Without = r.ShownChanges(m).Without
	v := &view.News{Market: m.Code, Filter: view.NewNewsFilter(m, &f), Reason: found.reason, Synthetic: found.synthetic}
	v.Attribution, v.Updated = found.attribution(m, loaded)
	show := view.Changes(m, loaded)
	for _, e := range found.lists {
		for c := range e.list.Records(&f) {
			last := len(v.Entries) - 1
			if last < 0 || v.Entries[last].Site.ID != c.Site || v.Entries[last].Date != e.date {
				if len(v.Entries) == newsEntries {
					return v, nil
				}
				v.Entries, last = append(v.Entries, view.NewsEntry{Date: e.date}), last+1
			}
			one := show(e.date, e.before, &c)
			v.Entries[last].Site, v.Entries[last].Changes = one.Site, append(v.Entries[last].Changes, one)
		}
	}
	return v, nil
}

// newestEdits reads what the newest editions of a market changed.
func (r *Env) newestEdits(ctx context.Context, m *market.Market) (*edits, error) {
	if reason := unavailableReason(m); reason != nil || r.Archives == nil {
		return &edits{reason: reason}, nil
	}
	all, err := r.Archives.Editions(m.Code)
	if err != nil {
		return nil, err
	}
	if len(all) < 2 {
		return &edits{reason: nothingToCompare(m, all)}, nil
	}
	return r.editsOf(ctx, m, all[max(0, len(all)-1-newsEditions)].Date, all[len(all)-1].Date, false)
}
