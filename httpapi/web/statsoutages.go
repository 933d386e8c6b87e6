package web

import (
	"context"
	"errors"
	"slices"

	"relais/api"
	"relais/catalog"
	"relais/index"
	"relais/market"
	"relais/outage/history"
)

// statsOutages is how well the sites of each operator worked, by the daily lists of unavailable sites.
type statsOutages struct {
	From, To string // of the period
	Lists    string // how many were read, in words
	Unread   string // the other days of the period, in words; "" for none
	Rows     []availabilityRow
	Source   string // "" for lists that were made up
}

// An availabilityRow is the numbers of an operator.
type availabilityRow struct {
	Label, Share string // Share is per cent; "" if it is not known
	catalog.Availability
	Unread string // the days that were not read, in words; "" if they are those of all operators
}

// addOutages adds what the daily lists say of a market, if there are some, and if they can be read: the rest of the page
// does not need them. Errors: those of the context.
func (p *Pages) addOutages(ctx context.Context, env *api.Env, w words, m *index.Market, page *statsPage) error {
	if m.Table.OutageLists.Authority == "" || env.History == nil || env.Usable(catalog.DataHistory) != nil {
		return nil
	}
	q := catalog.OutageHistory{Market: m.Table}
	found, err := p.past.Make(ctx, string(m.Table.Code)+" "+m.Snap.Version+" "+env.History.Version(),
		func(ctx context.Context) (*catalog.OutageHistoryFound, error) { return env.FindOutageHistory(ctx, q) })
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case err != nil:
		p.Log.Error("a page is shown without unavailable sites", "path", statsPath, "market", m.Table.Code, "error", err)
		return nil
	case found.Read == 0:
		return nil
	}
	page.Outages = &statsOutages{From: found.From.String(), To: found.To.String(), Lists: w.Count("pastLists", found.Read),
		Unread: w.unread(found.Gaps)}
	if meta := api.NewOutageHistoryMeta(q, found, ""); !found.Synthetic {
		page.Outages.Source = *meta.SourceAuthority + ", " + *meta.SourceLabel
	}
	for _, a := range found.Availability {
		row := availabilityRow{Label: market.Label(m.Table.Code, a.Operator), Availability: a}
		if a.Share != nil {
			row.Share = w.Decimal(*a.Share*100, 2)
		}
		if !slices.Equal(a.Gaps, found.Gaps) {
			row.Unread = w.unread(a.Gaps)
		}
		page.Outages.Rows = append(page.Outages.Rows, row)
	}
	return nil
}

// unread says how many days were not read, and which; "" for none.
func (w words) unread(gaps []history.Span) string {
	days := 0
	for _, gap := range gaps {
		days += int(gap.Last-gap.First) + 1
	}
	if days == 0 {
		return ""
	}
	return w.Count("daysUnread", days) + w["colon"] + " " + w.spans(gaps) + "."
}
