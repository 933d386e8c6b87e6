package measure

import (
	"cmp"
	"math"
	"slices"

	"relais/geo"
	"relais/site"
)

// Speedtests returns the speedtests that a query selects, the newest first. With Best it returns
// only the one with the highest average speed, then the highest download speed, then the newest.
// total is the number of selected speedtests.
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
	Query // Box and Disc must be nil
	// Radio are the base stations and cells of the site. PCIs are ignored. An Operator below 0
	// means any network.
	Radio  []site.RadioID
	Center *geo.Point // position of the site; nil: only Radio counts
	// Operators are the keys of the site's operators: only their tests around the site are
	// selected. nil means any network.
	Operators []string
}

// siteRadius is the distance, in metres, up to which a speedtest that does not name a base
// station of a site can belong to it.
const siteRadius = 1000

// SpeedtestsOfSite returns the speedtests that certainly name a base station or cell of the site.
// Without these, it returns those with an NCI that may belong to a gNB of the site whose length
// is unknown. Without these too, it returns those within siteRadius. Order and total are
// those of Speedtests.
func (s *Store) SpeedtestsOfSite(q SiteQuery) (tests []Test, total int, err error) {
	if err := q.check(); err != nil {
		return nil, 0, err
	}
	v := s.view() // one view for all steps: an import in between must not mix two
	filters := v.filters(Speedtest, &q.Query)
	// Whether a certain one exists is known at the end, so both are collected in one pass.
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
		q.Disc = &geo.Disc{Center: *q.Center, Radius: siteRadius}
		q.restrictTo(q.Operators)
		all = newSelection(&q.Query, v.filters(Speedtest, &q.Query))
		all.addMatches()
	}
	return all.tests(), all.total, nil
}

// restrictTo restricts a query to operators by their keys; nil: any.
func (q *Query) restrictTo(keys []string) {
	if q.Among == nil {
		q.Among = keys
	} else if keys != nil {
		q.Among = slices.DeleteFunc(slices.Clone(q.Among), func(key string) bool { return !slices.Contains(keys, key) })
	}
}

// namesAny reports whether a row may name one of the identifiers (fits), and whether it certainly
// does.
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

// names reports whether the row may name an identifier of its network (fits), and whether it
// certainly does.
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

// A selection counts speedtests and keeps those that a query returns.
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
	s.newest.limit = s.offset + q.Limit
	return s
}

// addMatches adds all matching rows of the filters.
func (s *selection) addMatches() {
	for at, f := range s.filters {
		for rows := range f.matches() {
			for _, i := range rows {
				s.add(at, i)
			}
		}
	}
}

// add adds a row of a filter. Rows must be added in ascending order.
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

// better reports whether a is better than b. A speed that is not stated is below any other.
func (s *selection) better(a, b pick) bool {
	x, y := s.filters[a.segment], s.filters[b.segment]
	return cmp.Or(cmp.Compare(x.mean[a.row], y.mean[b.row]), cmp.Compare(x.down[a.row], y.down[b.row]),
		compareAge(b, a)) > 0
}

// tests returns the speedtests that the query returns.
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
