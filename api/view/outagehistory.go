package view

import (
	"relais/export"
	"relais/market"
	"relais/outage"
	"relais/outage/history"
	"relais/site"
)

// A PastOutage is an outage by the daily lists of all operators.
type PastOutage struct {
	MarketCode           market.Code     `json:"marketCode"`
	OperatorKey          string          `json:"operatorKey"`
	SiteKey              *string         `json:"siteKey" doc:"Of the register's site: the one with the station number, else the operator's only one within 50 m. Null if that is not exactly one."`
	SiteName             string          `json:"siteName" doc:"What the lists call the site: its station number with all zeros, or its position if they state none."`
	Latitude             *float64        `json:"latitude" doc:"WGS84 degrees; null when the lists state none."`
	Longitude            *float64        `json:"longitude" doc:"WGS84 degrees; null when the lists state none."`
	Commune              *string         `json:"commune"`
	Area                 *string         `json:"area" doc:"Code of the department or province."`
	FirstDay             string          `json:"firstDay" doc:"First day of the period whose list names the site, YYYY-MM-DD."`
	LastDay              string          `json:"lastDay" doc:"Last day of these, YYYY-MM-DD."`
	Days                 int             `json:"days" doc:"Days whose lists name it."`
	Gaps                 []DaySpan       `json:"gaps" doc:"Days in between without a list of the operator."`
	Before               bool            `json:"before" doc:"Whether the last list before the period has the outage too."`
	After                bool            `json:"after" doc:"Whether the first list behind the period has the outage too."`
	Severity             outage.Severity `json:"severity" doc:"down when a service was out and none was OK on all days, else degraded."`
	AffectedServices     []string        `json:"affectedServices" doc:"Those of data, voice, sms that were out on at least one of the days."`
	AffectedTechnologies []string        `json:"affectedTechnologies" doc:"Those of 2g, 3g, 4g, 5g that were out on at least one of the days."`
	Reasons              []string        `json:"reasons" doc:"As they are published, the first one first: INT is an incident, MAINT maintenance."`
	Detail               *string         `json:"detail" doc:"As the last list has it."`
	StartedAt            string          `json:"startedAt" doc:"The earliest beginning that the lists state, ISO 8601, UTC; empty when they state none."`
	ExpectedEndAt        *string         `json:"expectedEndAt" doc:"As the last list has it, ISO 8601, UTC."`
}

// A DaySpan is days in a row.
type DaySpan struct {
	From string `json:"from" doc:"First day, YYYY-MM-DD."`
	To   string `json:"to" doc:"Last day, YYYY-MM-DD."`
}

// NewDaySpans returns spans as answers show them.
func NewDaySpans(spans []history.Span) []DaySpan {
	list := make([]DaySpan, len(spans))
	for i, s := range spans {
		list[i] = DaySpan{s.First.String(), s.Last.String()}
	}
	return list
}

// NewPastOutage returns a past outage at a site, whose key is nil if it is not known.
func NewPastOutage(e *history.Episode, siteKey *string) PastOutage {
	o := PastOutage{
		MarketCode: e.Market, OperatorKey: e.Operator, SiteKey: siteKey, SiteName: e.Code, Commune: OrNull(&e.Commune),
		Area: OrNull(&e.Area), FirstDay: e.First.String(), LastDay: e.Last.String(), Days: e.Days,
		Gaps: NewDaySpans(e.Gaps), Before: e.Before, After: e.After, Severity: e.Severity(),
		Reasons: append([]string{}, e.Reasons...), Detail: OrNull(&e.Detail), StartedAt: momentOrEmpty(e.Start),
		ExpectedEndAt: momentOrNull(e.End),
	}
	o.AffectedServices, o.AffectedTechnologies = e.Affected()
	if !e.Unplaced {
		o.Latitude, o.Longitude = &e.Lat, &e.Lng
	}
	return o
}

// An Availability says how well the sites of an operator worked in the period.
type Availability struct {
	OperatorKey    string    `json:"operatorKey"`
	DaysRead       int       `json:"daysRead" doc:"Days of the period whose lists name the operator. Other days are not known, and count nowhere."`
	Gaps           []DaySpan `json:"gaps" doc:"The other days of the period."`
	DaysWithOutage int       `json:"daysWithOutage" doc:"Of daysRead, those with an outage of one of the sites at least."`
	SiteDays       int       `json:"siteDays" doc:"Unavailable sites, added up over daysRead."`
	Sites          *int      `json:"sites" doc:"Sites of the operator that are not projects, in the register of today, where it was asked for; 1 with site. Null when it is not known, as for a box."`
	Availability   *float64  `json:"availability" doc:"1 - siteDays / (sites x daysRead): the share of the days on which the sites were on no list, from 0 to 1. Null when sites is, and when no day was read."`
}

// OutageHistoryMeta is the meta of /outages/history.
type OutageHistoryMeta struct {
	Market                  market.Code    `json:"market"`
	Operator                string         `json:"operator"`
	Site                    *string        `json:"site" doc:"siteKey of the one that was asked for."`
	Area                    *string        `json:"area" doc:"Code of the one that was asked for."`
	From                    string         `json:"from" doc:"First day of the period, YYYY-MM-DD."`
	To                      string         `json:"to" doc:"Last day of the period, YYYY-MM-DD."`
	DaysRead                int            `json:"daysRead" doc:"Days of the period whose lists were read."`
	Gaps                    []DaySpan      `json:"gaps" doc:"The other days of the period: nothing is known of them."`
	FirstDay                *string        `json:"firstDay" doc:"First day of all that were read; null for none."`
	NewestDay               *string        `json:"newestDay" doc:"Newest day of all that were read; null for none."`
	Availability            []Availability `json:"availability" doc:"Of each operator that was asked for and that lists name."`
	Count                   int            `json:"count" doc:"Outages in this answer."`
	Total                   int            `json:"total" doc:"Outages that match."`
	Offset                  int            `json:"offset"`
	HasMore                 bool           `json:"hasMore"`
	NextOffset              *int           `json:"nextOffset" doc:"offset of the next page; null on the last."`
	SourceLabel             *string        `json:"sourceLabel" doc:"What the lists are called; null when nobody publishes some."`
	SourceAuthority         *string        `json:"sourceAuthority" doc:"Who publishes the lists."`
	SourceUnavailableReason *string        `json:"sourceUnavailableReason" doc:"Why the answer is always empty; null if somebody publishes such lists."`
	DataVersion             *string        `json:"dataVersion" doc:"Names the data: pages with the same one belong together."`
}

// DayOrNull formats a day, nil for none.
func DayOrNull(d site.Date) *string {
	text := d.String()
	return OrNull(&text)
}

// PastOutageTable returns past outages as rows.
func PastOutageTable(list []PastOutage) *export.Table {
	return export.NewTable(pastOutageColumns, func(yield func(*PastOutage) bool) {
		for i := range list {
			if !yield(&list[i]) {
				return
			}
		}
	})
}

var pastOutageColumns = []export.Column[PastOutage]{
	{Name: "marketCode", Type: export.Text, Get: func(o *PastOutage, v *export.Value) { v.Text = string(o.MarketCode) }},
	{Name: "operatorKey", Type: export.Text, Get: func(o *PastOutage, v *export.Value) { v.Text = o.OperatorKey }},
	{Name: "siteKey", Type: export.Text, Get: func(o *PastOutage, v *export.Value) { setText(v, o.SiteKey) }},
	{Name: "siteName", Type: export.Text, Get: func(o *PastOutage, v *export.Value) { v.Text = o.SiteName }},
	{Name: "latitude", Type: export.Number, Get: func(o *PastOutage, v *export.Value) { setNumber(v, o.Latitude) }},
	{Name: "longitude", Type: export.Number, Get: func(o *PastOutage, v *export.Value) { setNumber(v, o.Longitude) }},
	{Name: "commune", Type: export.Text, Get: func(o *PastOutage, v *export.Value) { setText(v, o.Commune) }},
	{Name: "area", Type: export.Text, Get: func(o *PastOutage, v *export.Value) { setText(v, o.Area) }},
	{Name: "firstDay", Type: export.Text, Get: func(o *PastOutage, v *export.Value) { v.Text = o.FirstDay }},
	{Name: "lastDay", Type: export.Text, Get: func(o *PastOutage, v *export.Value) { v.Text = o.LastDay }},
	{Name: "days", Type: export.Whole, Get: func(o *PastOutage, v *export.Value) { v.Whole = int64(o.Days) }},
	{Name: "gaps", Type: export.Texts, Get: func(o *PastOutage, v *export.Value) {
		for _, gap := range o.Gaps {
			v.Texts = append(v.Texts, gap.From+"/"+gap.To)
		}
	}},
	{Name: "before", Type: export.Boolean, Get: func(o *PastOutage, v *export.Value) { v.Boolean = o.Before }},
	{Name: "after", Type: export.Boolean, Get: func(o *PastOutage, v *export.Value) { v.Boolean = o.After }},
	{Name: "severity", Type: export.Text, Get: func(o *PastOutage, v *export.Value) { v.Text = string(o.Severity) }},
	{Name: "affectedServices", Type: export.Texts, Get: func(o *PastOutage, v *export.Value) {
		v.Texts = append(v.Texts, o.AffectedServices...)
	}},
	{Name: "affectedTechnologies", Type: export.Texts, Get: func(o *PastOutage, v *export.Value) {
		v.Texts = append(v.Texts, o.AffectedTechnologies...)
	}},
	{Name: "reasons", Type: export.Texts, Get: func(o *PastOutage, v *export.Value) { v.Texts = append(v.Texts, o.Reasons...) }},
	{Name: "detail", Type: export.Text, Get: func(o *PastOutage, v *export.Value) { setText(v, o.Detail) }},
	{Name: "startedAt", Type: export.Text, Get: func(o *PastOutage, v *export.Value) { v.SetText(o.StartedAt) }},
	{Name: "expectedEndAt", Type: export.Text, Get: func(o *PastOutage, v *export.Value) { setText(v, o.ExpectedEndAt) }},
}
