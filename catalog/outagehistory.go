package catalog

import (
	"context"
	"math"
	"slices"

	"relais/community"
	"relais/geo"
	"relais/index"
	"relais/market"
	"relais/outage/history"
	"relais/site"
)

// The period of an OutageHistory.
const (
	HistoryDays    = 90  // that it has unless one is given
	MaxHistoryDays = 800 // that it has at most
)

// OutageHistory asks which sites of a market were unavailable in a period, by the lists of the days that were read.
type OutageHistory struct {
	Market    *market.Market
	Operators index.Choice // nil for any
	Areas     []string     // codes, nil for any
	Box       *geo.Box     // nil for anywhere
	Site      string       // as Site names it; "" for any
	// From and To are the days of the period, both included. 0 for To is the newest day that was read, and 0 for From
	// the first of HistoryDays. A period has MaxHistoryDays at most: its end is cut.
	From, To site.Date
	// Offset is how many outages are passed over, and Limit how many there are at most.
	Offset, Limit int
}

// A PastOutage is an outage of a period. SiteKey is that of the only site it can be at, nil if that is not exactly one.
type PastOutage struct {
	history.Episode
	SiteKey *string
}

// Availability says how well sites of an operator worked in a period, by the lists that were read.
type Availability struct {
	history.Tally
	// Sites is how many sites of the operator the register has today where it was asked for, without those that are
	// projects; nil if that is not known.
	Sites *int
	// Share is the part of the days, over all sites, on which they were not on a list: 1 for always. nil if the number
	// of sites is not known, or no day was read.
	Share *float64
}

// OutageHistoryFound is a page of past outages.
type OutageHistoryFound struct {
	Page[PastOutage]
	history.Overview
	From, To     site.Date
	Site         *SiteFound // nil if none was asked for
	Availability []Availability
}

// FindOutageHistory returns a page of past outages, what was seen last first. Errors: those of history.Store.Find, and
// with a site those of Site.
func (c *Catalog) FindOutageHistory(ctx context.Context, q OutageHistory) (*OutageHistoryFound, error) {
	found := &OutageHistoryFound{Page: Page[PastOutage]{Version: c.History.Version(), Items: []PastOutage{}}}
	ask := history.Query{Market: q.Market.Code, Operators: q.Market.KeysOf(q.Operators), Areas: q.Areas, Box: q.Box,
		Offset: q.Offset, Limit: q.Limit}
	if q.Site != "" {
		at, err := c.Site(Site{Name: q.Site, Market: q.Market})
		if err != nil {
			return nil, err
		}
		found.Site, ask.IsWanted = &at, at.isMeant()
		ask.Operators = q.Market.KeysOf(slices.DeleteFunc(at.Operators(), func(i int) bool {
			return q.Operators != nil && !slices.Contains(q.Operators, i)
		}))
	}
	all, err := c.History.Overview(ctx, q.Market.Code)
	if err != nil {
		return nil, err
	}
	found.From, found.To = q.period(all.Newest, site.DateOf(c.Now.UTC().Year(), int(c.Now.UTC().Month()), c.Now.UTC().Day()))
	ask.From, ask.To = found.From, found.To
	days, err := c.History.Find(ctx, ask)
	if err != nil {
		return nil, err
	}
	found.Overview, found.Total = days.Overview, days.Total
	for _, e := range days.Episodes {
		found.Items = append(found.Items, PastOutage{e, c.SiteOf(community.Outage{Entry: e.Entry})})
	}
	for _, t := range days.Tallies {
		found.Availability = append(found.Availability, c.availability(q, found.Site, t))
	}
	return found, nil
}

// period returns the days of the period.
func (q *OutageHistory) period(newest, today site.Date) (from, to site.Date) {
	if from, to = q.From, q.To; to == 0 {
		if to = newest; to == 0 {
			to = today
		}
		to = max(to, from)
	}
	if from == 0 {
		from = to - HistoryDays + 1
	}
	return from, min(to, from+MaxHistoryDays-1)
}

// isMeant returns a function that reports whether an operator means this site by a code or a position.
func (f *SiteFound) isMeant() func(operator, code string, at *geo.Point) bool {
	type named struct{ operator, code string }
	lat, lng := f.Register.Snap.Positions()
	here, known := geo.Point{Lat: geo.Degrees(lat[f.At]), Lng: geo.Degrees(lng[f.At])}, map[named]bool{}
	return func(operator, code string, at *geo.Point) bool {
		if at != nil && geo.Distance(here, *at) > farFromSite {
			return false // a wrong number
		}
		key := named{operator, code}
		is, ok := known[key]
		if !ok {
			i, has := f.Register.Table.Operator(operator)
			if has {
				var site uint32
				site, is = f.Register.OperatorSite(i, code, at)
				is = is && site == f.At
			}
			known[key] = is
		}
		return is
	}
}

// farFromSite is the distance in metres from which on a position is not that of a site, whatever number it has.
const farFromSite = 20_000

// availability adds to a tally how many sites it is about.
func (c *Catalog) availability(q OutageHistory, at *SiteFound, t history.Tally) Availability {
	a := Availability{Tally: t}
	loaded, err := c.Register(q.Market)
	i, ok := q.Market.Operator(t.Operator)
	switch {
	case err != nil || loaded == nil || !ok || q.Box != nil && at == nil:
		return a
	case at != nil:
		a.Sites = new(1)
	default:
		n := 0
		for area, counts := range loaded.Departments(i) {
			if q.Areas == nil || slices.Contains(q.Areas, q.Market.Areas[area].Code) {
				n += counts.Total - counts.Projects
			}
		}
		a.Sites = &n
	}
	if all := *a.Sites * t.Read; all > 0 && t.SiteDays <= all {
		a.Share = new(math.Round((1-float64(t.SiteDays)/float64(all))*1e6) / 1e6)
	}
	return a
}
