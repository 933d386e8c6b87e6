package admin

import (
	"context"
	"fmt"
	"time"

	"relais/community"
	"relais/ingest/source"
	"relais/market"
	"relais/outage"
)

// An OutageFeed is an operator's published list, and the result of reading it.
type OutageFeed struct {
	outage.Feed
	State     outage.FeedState `json:"state"`
	Available bool             `json:"available"` // read within 48 hours
}

// OutageImport is the answer of ImportOutages.
type OutageImport struct {
	Feed  OutageFeed       `json:"feed"`
	Files []*source.Report `json:"files"`
}

// ImportOutages replaces an operator's unavailable sites by those in the files. The process
// with the stores open reads them, so the paths are absolute; it bounds what it reads.
type ImportOutages struct {
	Market   market.Code `json:"market"`
	Operator string      `json:"operator"`
	Files    []string    `json:"files"`
}

func (c ImportOutages) run(ctx context.Context, s *Stores) (any, error) {
	files, err := s.Outages.Import(ctx, c.Market, c.Operator, c.Files...)
	if err != nil {
		return nil, err
	}
	return OutageImport{feed(s, c.Market, c.Operator), files}, nil
}

// feed returns the feed of an operator that the market has.
func feed(s *Stores, code market.Code, operator string) (f OutageFeed) {
	m := market.Get(code)
	i, _ := m.Operator(operator)
	for _, f := range feeds(s, m) {
		if f.Operator == m.Operators[i].Key {
			return f
		}
	}
	return f
}

func feeds(s *Stores, m *market.Market) (list []OutageFeed) {
	for _, f := range s.Outages.Feeds(m.Code) {
		list = append(list, OutageFeed{f, f.State(), f.Available(time.Now())})
	}
	return list
}

// TakeOutages imports the files that an update fetched from the operators of a market. The answer is a list of
// outage.Outcome, of every feed of the market. Without news it only returns the feeds.
type TakeOutages struct {
	Market market.Code   `json:"market"`
	News   []outage.News `json:"news"`
}

func (c TakeOutages) run(ctx context.Context, s *Stores) (any, error) {
	return s.Outages.Take(ctx, c.Market, c.News...)
}

// ClearOutages removes the list that an operator published; the answer is the OutageFeed.
type ClearOutages struct {
	Market   market.Code `json:"market"`
	Operator string      `json:"operator"`
}

func (c ClearOutages) run(_ context.Context, s *Stores) (any, error) {
	if err := s.Outages.Clear(c.Market, c.Operator); err != nil {
		return nil, err
	}
	return feed(s, c.Market, c.Operator), nil
}

// An OutageReport is a report with the state of the operator's feed there.
type OutageReport struct {
	*community.Report
	OperatorConfirmed bool `json:"operatorConfirmed"`
}

func newOutageReport(r *community.Report, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return OutageReport{r, r.OperatorConfirmed}, nil
}

// OutageList is the answer of ListOutages.
type OutageList struct {
	Feeds   []OutageFeed   `json:"feeds"`
	Total   int            `json:"total"` // reports
	Reports []OutageReport `json:"reports"`
}

// ListOutages lists the feeds of operators and the reports of people, closed ones included, the
// newest first.
type ListOutages struct {
	community.ReportFilter
	Page
}

func (c ListOutages) run(_ context.Context, s *Stores) (any, error) {
	if err := c.resolve(); err != nil {
		return nil, err
	}
	l := OutageList{Feeds: []OutageFeed{}, Reports: []OutageReport{}}
	for _, m := range market.All {
		if c.Market != "" && c.Market != m.Code {
			continue
		}
		for _, f := range feeds(s, m) {
			if c.Operator == "" || c.Operator == f.Operator {
				l.Feeds = append(l.Feeds, f)
			}
		}
	}
	reports, total, err := s.Community.Reports(c.ReportFilter, c.Limit, c.Offset)
	for _, r := range reports {
		l.Reports = append(l.Reports, OutageReport{r, r.OperatorConfirmed})
	}
	l.Total = total
	return l, err
}

// resolve replaces the operator by its key. It must be an operator of the market, or of any market
// if none is given: an unknown operator is an error, not an empty list.
func (c *ListOutages) resolve() error {
	if c.Operator == "" {
		return nil
	}
	for _, m := range market.All {
		if i, ok := m.Operator(c.Operator); ok && (c.Market == "" || c.Market == m.Code) {
			c.Operator = m.Operators[i].Key
			return nil
		}
	}
	return fmt.Errorf("%w: %.50q", outage.ErrOperator, c.Operator)
}

// ReportOutage makes a report; the answer is the OutageReport.
type ReportOutage struct{ community.NewReport }

func (c ReportOutage) run(_ context.Context, s *Stores) (any, error) {
	r, _, err := s.Community.AddReport(c.NewReport)
	return newOutageReport(r, err)
}
