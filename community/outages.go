package community

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"relais/geo"
	"relais/market"
	"relais/outage"
)

// openReports are the reports that are neither resolved nor rejected, sorted. They are never
// changed, only replaced.
type openReports struct {
	list      []*Report   // what began last first, then by id
	deadlines []time.Time // after which one is dormant, ascending
}

// openReports returns the open reports as they are now.
func (s *Store) openReports() *openReports {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if o := s.open.Load(); o != nil {
		return o
	}
	o := &openReports{list: slices.Collect(maps.Values(s.reports.All()))}
	slices.SortFunc(o.list, func(x, y *Report) int {
		return cmp.Or(y.StartedAt.Compare(x.StartedAt), cmp.Compare(x.ID, y.ID))
	})
	for _, r := range o.list {
		o.deadlines = append(o.deadlines, r.NewsAt.Add(patience))
	}
	slices.SortFunc(o.deadlines, time.Time.Compare)
	s.open.Store(o)
	return o
}

// passed counts the deadlines before now.
func (o *openReports) passed(now time.Time) int {
	n, _ := slices.BinarySearchFunc(o.deadlines, now, time.Time.Compare)
	return n
}

// Outages are the outages at one moment: those that operators publish and those that people report,
// which are never merged. All answers belong to one Version, even if data changes meanwhile.
type Outages struct {
	*outage.Store // the feeds
	reports       *openReports
	now           time.Time
}

// Outages returns the outages at this moment, for reading.
func (s *Store) Outages() *Outages {
	return &Outages{s.Feeds.Snapshot(), s.openReports(), s.now()}
}

// Version returns a version that changes whenever an answer may change: with every commit, and when
// a feed becomes too old or a report dormant. It survives a restart.
func (o *Outages) Version() string {
	return fmt.Sprint(o.Store.Version(), ".", o.reports.passed(o.now))
}

// Reports is Entries for reports in one of the states; without states, for those that are Reported
// or Confirmed.
func (o *Outages) Reports(q outage.Query, states ...ReportState) []*Report {
	if len(states) == 0 {
		states = []ReportState{Reported, Confirmed}
	}
	list := outage.Find(q, o.reports.list, func(r *Report) bool {
		return r.Market == q.Market && slices.Contains(states, r.stateAt(o.now))
	})
	for i, r := range list {
		list[i] = r.asOf(o.now, o.Store)
	}
	return list
}

// An Outage is either an entry or a report. The other is nil.
type Outage struct {
	Entry  *outage.Entry // an operator's, which must not be changed
	Report *Report       // of a person
}

// Where returns the market, the operator's key, the operator's code of the site ("" for a report), and the
// position.
func (o Outage) Where() (m market.Code, operator, code string, p geo.Point) {
	if o.Entry != nil {
		return o.Entry.Market, o.Entry.Operator, o.Entry.Code, o.Entry.Point()
	}
	return o.Report.Market, o.Report.Operator, "", o.Report.Point()
}

// Began returns when the outage began, the zero time if that is not stated.
func (o Outage) Began() time.Time {
	if o.Entry != nil {
		return o.Entry.Began()
	}
	return o.Report.StartedAt
}

// All returns entries and reports in the order of Entries; among equals, reports come first.
func (o *Outages) All(q outage.Query) []Outage {
	metres := func(p geo.Point) float64 {
		if q.Disc == nil {
			return 0
		}
		return geo.Distance(q.Disc.Center, p)
	}
	list, reports := []Outage{}, o.Reports(q) // in that order, as the entries are
	for _, e := range o.Entries(q) {
		for len(reports) > 0 && cmp.Or(cmp.Compare(metres(reports[0].Point()), metres(e.Point())),
			e.Began().Compare(reports[0].StartedAt)) <= 0 {
			list, reports = append(list, Outage{Report: reports[0]}), reports[1:]
		}
		list = append(list, Outage{Entry: e})
	}
	for _, r := range reports {
		list = append(list, Outage{Report: r})
	}
	return list
}
