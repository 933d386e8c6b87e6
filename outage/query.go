package outage

import (
	"cmp"
	"slices"
	"time"

	"relais/geo"
	"relais/market"
)

// A Query says which outages of a market are asked for.
type Query struct {
	Market    market.Code
	Operators []string // keys; none: every one
	Area      string   // code of the market's table; "": anywhere
	// Disc restricts to a disc; then what is nearest comes first and Box, which
	// restricts to a box, does not count. nil: it does not.
	Disc  *geo.Disc
	Box   *geo.Box
	Limit int // 0: all
	// States, for reports; none: Reported and Confirmed.
	States []State
}

// An Outage is one of the two.
type Outage struct {
	Entry  *Entry  // an operator's, which must not be changed
	Report *Report // the community's
}

// ID is that of the one it is.
func (o *Outage) ID() string {
	if o.Entry != nil {
		return o.Entry.ID()
	}
	return o.Report.ID
}

// Entries returns what operators say, what began last first and what is as old by id,
// and whether there is more than the limit.
func (s *Store) Entries(q Query) (list []*Entry, truncated bool) {
	all, truncated := q.find(s.state.Load().of(q.Market).entries, nil, s.now())
	list = make([]*Entry, len(all))
	for i, f := range all {
		list[i] = f.Entry
	}
	return list, truncated
}

// Reports is Entries for what people report.
func (s *Store) Reports(q Query) (list []*Report, truncated bool) {
	all, truncated := q.find(nil, s.state.Load().of(q.Market).reports, s.now())
	list = make([]*Report, len(all))
	for i, f := range all {
		list[i] = f.Report
	}
	return list, truncated
}

// Outages is both, side by side: nothing is merged, and the limit is for both together.
func (s *Store) Outages(q Query) (list []Outage, truncated bool) {
	a := s.state.Load().of(q.Market)
	all, truncated := q.find(a.entries, a.reports, s.now())
	list = make([]Outage, len(all))
	for i, f := range all {
		list[i] = f.Outage
	}
	return list, truncated
}

// A found is an outage and how far it is from the centre of the disc, in metres.
type found struct {
	Outage
	metres float64
}

// find takes what is wanted of both lists, which are in the order of answers, in that
// order; with a disc the nearest first.
func (q *Query) find(entries []*Entry, reports []*Report, now time.Time) (list []found, truncated bool) {
	box := q.Box
	if q.Disc != nil {
		around := q.Disc.Box()
		box = &around
	}
	for len(entries)+len(reports) > 0 {
		if q.Disc == nil && q.Limit > 0 && len(list) > q.Limit {
			break
		}
		var f found
		var yes bool
		if len(reports) == 0 || len(entries) > 0 && began(entries[0]).After(reports[0].StartedAt) {
			f.Entry, entries = entries[0], entries[1:]
			f.metres, yes = q.wants(f.Entry.Operator, f.Entry.Area, f.Entry.Point(), box)
		} else {
			f.Report, reports = reports[0].at(now), reports[1:]
			f.metres, yes = q.wants(f.Report.Operator, f.Report.Area, f.Report.Point(), box)
			yes = yes && slices.Contains(q.states(), f.Report.State)
		}
		if yes {
			list = append(list, f)
		}
	}
	if q.Disc != nil {
		slices.SortStableFunc(list, func(a, b found) int { return cmp.Compare(a.metres, b.metres) })
	}
	if q.Limit > 0 && len(list) > q.Limit {
		return list[:q.Limit], true
	}
	return list, false
}

// wants tells whether a place is among those that are asked for, and how far it is from
// the centre of the disc, in metres. The box is around that when there is one.
func (q *Query) wants(operator, area string, p geo.Point, box *geo.Box) (metres float64, yes bool) {
	switch {
	case len(q.Operators) > 0 && !slices.Contains(q.Operators, operator),
		q.Area != "" && q.Area != area,
		box != nil && !box.Contains(p):
		return 0, false
	case q.Disc == nil:
		return 0, true
	}
	metres = geo.Distance(q.Disc.Center, p)
	return metres, metres <= q.Disc.Radius
}

func (q *Query) states() []State {
	if len(q.States) > 0 {
		return q.States
	}
	return []State{Reported, Confirmed}
}
