package measure

import (
	"cmp"
	"math"
	"slices"

	"relais/geo"
	"relais/site"
)

// Speedtests returns the speedtests that a query selects, the newest first; with Best
// only the best one: that of the highest average speed, then of the highest download
// speed, then the newest. total is how many match.
func (s *Store) Speedtests(q Query) (tests []Test, total int, err error) {
	if err := q.check(); err != nil {
		return nil, 0, err
	}
	all := newSelection(&q, s.view().filters(Speedtest, &q))
	all.addMatches()
	return all.tests(), all.total, nil
}

// SiteQuery selects the speedtests of a site.
type SiteQuery struct {
	Query // of which Box and Disc are nil
	// Radio are the site's base stations and cells; of PCIs nothing follows. An Operator
	// below 0 is any network.
	Radio  []site.RadioID
	Center *geo.Point // where the site stands; nil: only Radio counts
	// Operators are those of the site, by key: around it, only their tests are its own.
	// nil: of any network.
	Operators []string
}

// SiteRadius is how far from a site a speedtest that names no node of it can be its own,
// in metres.
const SiteRadius = 1000

// SpeedtestsOfSite returns the speedtests whose radio names the site for certain; where
// there are none, those of an NCI that may be of a gNB of the site, whose length is not
// stated; and where there are none, those within SiteRadius of it. The best one is first
// with Best and the only one; else the newest is. total is how many there are.
func (s *Store) SpeedtestsOfSite(q SiteQuery) (tests []Test, total int, err error) {
	if err := q.check(); err != nil {
		return nil, 0, err
	}
	v := s.view()
	filters := v.filters(Speedtest, &q.Query)
	certain, possible := newSelection(&q.Query, filters), newSelection(&q.Query, filters)
	for at, f := range filters {
		for _, i := range f.candidates(q.Radio...) {
			if !f.matchesRow(i) {
				continue
			}
			switch fits, sure := f.namesAny(i, q.Radio); {
			case sure:
				certain.add(at, i)
			case fits:
				possible.add(at, i)
			}
		}
	}
	all := certain
	if all.total == 0 {
		all = possible
	}
	if all.total == 0 && q.Center != nil {
		q.Disc = &geo.Disc{Center: *q.Center, Radius: SiteRadius}
		q.only(q.Operators)
		all = newSelection(&q.Query, v.filters(Speedtest, &q.Query))
		all.addMatches()
	}
	return all.tests(), all.total, nil
}

// only narrows a query to operators by their keys, nil for any.
func (q *Query) only(keys []string) {
	if q.Among == nil {
		q.Among = keys
	} else if keys != nil {
		q.Among = slices.DeleteFunc(slices.Clone(q.Among), func(key string) bool { return !slices.Contains(keys, key) })
	}
}

// namesAny reports whether a row's radio names one of the identifiers, and whether it does
// so for certain.
func (s *segment) namesAny(i uint32, ids []site.RadioID) (fits, certain bool) {
	r := row{technology: s.technology[i], enb: s.enb[i], gnb: s.gnb[i], cell: s.cell[i]}
	operator := s.operator(i)
	for k := range ids {
		id := &ids[k]
		if id.Value == 0 || id.Operator >= 0 && id.Operator != operator {
			continue
		}
		may, sure := r.names(id)
		fits, certain = fits || may, certain || sure
	}
	return fits, certain
}

// names reports whether the row's radio names an identifier of its network.
func (r *row) names(id *site.RadioID) (fits, certain bool) {
	generation := technologies[r.technology].generation
	switch id.Kind {
	case site.ENB:
		fits = uint64(r.node()) == id.Value
	case site.GNB:
		if r.gnb == 0 && r.cell != 0 && generation == 5 {
			return id.OfNCI(r.cell)
		}
		fits = uint64(r.gnb) == id.Value
	case site.Cell: // those of older generations are not unique
		fits = r.cell == id.Value && generation != 2 && generation != 3
	}
	return fits, fits
}

// A selection counts speedtests and keeps those that a query asks for.
type selection struct {
	filters []*filter
	best    bool
	offset  int
	newest  newest
	top     pick // with best
	total   int
}

func newSelection(q *Query, filters []*filter) *selection {
	s := &selection{filters: filters, best: q.Best, offset: min(max(q.Offset, 0), math.MaxInt32)}
	s.newest.most = s.offset + q.Limit
	return s
}

// addMatches adds all that the filters match.
func (s *selection) addMatches() {
	for at, f := range s.filters {
		for rows := range f.matches() {
			for _, i := range rows {
				s.add(at, i)
			}
		}
	}
}

// add takes in a row of a filter; rows come in their order.
func (s *selection) add(at int, row uint32) {
	s.total++
	p := pick{s.filters[at].time[row], uint32(at), row}
	switch {
	case !s.best:
		s.newest.add(p)
	case s.total == 1 || s.better(p, s.top):
		s.top = p
	}
}

// better reports whether a speedtest is better than another; a speed that is not stated is
// below any other.
func (s *selection) better(a, b pick) bool {
	x, y := s.filters[a.segment], s.filters[b.segment]
	return cmp.Or(cmp.Compare(x.mean[a.row], y.mean[b.row]), cmp.Compare(x.down[a.row], y.down[b.row]),
		compareAge(b, a)) > 0
}

// tests returns the tests that were asked for.
func (s *selection) tests() []Test {
	picks := s.newest.cut()
	picks = picks[min(s.offset, len(picks)):]
	if s.best && s.total > 0 {
		picks = []pick{s.top}
	}
	list := make([]Test, len(picks))
	for i, p := range picks {
		list[i] = s.filters[p.segment].test(p.row)
	}
	return list
}
