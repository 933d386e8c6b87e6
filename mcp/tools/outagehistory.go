package tools

import (
	"context"
	"fmt"

	"relais/api"
	"relais/api/endpoint"
	"relais/api/view"
	"relais/catalog"
	"relais/market"
	"relais/site"
)

var historyTools = []*Tool{outagesHistory}

var outagesHistory = endpoint.New(endpoint.Decl{
	Name: "outages_history", Title: "Past outages, and availability",
	Summary: "On which days a site, or the sites of a department or of a whole market, were on the regulator's daily lists of unavailable sites, what was seen last first, and for each operator the share of days without an outage. Days without a list are gaps, which note says: nothing is known of them.",
}, pastOutages)

type outagesHistoryParams struct {
	Site string `param:"site" max:"128" doc:"Only this site: siteKey, site id or station number." example:"fr-90000001"`
	marketParams
	api.AreaParams
	api.HistoryPeriod
	pageParams
}

// A PastOutageList is a page of past outages.
type PastOutageList struct {
	SiteKey      *string             `json:"siteKey,omitempty" doc:"Of the site that was asked for."`
	From         string              `json:"from" doc:"First day of the period, YYYY-MM-DD."`
	To           string              `json:"to" doc:"Last day of the period, YYYY-MM-DD."`
	DaysRead     int                 `json:"daysRead" doc:"Days of the period whose lists were read."`
	Note         string              `json:"note" doc:"What is known of the period."`
	Availability []ShortAvailability `json:"availability" doc:"Of each operator that was asked for and that lists name."`
	List[view.PastOutage]
	Sourced
}

// A ShortAvailability is a view.Availability without its gaps.
type ShortAvailability struct {
	Operator       string   `json:"operator"`
	DaysRead       int      `json:"daysRead" doc:"Days of the period whose lists name the operator."`
	DaysWithOutage int      `json:"daysWithOutage" doc:"Of daysRead, those with an outage of one of the sites at least."`
	SiteDays       int      `json:"siteDays" doc:"Unavailable sites, added up over daysRead."`
	Sites          *int     `json:"sites" doc:"Sites of the operator in the register of today, where it was asked for; null when it is not known."`
	Availability   *float64 `json:"availability" doc:"1 - siteDays / (sites x daysRead), from 0 to 1; null when it is not known."`
}

func pastOutages(r *Reading, ctx context.Context, p *outagesHistoryParams) (*PastOutageList, error) {
	q := catalog.OutageHistory{Site: p.Site, Offset: p.Offset, Limit: p.Limit}
	var err error
	if q.Market, q.Operators, err = p.resolve(); err != nil {
		return nil, err
	}
	if q.Areas, err = p.Codes(q.Market); err != nil {
		return nil, err
	}
	p.Bound(&q)
	found, err := r.FindOutageHistory(ctx, q)
	if err != nil {
		return nil, err
	}
	meta := api.NewOutageHistoryMeta(q, found, "")
	return &PastOutageList{SiteKey: meta.Site, From: meta.From, To: meta.To, DaysRead: meta.DaysRead, Note: historyNote(&meta),
		Availability: each(meta.Availability, func(a view.Availability) ShortAvailability {
			return ShortAvailability{a.OperatorKey, a.DaysRead, a.DaysWithOutage, a.SiteDays, a.Sites, a.Availability}
		}),
		List: listOf(api.NewPastOutages(found), p.Offset, found.Total), Sourced: listPublisher(q.Market, &meta)}, nil
}

// historyNote says what is known of a period.
func historyNote(meta *view.OutageHistoryMeta) string {
	switch {
	case meta.SourceUnavailableReason != nil:
		return *meta.SourceUnavailableReason
	case meta.DaysRead == 0:
		return "No list of the period was read: nothing is known of outages in it."
	case len(meta.Gaps) == 0:
		return "The list of each day of the period was read."
	}
	days := 0
	for _, gap := range meta.Gaps {
		days += daysIn(gap)
	}
	return fmt.Sprintf("The lists of %d days were not read, the first of them %s: nothing is known of outages on these.", days,
		meta.Gaps[0].From)
}

// daysIn returns how many days a span has.
func daysIn(s view.DaySpan) int {
	return int(site.ParseDate([]byte(s.To))-site.ParseDate([]byte(s.From))) + 1
}

// listPublisher returns who publishes the lists, if some were read.
func listPublisher(m *market.Market, meta *view.OutageHistoryMeta) Sourced {
	from := Sourced{[]Source{}}
	if meta.SourceLabel != nil && meta.NewestDay != nil {
		from.Sources = append(from.Sources, Source{Market: m.Code, Authority: *meta.SourceAuthority, Label: *meta.SourceLabel,
			Date: meta.NewestDay})
	}
	return from
}
