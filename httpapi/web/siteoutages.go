package web

import (
	"context"
	"slices"
	"strings"

	"relais/api"
	"relais/catalog"
	"relais/market"
	"relais/outage/history"
)

// pastOutages are the days on which a site was on the daily lists of unavailable sites.
type pastOutages struct {
	From, To string // of the period
	Rows     []pastRow
	Gaps     string // days without a list, in words; "" for none
	Source   string // "" for lists that were made up
}

// A pastRow is the days of an operator.
type pastRow struct {
	Label string
	Text  string    // the days in words
	Gaps  string    // the days that were not read, in words; "" if they are those of all operators
	Share string    // per cent of the days without an outage; "" if it is not known
	Runs  []dayRun  // from the first day to the last one
	List  []pastDay // outages, the newest first
}

// A dayRun is days in a row, as a rectangle.
type dayRun struct {
	X, Width int
	Class    string // ok, out or unread
}

// A pastDay is an outage, in words.
type pastDay struct{ Days, What string }

// mostPast is more than the outages that a site can have in the period.
const mostPast = 16 * catalog.HistoryDays

// pastOutagesOf returns what the days that were read say of a site, nil if no day was read.
func (p sites) pastOutagesOf(ctx context.Context, env *api.Env, w words, m *market.Market, key string) *pastOutages {
	if m.OutageLists.Authority == "" || env.History == nil || env.Usable(catalog.DataHistory) != nil {
		return nil
	}
	q := catalog.OutageHistory{Market: m, Site: key, Limit: mostPast}
	found, err := env.FindOutageHistory(ctx, q)
	if err != nil {
		p.Log.Warn("the page of a site has no past outages", "error", err)
		return nil
	}
	if found.Read == 0 {
		return nil
	}
	meta := api.NewOutageHistoryMeta(q, found, "")
	past := &pastOutages{From: meta.From, To: meta.To, Gaps: w.spans(found.Gaps)}
	if !found.Synthetic {
		past.Source = *meta.SourceAuthority + ", " + *meta.SourceLabel
	}
	for _, a := range found.Availability {
		past.Rows = append(past.Rows, newPastRow(w, m, found, a))
	}
	return past
}

func newPastRow(w words, m *market.Market, found *catalog.OutageHistoryFound, a catalog.Availability) pastRow {
	row := pastRow{Label: market.Label(m.Code, a.Operator), Text: w.Fill("pastNone", w.Count("pastLists", a.Read))}
	if a.Days > 0 {
		row.Text = w.Fill("pastSome", w.Number(a.Days), w.Count("pastLists", a.Read))
	}
	if a.Share != nil {
		row.Share = w.Decimal(*a.Share*100, 1)
	}
	class := make([]string, found.To-found.From+1)
	for i := range class {
		class[i] = "ok"
	}
	mark := func(s history.Span, as string) {
		for day := max(s.First, found.From); day <= min(s.Last, found.To); day++ {
			class[day-found.From] = as
		}
	}
	for _, e := range found.Items {
		if e.Operator == a.Operator {
			mark(history.Span{First: e.First, Last: e.Last}, "out")
			row.List = append(row.List, newPastDay(w, &e))
		}
	}
	for _, gap := range a.Gaps {
		mark(gap, "unread")
	}
	if !slices.Equal(a.Gaps, found.Gaps) {
		row.Gaps = w.spans(a.Gaps)
	}
	row.Runs = runsOf(class)
	return row
}

// runsOf returns days as rectangles, each day one wide.
func runsOf(class []string) (runs []dayRun) {
	for i, c := range class {
		if n := len(runs); n > 0 && runs[n-1].Class == c {
			runs[n-1].Width++
		} else {
			runs = append(runs, dayRun{i, 1, c})
		}
	}
	return runs
}

func (w words) spans(list []history.Span) string {
	texts := make([]string, len(list))
	for i, s := range list {
		texts[i] = w.span(s)
	}
	return strings.Join(texts, w["semicolon"]+" ")
}

// span writes days in a row.
func (w words) span(s history.Span) string {
	if s.First == s.Last {
		return w.Fill("pastDay", w.Date(s.First.String()))
	}
	return w.Fill("pastDays", w.Date(s.First.String()), w.Date(s.Last.String()))
}

func newPastDay(w words, e *catalog.PastOutage) pastDay {
	services, technologies := e.Affected()
	what := make([]string, 0, len(services)+len(technologies))
	for _, s := range services {
		what = append(what, w["service."+s])
	}
	for _, t := range technologies {
		what = append(what, strings.ToUpper(t))
	}
	return pastDay{w.span(history.Span{First: e.First, Last: e.Last}), cleanText(strings.Join(what, ", "))}
}
