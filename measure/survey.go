package measure

import "slices"

// A Group has the measurements of a place with one operator and one generation.
type Group struct {
	Operator   string // key in the market's table; "": not in the table or not stated
	Technology Generation
	Count      int  // measurements
	Synthetic  bool // some were made up for a demonstration
	// Sampled reports that the quantiles are those of an even sample of 512 measurements or
	// more, not of all.
	Sampled bool
	// Values are RSRP in dBm, RSRQ in dB and SNR in dB for coverage points, and download and
	// upload in Mbit/s and ping in ms for speedtests.
	Values [3]Quantiles
}

// Quantiles are the quantiles of the stated values. The quantile p of n values is the one at rank
// ⌈p·n⌉ of the sorted values (nearest rank).
type Quantiles struct {
	Of               int     // number of values; if it is 0, the others are 0
	P10, Median, P90 float64 // p = 0.1, 0.5, 0.9
}

// sampleRows bounds the number of values that are kept for a group. At least half as many are kept
// of a large group. The median of such a sample is usually between the quantiles 48 and 52 %.
const sampleRows = 1 << 10

// Survey returns the groups of the measurements that a query selects, ordered by operator as
// in the market's table, those without an operator last, and then by generation. It ignores
// Limit.
func (s *Store) Survey(kind Kind, q Query) ([]Group, error) {
	q.Limit = 1
	if err := q.check(); err != nil {
		return nil, err
	}
	return groups(kind, s.view().filters(kind, &q)), nil
}

// generations is the highest generation plus 1.
const generations = 6

// A groupStats counts the rows of a group and keeps the values of every step-th row.
type groupStats struct {
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
	all := make([]groupStats, (len(operators)+1)*generations) // rows without an operator are last
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
			g.Operator = operators[o].Key
		}
		list = append(list, g)
	}
	return list
}

// add adds a row.
func (t *groupStats) add(s *segment, row uint32) {
	t.step = max(t.step, 1)
	// When the sample is full, every other value goes and the step doubles: the rest is again every
	// step-th row, whatever number of rows follows.
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

func (t *groupStats) group(kind Kind) Group {
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

// values returns the values of a row in the order of Group.Values.
func (s *segment) values(i uint32) [3]int32 {
	if s.Kind == Coverage {
		return [3]int32{int32(s.rsrp[i]), int32(s.rsrq[i]), int32(s.snr[i])}
	}
	return [3]int32{s.down[i], s.up[i], s.rtt[i]}
}

// quantiles sorts values, which are in fractions of 1/unit, and returns their quantiles.
func quantiles(values []int32, unit float64) Quantiles {
	n := len(values)
	if n == 0 {
		return Quantiles{}
	}
	slices.Sort(values)
	at := func(rank int) float64 { return float64(values[rank-1]) / unit }
	return Quantiles{n, at((n + 9) / 10), at((n + 1) / 2), at((9*n + 9) / 10)}
}
