package measure

import (
	"runtime"
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
	v := s.view()
	defer runtime.KeepAlive(v)
	filters := v.filters(Speedtest, &q)
	c := newCollector(&q, q.Offset)
	c.collect(filters)
	return c.tests(filters), c.total, nil
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
	defer runtime.KeepAlive(v)
	filters := v.filters(Speedtest, &q.Query)
	c, possible := newCollector(&q.Query, q.Offset), newCollector(&q.Query, q.Offset)
	for at, f := range filters {
		c.at, possible.at = uint32(at), uint32(at)
		f.naming(q.Radio, c, possible)
	}
	if c.total == 0 {
		c = possible
	}
	if c.total == 0 && q.Center != nil {
		q.Disc = &geo.Disc{Center: *q.Center, Radius: SiteRadius}
		filters = v.filters(Speedtest, &q.Query)
		for _, f := range filters {
			f.only(q.Operators)
		}
		c.collect(filters)
	}
	return c.tests(filters), c.total, nil
}

// only lets pass the networks of the operators.
func (f *filter) only(keys []string) {
	if keys == nil {
		return
	}
	pass := make([]bool, len(f.Networks))
	for i, o := range f.operators {
		pass[i] = o >= 0 && slices.Contains(keys, f.table.Operators[o].Key) && (f.networks == nil || f.networks[i])
	}
	f.networks = pass
}

// naming has the rows that match and name one of the identifiers collected.
func (f *filter) naming(ids []site.RadioID, certain, possible *collector) {
	for rows := f.mayName(ids); len(rows) > 0; {
		k := int(rows[0]) / blockRows
		n, _ := slices.BinarySearch(rows, uint32((k+1)*blockRows))
		for _, i := range f.matches(k) {
			if _, may := slices.BinarySearch(rows[:n], i); !may {
				continue
			}
			switch fits, sure := f.names(i, ids); {
			case sure:
				certain.add(f, i)
			case fits:
				possible.add(f, i)
			}
		}
		rows = rows[n:]
	}
}

// names tells whether a row's radio names one of the identifiers, and whether it does so
// for certain.
func (f *filter) names(i uint32, ids []site.RadioID) (fits, certain bool) {
	r := row{technology: f.technology[i], enb: f.enb[i], gnb: f.gnb[i], cell: f.cell[i]}
	operator := f.operators[f.network[i]]
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

// names tells whether the row's radio names an identifier of its network.
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
