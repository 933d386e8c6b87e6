package api

import (
	"cmp"
	"context"
	"fmt"

	"relais/api/endpoint"
	"relais/api/view"
	"relais/catalog"
)

var outageHistory = endpoint.New(endpoint.Decl{
	Name: "outages.history", Path: "/outages/history", Scope: "network-status:read", FailureName: "OUTAGES", MaxAge: 300,
	Example:    endpoint.Request{Target: "/outages/history?department=35&operator=ORANGE&limit=2"},
	DependsOn:  []string{catalog.DataHistory},
	Summary:    "Which sites were unavailable on which days, by the daily lists of all operators, and how well they worked.",
	Doc:        "An outage is the days in a row whose lists name a site of an operator. What was seen last comes first. Nothing is known of a day without a list, which is a gap: gaps are named, no count has them, and an outage goes on behind a gap only if the next list says that it began before. meta.availability has, for each operator, the days that were read, and the share of them on which its sites were on no list.",
	ErrorCodes: []string{codeInvalidBBox, codeInvalidDate, codeInvalidOperator, codeNoSite},
	Shapes:     shapes[[]view.PastOutage, view.OutageHistoryMeta](),
	Files:      []string{csvType}, Columns: view.PastOutageTable(nil).Names(),
}, (*Env).outageHistory)

type outageHistoryParams struct {
	marketParams
	areaParams
	Site string `param:"site" max:"128" doc:"Only this site: siteKey, site id, national code or station number." example:"fr-90000010"`
	boxParams
	HistoryPeriod
	Format tableFormat `param:"format" default:"json" doc:"json; or csv: the items without meta, in columns with the names of their members."`
	csvParams
	Limit  int `param:"limit" default:"200" min:"1" max:"1000" doc:"Most outages to answer."`
	Offset int `param:"offset" default:"0" min:"0" doc:"Outages to pass over."`
}

// A HistoryPeriod is the parameters of a period of days.
type HistoryPeriod struct {
	From archiveDate `param:"from" code:"INVALID_DATE" doc:"First day of the period, YYYY-MM-DD; by default its last day and the 89 days before." example:"2026-11-01"`
	To   archiveDate `param:"to" code:"INVALID_DATE" doc:"Last day of the period, YYYY-MM-DD; by default the newest day that was read. A period has at most 800 days." example:"2026-11-27"`
}

// Check fails for a period that ends before it begins, or that is too long.
func (p *HistoryPeriod) Check() error {
	from, to := p.From.day(), p.To.day()
	switch {
	case from == 0 || to == 0:
		return nil
	case from > to:
		return &endpoint.ParamError{Param: "from", Value: string(p.From), Code: codeInvalidDate,
			Want: "a date that is not after to, " + string(p.To)}
	case to-from >= catalog.MaxHistoryDays:
		return &endpoint.ParamError{Param: "from", Value: string(p.From), Code: codeInvalidDate,
			Want: fmt.Sprintf("a date at most %d days before to, %s", catalog.MaxHistoryDays-1, p.To)}
	}
	return nil
}

// Bound sets the period of a question.
func (p *HistoryPeriod) Bound(q *catalog.OutageHistory) { q.From, q.To = p.From.day(), p.To.day() }

// Check holds the rules over several parameters.
func (p *outageHistoryParams) Check() error {
	return cmp.Or(p.csvParams.check(string(p.Format)), p.boxParams.check(), p.HistoryPeriod.Check())
}

// Refine makes answers to callers without a key different from others: keys of sites may be left out.
func (*outageHistoryParams) Refine(r *Env, f *Freshness) { refineKeyless(r, f) }

func (p *outageHistoryParams) question() (q catalog.OutageHistory, err error) {
	q.Site, q.Box, q.Offset, q.Limit = p.Site, p.box(), p.Offset, p.Limit
	p.Bound(&q)
	if q.Market, q.Operators, err = p.Resolve(); err != nil {
		return q, err
	}
	q.Areas, err = p.Codes(q.Market)
	return q, err
}

func (r *Env) outageHistory(ctx context.Context, p *outageHistoryParams) (*endpoint.Answer, error) {
	q, err := p.question()
	if err != nil {
		return nil, err
	}
	found, err := r.FindOutageHistory(ctx, q)
	if err != nil {
		return nil, err
	}
	list := NewPastOutages(found)
	if p.Format == formatCSV {
		return p.file(view.PastOutageTable(list), p.Market, "outage-history", found.Next(p.Offset)), nil
	}
	return encodeBody(&view.Body[[]view.PastOutage, view.OutageHistoryMeta]{Data: list,
		Meta: NewOutageHistoryMeta(q, found, p.Operator.canonical(q.Market))})
}

// NewPastOutages returns past outages as answers show them.
func NewPastOutages(found *catalog.OutageHistoryFound) []view.PastOutage {
	list := make([]view.PastOutage, len(found.Items))
	for i := range found.Items {
		list[i] = view.NewPastOutage(&found.Items[i].Episode, found.Items[i].SiteKey)
	}
	return list
}

// NewOutageHistoryMeta returns the meta of past outages.
func NewOutageHistoryMeta(q catalog.OutageHistory, found *catalog.OutageHistoryFound, operator string) view.OutageHistoryMeta {
	next := found.Next(q.Offset)
	meta := view.OutageHistoryMeta{
		Market: q.Market.Code, Operator: operator, From: found.From.String(), To: found.To.String(), DaysRead: found.Read,
		Gaps: view.NewDaySpans(found.Gaps), FirstDay: view.DayOrNull(found.First), NewestDay: view.DayOrNull(found.Newest),
		Availability: make([]view.Availability, len(found.Availability)), Count: len(found.Items), Total: found.Total,
		Offset: q.Offset, HasMore: next != nil, NextOffset: next, DataVersion: &found.Version,
	}
	for i, a := range found.Availability {
		meta.Availability[i] = view.Availability{OperatorKey: a.Operator, DaysRead: a.Read, Gaps: view.NewDaySpans(a.Gaps),
			DaysWithOutage: a.Days, SiteDays: a.SiteDays, Sites: a.Sites, Availability: a.Share}
	}
	if found.Site != nil {
		meta.Site = new(found.Site.Key())
	}
	if len(q.Areas) > 0 {
		meta.Area = &q.Areas[0]
	}
	lists := q.Market.OutageLists
	if lists.Authority == "" {
		meta.SourceUnavailableReason = new(fmt.Sprintf("Nobody publishes daily lists of the unavailable sites of %s.", q.Market.Label))
		return meta
	}
	if found.Synthetic {
		lists = view.Demonstration(lists)
	}
	meta.SourceLabel, meta.SourceAuthority = &lists.Source, &lists.Authority
	return meta
}
