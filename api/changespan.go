package api

import (
	"context"
	"fmt"
	"slices"

	"relais/api/view"
	"relais/archive"
	"relais/archive/change"
	"relais/index"
	"relais/market"
	"relais/site"
)

// edits are the changes of editions of a market.
type edits struct {
	from, to string // dates of the editions of the period, "" for none
	reason   *string
	lists    []edit // the newest first
	// synthetic means that the editions were made up for a demonstration.
	synthetic bool
}

// An edit is the changes of an edition.
type edit struct {
	date, before string // of the edition and that before it
	list         *change.List
}

// changesBetween returns the changes of the editions of a period.
func (r *Env) changesBetween(ctx context.Context, m *market.Market, p *changesParams) (*edits, error) {
	if reason := unavailableReason(m); reason != nil {
		return &edits{reason: reason}, nil
	}
	all, err := r.Archives.Editions(m.Code)
	if err != nil {
		return nil, err
	}
	from, to, err := p.editions(m, all)
	if err != nil {
		return nil, err
	}
	if from < 0 {
		return &edits{reason: nothingToCompare(m, all[:to+1])}, nil
	}
	return r.editsOf(ctx, m, all[from].Date, all[to].Date, p.Net)
}

// editions returns the positions of the editions that since and until mean. from is -1 when there is
// nothing to compare; to is then the last edition, or -1.
func (p *changesParams) editions(m *market.Market, all []archive.Edition) (from, to int, err error) {
	to = len(all) - 1
	if p.Until != "" && to >= 0 {
		if to = newest(all, p.Until); to < 0 {
			return 0, 0, firstDate("until", p.Until, m, all[0].Date.String())
		}
	}
	if p.Since == "" || to < 0 {
		return to - 1, to, nil
	}
	if from = newest(all, p.Since); from < 0 {
		return 0, 0, firstDate("since", p.Since, m, all[0].Date.String())
	}
	if len(all) < 2 {
		return -1, to, nil
	}
	return min(from, to), to, nil
}

// newest returns the position of the newest edition that is not after a date, or -1.
func newest(all []archive.Edition, date archiveDate) int {
	day, at := site.ParseDate([]byte(date)), -1
	for i := range all {
		if all[i].Date <= day {
			at = i
		}
	}
	return at
}

// nothingToCompare says why a period has no changes that are known.
func nothingToCompare(m *market.Market, all []archive.Edition) *string {
	text := fmt.Sprintf("This server keeps no edition of %s yet: changes are known from the second one on.", m.Code)
	if len(all) > 0 {
		text = fmt.Sprintf("The edition of %s is the first of %s that this server keeps: changes are known from the second one on.",
			all[0].Date, m.Code)
	}
	return &text
}

// editsOf reads the changes of the editions from one date to another, or with net the differences between
// these two.
func (r *Env) editsOf(ctx context.Context, m *market.Market, from, to site.Date, net bool) (*edits, error) {
	span, err := r.Archives.Between(ctx, m.Code, from, to)
	if err != nil {
		return nil, err
	}
	e := &edits{from: from.String(), to: to.String(), synthetic: span.To.Synthetic}
	if net {
		list, err := span.Net(ctx)
		e.lists = []edit{{e.to, e.from, list}}
		return e, err
	}
	for _, l := range span.Lists {
		e.lists = append(e.lists, edit{l.Date.String(), l.Previous.String(), l.List})
	}
	return e, nil
}

// toldEdits reads the changes by which an edition became known, as archive.Store.Told has them. A correction that is not
// kept has an empty list.
func (r *Env) toldEdits(ctx context.Context, m *market.Market, before, e archive.Edition, n int) (*edits, error) {
	for {
		told := &edits{from: before.Date.String(), to: e.Date.String(), synthetic: e.Synthetic}
		if n > 0 {
			told.from = told.to
		}
		list, err := r.Archives.Told(ctx, m.Code, e.Date, n)
		if list != nil {
			told.lists = []edit{{told.to, told.from, list}}
		}
		if list != nil || n > 0 || err != nil {
			return told, err
		}
		if told, err = r.editsOf(ctx, m, before.Date, e.Date, false); err != nil {
			return nil, err
		}
		all, err := r.Archives.Editions(m.Code)
		i := slices.IndexFunc(all, func(now archive.Edition) bool { return now.Date == e.Date })
		if err != nil || i < 1 || all[i].Version == e.Version {
			return told, err
		}
		before, e = all[i-1], all[i] // it was corrected meanwhile
	}
}

// dates returns the dates of the period, nil for none.
func (e *edits) dates() (from, to *string) {
	if e.to == "" {
		return nil, nil
	}
	return &e.from, &e.to
}

// attribution returns the source of the changes, and the date of the last edition.
func (e *edits) attribution(m *market.Market, loaded *index.Market) (a view.Attribution, date *string) {
	a, date = attribution(m, loaded)
	if e.synthetic && loaded == nil {
		a.SourceLabel = view.Demonstration(m.Register).Source
	}
	if _, to := e.dates(); to != nil {
		date = to
	}
	return a, date
}

// systems lists the systems that the market has or that the changes name.
func (e *edits) systems(loaded *index.Market) (list []string) {
	if loaded != nil {
		list = withSystems(list, loaded.Snap.Systems)
	}
	for _, one := range e.lists {
		list = withSystems(list, one.list.Technologies())
	}
	return list
}

// withSystems adds systems to a list that does not have them. "" stands for none.
func withSystems(list, systems []string) []string {
	for _, name := range systems {
		if name != "" && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}
