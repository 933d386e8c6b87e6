package measure

import "slices"

// A Group is the measures of a place that have one operator and one generation.
type Group struct {
	Operator     string // key in the market's table; "": none of it, or not stated
	OperatorName string // its label
	Technology   Generation
	Count        int  // measures
	Synthetic    bool // nobody measured some of them: they were made up for a demonstration
	// Sampled reports that the quantiles are of an even sample, of half a thousand or more;
	// else they are of all.
	Sampled bool
	// Values are, of coverage points, RSRP in dBm, RSRQ and SNR in dB; of speedtests the
	// download and the upload in Mbit/s and the ping in ms.
	Values [3]Quantiles
}

// Quantiles are those of the values that are stated. A quantile p of n values is the one
// at rank ⌈p·n⌉ of the sorted ones (nearest rank): one of the values, never between two.
type Quantiles struct {
	Of               int     // values; without any, the others are 0
	P10, Median, P90 float64 // p = 0.1, 0.5, 0.9
}

// sampleRows is more than the measures of a group whose values are looked at: of half as
// many, a median lies between those at 48 and 52 % as a rule.
const sampleRows = 1 << 10

// Survey returns what the measures that a query selects say together: the groups, by
// operator as in the market's table, those of none at the end, then by generation. Limit
// does not count.
func (s *Store) Survey(kind Kind, q Query) ([]Group, error) {
	q.Limit = 1
	if err := q.check(); err != nil {
		return nil, err
	}
	return groups(kind, s.view().filters(kind, &q)), nil
}

// CoverageCounts returns the groups of the coverage points that a query selects, and at
// most Limit of the points, as Coverage does.
func (s *Store) CoverageCounts(q Query) ([]Group, []Point, error) {
	if err := q.check(); err != nil {
		return nil, nil, err
	}
	filters := s.view().filters(Coverage, &q)
	return groups(Coverage, filters), sample(filters, q.Limit), nil
}

// generations is one more than the highest.
const generations = 6

// A surveyed is how many rows a group has, and what each step-th of them says.
type surveyed struct {
	count, step int  // step is a power of two
	synthetic   bool // some of them
	values      [][3]int32
}

// groups returns the groups of the rows that the filters match.
func groups(kind Kind, filters []*filter) (list []Group) {
	if len(filters) == 0 {
		return nil
	}
	operators := filters[0].table.Operators
	all := make([]surveyed, (len(operators)+1)*generations) // those of no operator are the last
	for _, f := range filters {
		first := make([]int, len(f.Networks)) // group of a network
		for n, o := range f.operators {
			if first[n] = o * generations; o < 0 {
				first[n] = len(operators) * generations
			}
		}
		for rows := range f.matches() {
			for _, i := range rows {
				all[first[f.network[i]]+int(technologies[f.technology[i]].generation)].add(f.segment, i)
			}
		}
	}
	for i := range all {
		if all[i].count == 0 {
			continue
		}
		g := all[i].group(kind)
		g.Technology = Generation(i % generations)
		if o := i / generations; o < len(operators) {
			g.Operator, g.OperatorName = operators[o].Key, operators[o].Label
		}
		list = append(list, g)
	}
	return list
}

// add takes in a row.
func (t *surveyed) add(s *segment, row uint32) {
	t.step = max(t.step, 1)
	if t.count&(t.step-1) == 0 {
		if t.values = append(t.values, s.values(row)); len(t.values) == sampleRows {
			for i := range sampleRows / 2 {
				t.values[i] = t.values[2*i]
			}
			t.values, t.step = t.values[:sampleRows/2], 2*t.step
		}
	}
	t.count++
	t.synthetic = t.synthetic || s.Synthetic
}

func (t *surveyed) group(kind Kind) Group {
	g := Group{Count: t.count, Sampled: t.step > 1, Synthetic: t.synthetic}
	none, unit := int32(noLevel), 100.0
	if kind == Speedtest {
		none, unit = noSpeed, 1000
	}
	for i := range g.Values {
		var stated []int32
		for _, v := range t.values {
			if v[i] != none {
				stated = append(stated, v[i])
			}
		}
		g.Values[i] = quantiles(stated, unit)
	}
	return g
}

// values are those of a row in the order of Group.Values.
func (s *segment) values(i uint32) [3]int32 {
	if s.Kind == Coverage {
		return [3]int32{int32(s.rsrp[i]), int32(s.rsrq[i]), int32(s.snr[i])}
	}
	return [3]int32{s.down[i], s.up[i], s.rtt[i]}
}

// quantiles sorts values, of which there are unit to one, and returns their quantiles.
func quantiles(values []int32, unit float64) Quantiles {
	n := len(values)
	if n == 0 {
		return Quantiles{}
	}
	slices.Sort(values)
	at := func(rank int) float64 { return float64(values[rank-1]) / unit }
	return Quantiles{n, at((n + 9) / 10), at((n + 1) / 2), at((9*n + 9) / 10)}
}
