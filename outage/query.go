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

func (o *Outage) began() time.Time {
	if o.Entry != nil {
		return began(o.Entry)
	}
	return o.Report.StartedAt
}

func (o *Outage) id() string {
	if o.Entry != nil {
		return o.Entry.ID()
	}
	return o.Report.ID
}

// wants tells whether a place is among those that are asked for, and how far it is from
// the centre of the disc, in metres.
func (q *Query) wants(operator, area string, p geo.Point) (metres float64, yes bool) {
	switch {
	case len(q.Operators) > 0 && !slices.Contains(q.Operators, operator), q.Area != "" && q.Area != area:
		return 0, false
	case q.Disc != nil:
		metres = geo.Distance(q.Disc.Center, p)
		return metres, metres <= q.Disc.Radius
	}
	return 0, q.Box == nil || q.Box.Contains(p)
}

// A found is an outage and how far it is, in metres.
type found struct {
	Outage
	metres float64
}

// Entries returns what operators say, what began last first and what is as old by id,
// and whether there is more than the limit.
func (s *Store) Entries(q Query) (list []*Entry, truncated bool) {
	all := q.entries(s.state.Load())
	all, truncated = q.page(all)
	list = make([]*Entry, len(all))
	for i, f := range all {
		list[i] = f.Entry
	}
	return list, truncated
}

// Reports is Entries for what people report.
func (s *Store) Reports(q Query) (list []*Report, truncated bool) {
	all := q.reports(s.state.Load(), s.now())
	all, truncated = q.page(all)
	list = make([]*Report, len(all))
	for i, f := range all {
		list[i] = f.Report
	}
	return list, truncated
}

// Outages is both, side by side: nothing is merged, and the limit is for both together.
func (s *Store) Outages(q Query) (list []Outage, truncated bool) {
	st := s.state.Load()
	all := append(q.entries(st), q.reports(st, s.now())...)
	slices.SortFunc(all, func(a, b found) int { return cmp.Or(newestFirst(a.began(), b.began()), cmp.Compare(a.id(), b.id())) })
	all, truncated = q.page(all)
	list = make([]Outage, len(all))
	for i, f := range all {
		list[i] = f.Outage
	}
	return list, truncated
}

// page puts what is nearest first, when there is a disc, and cuts at the limit.
func (q *Query) page(all []found) (page []found, truncated bool) {
	if q.Disc != nil {
		slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(a.metres, b.metres) })
	}
	if q.Limit > 0 && len(all) > q.Limit {
		return all[:q.Limit], true
	}
	return all, false
}

func (q *Query) entries(st *state) (all []found) {
	a := st.arranged[q.Market]
	if a == nil {
		return nil
	}
	for _, e := range a.entries {
		if metres, yes := q.wants(e.Operator, e.Area, e.Point()); yes {
			all = append(all, found{Outage{Entry: e}, metres})
		}
	}
	return all
}

func (q *Query) reports(st *state, now time.Time) (all []found) {
	a := st.arranged[q.Market]
	if a == nil {
		return nil
	}
	states := q.States
	if len(states) == 0 {
		states = []State{Reported, Confirmed}
	}
	for _, r := range a.reports {
		shown := r.at(now)
		if metres, yes := q.wants(r.Operator, r.Area, r.Point()); yes && slices.Contains(states, shown.State) {
			all = append(all, found{Outage{Report: shown}, metres})
		}
	}
	return all
}
