package measure

import "runtime"

// A Group is the measures of a place that have one operator and one generation.
type Group struct {
	Operator     string // key in the market's table; "": none of it, or not stated
	OperatorName string // its label
	Technology   Generation
	Count        int  // measures
	Synthetic    bool // nobody measured some of them: they were made up for a demonstration
	// Sampled says that the quantiles are of an even sample, of half a thousand or more; else
	// they are of all.
	Sampled bool
	// Values are, of coverage points, RSRP in dBm, RSRQ and SNR in dB; of speedtests the
	// download and the upload in Mbit/s and the ping in ms.
	Values [3]Quantiles
}

// sampleRows is the most measures of a group whose values are looked at: of half as many, a
// median lies between those at 48 and 52 % as a rule.
const sampleRows = 1 << 10

// lookedAt is more than the rows that each point of CoverageCounts is chosen from.
const lookedAt = 1 << 5

// Survey returns what the measures that a query selects say together: the groups, by
// operator as in the market's table, those of none at the end, then by generation. Limit
// does not count. Time and memory are bounded, but for some nanoseconds a measure at the
// rim of the place.
func (s *Store) Survey(kind Kind, q Query) ([]Group, error) {
	q.Limit = 1
	if err := q.check(); err != nil {
		return nil, err
	}
	v := s.view()
	defer runtime.KeepAlive(v)
	filters := v.filters(kind, &q)
	if len(filters) == 0 {
		return nil, nil
	}
	c := newCensus(filters)
	defer c.end()
	c.expect()
	for _, f := range filters {
		c.count(f, c)
	}
	return c.result(kind), nil
}

// CoverageCounts returns the groups of the coverage points that a query selects, without
// Values, and at most Limit of the points: an even sample as Coverage returns it, which is
// chosen from every n-th of them where there are lookedAt for each, or more. Time and memory
// are as Survey's.
func (s *Store) CoverageCounts(q Query) ([]Group, []Point, error) {
	if err := q.check(); err != nil {
		return nil, nil, err
	}
	v := s.view()
	defer runtime.KeepAlive(v)
	filters := v.filters(Coverage, &q)
	if len(filters) == 0 {
		return nil, []Point{}, nil
	}
	c := newChooser(filters, lookedAt*q.Limit)
	defer c.end()
	for at, f := range filters {
		c.at = uint32(at)
		c.count(f, c)
	}
	c.leave()
	return c.result(Coverage), sample(filters, q.Limit), nil
}
