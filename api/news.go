package api

import (
	"context"
	"fmt"

	"relais/api/endpoint"
	"relais/api/view"
	"relais/archive"
	"relais/archive/change"
	"relais/catalog"
	"relais/market"
)

// newsOfChanges lists the entries of feeds. It has no route of its own.
var newsOfChanges = endpoint.New(endpoint.Decl{
	Name: "feeds.changes", Path: "/feeds/{market}", FailureName: "FEEDS", MaxAge: 300, DependsOn: []string{catalog.Archives},
	Summary: "The newest changes of a market by site and edition.",
}, (*Env).news)

// NewsOfChanges returns the operation that feeds of pages ask.
func NewsOfChanges() *endpoint.Op[*Env] { return newsOfChanges }

// Bounds of a feed.
const (
	newsEntries  = 200 // of a page
	newsEditions = 60  // that a feed has: more than a year of weeks
)

type newsParams struct {
	Market   market.Code   `param:"market" doc:"The market to read." example:"FR"`
	Operator operatorNames `param:"operator" default:"ALL" doc:"Operators of the market (see /markets) by key, label or legal name, several with commas; or ALL." example:"ORANGE"`
	changeFilters
	Offset int `param:"offset" default:"0" min:"0" max:"100000" doc:"Entries to pass over."`
}

// Refine is like that of changesParams.
func (*newsParams) Refine(r *Env, f *Freshness) { refineKeyless(r, f) }

func (r *Env) news(ctx context.Context, p *newsParams) (*view.News, error) {
	m := market.Get(p.Market)
	f, err := p.resolve(m, p.Operator)
	if err != nil {
		return nil, err
	}
	f.Without = r.Withheld(m)
	all, reason, err := r.editionsOf(m)
	if err != nil {
		return nil, err
	}
	loaded, found := r.RegisterIfAny(m), edits{reason: reason}
	if last := len(all) - 1; last >= 0 {
		found.to, found.synthetic = all[last].Date.String(), all[last].Synthetic
	}
	v := &view.News{Market: m.Code, Reason: found.reason, Editions: len(all), Offset: p.Offset,
		Synthetic: found.synthetic || loaded != nil && loaded.Snap.Synthetic}
	v.Attribution, v.Updated = found.attribution(m, loaded)
	known := found.systems(loaded)
	n := newsReader{News: v, show: view.Changes(m, loaded), skip: p.Offset}
	oldest := max(1, len(all)-newsEditions)
	if oldest > 1 {
		date := all[oldest].Date.String()
		v.Oldest = &date
	}
	for i := len(all) - 1; i >= oldest && !v.Truncated; i-- {
		for n.correction = all[i].Corrected; n.correction >= 0; n.correction-- {
			one, err := r.toldEdits(ctx, m, all[i-1], all[i], n.correction)
			if err != nil {
				return nil, err
			}
			known = withSystems(known, one.systems(nil))
			if err := p.resolveSystems(&f, m, known, false); err != nil {
				return nil, err
			}
			n.read(one, &f)
		}
	}
	if err := p.resolveSystems(&f, m, known, false); err != nil {
		return nil, err
	}
	v.Filter = view.NewNewsFilter(m, &f)
	return v, nil
}

// editionsOf returns the editions of a market, oldest first, and if they have no changes, why.
func (r *Env) editionsOf(m *market.Market) (all []archive.Edition, reason *string, err error) {
	if reason := unavailableReason(m); reason != nil {
		return nil, reason, nil
	}
	if r.Archives != nil {
		if all, err = r.Archives.Editions(m.Code); err != nil {
			return nil, nil, err
		}
	}
	if len(all) < 2 {
		reason = nothingToCompare(m, all)
	}
	return all, reason, nil
}

// A newsReader adds entries to news.
type newsReader struct {
	*view.News
	show       func(date, before string, c *change.Record) view.Change
	skip       int    // entries that are still to be passed over
	correction int    // number of the correction that is read, 0 for the edition as it came
	last       string // the entry that was seen last
}

// read adds edits, until the news is full.
func (n *newsReader) read(e *edits, f *change.Filter) {
	for _, e := range e.lists {
		for c := range e.list.Records(f) {
			if id := fmt.Sprint(e.date, n.correction, c.Site); id != n.last {
				if len(n.Entries) == newsEntries {
					n.Truncated = true
					return
				}
				if n.last = id; n.skip > 0 {
					n.skip--
				} else {
					n.Entries = append(n.Entries, view.NewsEntry{Date: e.date, Correction: n.correction})
				}
			}
			last := len(n.Entries) - 1
			if last < 0 {
				continue // of an entry that is passed over
			}
			one := n.show(e.date, e.before, &c)
			n.Entries[last].Site, n.Entries[last].Changes = one.Site, append(n.Entries[last].Changes, one)
		}
	}
}
