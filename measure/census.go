package measure

import (
	"slices"
	"sync"
)

// A census counts rows by operator and generation, and samples them.
type census struct {
	filters []*filter
	groups  []stratum
	ranks   ranker
}

// censuses are those that were made: their memory is used again.
var censuses = sync.Pool{New: func() any { return new(census) }}

// A stratum is how many rows a group has, and an even sample of what they say, in the order
// of Group.Values: the first of each step rows, or one near it.
type stratum struct {
	sampler[[3]int32]
	synthetic bool // some of them
}

// generations is one more than the highest.
const generations = 6

func newCensus(filters []*filter) *census {
	c := censuses.Get().(*census)
	c.filters = filters
	n := (len(filters[0].table.Operators) + 1) * generations
	c.groups = slices.Grow(c.groups[:0], n)[:n]
	for i := range c.groups {
		g := &c.groups[i]
		*g = stratum{sampler: sampler[[3]int32]{step: 1, most: sampleRows, list: g.list[:0]}}
	}
	return c
}

// end gives the memory back.
func (c *census) end() {
	c.filters = nil
	censuses.Put(c)
}

// count shows a visitor that counts in the census the rows that match.
func (c *census) count(f *filter, v visitor) {
	before := make([]int, len(c.groups))
	for i := range c.groups {
		before[i] = c.groups[i].count
	}
	f.visit(v)
	for i := range c.groups {
		g := &c.groups[i]
		g.synthetic = g.synthetic || f.Synthetic && g.count > before[i]
	}
}

func (c *census) some(f *filter, rows []uint32) {
	groups, of := c.groups, f.groups
	for _, i := range rows {
		t := &groups[of[i]]
		if t.next(0) == 0 {
			t.take(f.segment, int(i))
		}
		t.count++
	}
}

func (c *census) all(f *filter, r *runRows) {
	c.groups[r.group].addAll(f.segment, r)
}

// expect sets steps that the groups reach in any case: rows that a later step leaves out
// need not be looked at.
func (c *census) expect() {
	for i, n := range c.certain() {
		c.groups[i].expect(n)
	}
}

// certain is how many rows the groups have at least, by what lies in the largest tiles.
func (c *census) certain() []int {
	least := make([]int, len(c.groups))
	for _, f := range c.filters {
		g := &f.tilings[0]
		for t := range g.tiles {
			if !f.meets(&g.tiles[t].extent) || !f.covers(&g.tiles[t].rectangle) {
				continue
			}
			begin, at := uint32(t*g.blocks*blockRows), int(g.tiles[t].notches)
			for _, r := range g.runsOf(&g.tiles[t]) {
				rows := int(r.end - begin)
				notches := g.notchesOf(at, rows)
				begin, at = r.end, at+len(notches)
				if g.tiles[t].oldest < f.since {
					rows -= min(f.olderNotches(notches)*notchRows, rows)
				}
				if f.passes(r) {
					least[r.group] += rows
				}
			}
		}
	}
	return least
}

// take takes the values of a row into the sample.
func (t *stratum) take(s *segment, row int) {
	t.room(1)[0] = s.values(row)
	t.thin()
}

// addAll takes in a run.
func (t *stratum) addAll(s *segment, r *runRows) {
	n := r.rows()
	for i := t.next(0); i < n; i = t.next(i) {
		more := t.room((n - i + t.step - 1) / t.step)
		for k := range more {
			if at := r.near(i, t.step); at != nil {
				more[k] = at.values
			} else {
				more[k] = s.values(r.row(i))
			}
			i += t.step
		}
		t.thin()
	}
	t.count += n
}

// result makes the groups.
func (c *census) result(kind Kind) (groups []Group) {
	table := c.filters[0].table
	for operator := range len(table.Operators) + 1 {
		for generation := range generations {
			t := &c.groups[(operator+1)%(len(table.Operators)+1)*generations+generation]
			if t.count == 0 {
				continue
			}
			g := Group{Technology: Generation(generation), Count: t.count, Sampled: t.step > 1, Synthetic: t.synthetic}
			if operator < len(table.Operators) {
				g.Operator, g.OperatorName = table.Operators[operator].Key, table.Operators[operator].Label
			}
			for i := range g.Values {
				g.Values[i] = c.ranks.quantiles(t.list, i, noneOf[kind], unitOf[kind])
			}
			groups = append(groups, g)
		}
	}
	return groups
}

// unitOf is how many steps of the columns there are to one.
var unitOf = map[Kind]float64{Coverage: 100, Speedtest: 1000}

// noneOf is what stands for a value that is not stated.
var noneOf = map[Kind]int32{Coverage: noLevel, Speedtest: noSpeed}

// values are those of a row in the order of Group.Values.
func (s *segment) values(i int) [3]int32 {
	if s.Kind == Coverage {
		return [3]int32{int32(s.rsrp[i]), int32(s.rsrq[i]), int32(s.snr[i])}
	}
	return [3]int32{s.down[i], s.up[i], s.rtt[i]}
}
