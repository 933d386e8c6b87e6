package measure

import (
	"runtime"
	"slices"

	"relais/geo"
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
	c := newCollector(&q, 0)
	for at, f := range filters {
		c.all(uint32(at), f)
	}
	return c.tests(filters), c.total, nil
}

// A Node is a base station of a site.
type Node struct {
	Operator string // key in the market's table; "": of any network
	NR       bool   // a gNB; else an eNB
	ID       uint32
	// Bits is how many bits of an NCI are the gNB's, 22 to 32; 0: not known, and then
	// only tests that state their gNB are of the node.
	Bits int
}

// SiteQuery selects the speedtests of a site.
type SiteQuery struct {
	Query  // of which Box and Disc are nil
	Nodes  []Node
	Center *geo.Point // where the site stands; nil: only Nodes count
	// Operators are those of the site, by key: around it, only their tests are its own.
	// nil: of any network.
	Operators []string
	Offset    int // tests to pass over; with Best, it is 0
}

// SiteRadius is how far from a site a speedtest that names no node of it can be its own,
// in metres.
const SiteRadius = 1000

// SpeedtestsOfSite returns the speedtests whose radio names a node of the site; where
// there are none, those within SiteRadius of it. The best one is first with Best and the
// only one; else the newest is. total is how many there are.
func (s *Store) SpeedtestsOfSite(q SiteQuery) (tests []Test, total int, err error) {
	if err := q.check(); err != nil {
		return nil, 0, err
	}
	v := s.view()
	defer runtime.KeepAlive(v)
	filters := v.filters(Speedtest, &q.Query)
	c := newCollector(&q.Query, q.Offset)
	for at, f := range filters {
		c.naming(uint32(at), f, q.Nodes)
	}
	if c.total == 0 && q.Center != nil {
		q.Disc = &geo.Disc{Center: *q.Center, Radius: SiteRadius}
		filters = v.filters(Speedtest, &q.Query)
		for at, f := range filters {
			f.only(q.Operators)
			c.all(uint32(at), f)
		}
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

// names tells whether a row's radio names one of the nodes.
func (f *filter) names(i uint32, nodes []Node) bool {
	r := row{technology: f.technology[i], enb: f.enb[i], gnb: f.gnb[i], cell: f.cell[i]}
	enb, generation := r.node(), technologies[r.technology].generation
	return slices.ContainsFunc(nodes, func(n Node) bool {
		if n.ID == 0 || n.Operator != "" && !f.of(i, n.Operator) {
			return false
		}
		if !n.NR {
			return enb == n.ID
		}
		if r.gnb != 0 || n.Bits < 22 || n.Bits > 32 || generation != 5 {
			return r.gnb == n.ID
		}
		return r.cell>>(36-n.Bits) == uint64(n.ID)
	})
}

// of tells whether a row is of an operator.
func (f *filter) of(i uint32, key string) bool {
	o := f.operators[f.network[i]]
	return o >= 0 && f.table.Operators[o].Key == key
}
