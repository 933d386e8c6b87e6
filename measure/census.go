package measure

import (
	"slices"
	"sync"
)

// A census counts rows by operator and generation, and samples them.
type census struct {
	filters []*filter
	groups  []stratum
	values  []int32 // of a column
	ranks   ranker
}

// censuses are those that were made: their memory is used again.
var censuses = sync.Pool{New: func() any { return new(census) }}

// A stratum is how many rows a group has, and fewer than most of them: those whose number
// in the order in which they were counted is a multiple of step, a power of two.
type stratum struct {
	count, step int
	most        int
	rows        []place
	synthetic   bool // some of them
}

// generations is one more than the highest.
const generations = 6

func newCensus(filters []*filter, kind Kind, step int) *census {
	c := censuses.Get().(*census)
	c.filters = filters
	n := (len(filters[0].table.Operators) + 1) * generations
	c.groups = slices.Grow(c.groups[:0], n)[:n]
	for i := range c.groups {
		g := &c.groups[i]
		*g = stratum{step: step, most: sampleRows[kind], rows: g.rows[:0]}
	}
	return c
}

// end gives the memory back.
func (c *census) end() {
	c.filters = nil
	censuses.Put(c)
}

// group is the stratum of rows that have a network and a technology.
func (c *census) group(f *filter, network uint16, technology uint8) *stratum {
	return &c.groups[f.strata[network]+generationAt[technology]]
}

// generationAt is of each technology.
var generationAt = func() (list [256]uint32) {
	for i, t := range technologies {
		list[i] = uint32(t.generation)
	}
	return list
}()

// count takes in the rows that match.
func (c *census) count(at uint32, f *filter) {
	before := make([]int, len(c.groups))
	for i := range c.groups {
		before[i] = c.groups[i].count
	}
	c.countRows(at, f, 0, 0, len(f.blocks))
	for i := range c.groups {
		g := &c.groups[i]
		g.synthetic = g.synthetic || f.Synthetic && g.count > before[i]
	}
}

// countRows takes in the rows that match of the blocks from to to-1, by the tiles of a
// tiling and, of those that lie in the place in part, by the next one's.
func (c *census) countRows(at uint32, f *filter, level, from, to int) {
	if level == len(f.tilings) {
		var space [blockRows]uint32
		for k := from; k < to; k++ {
			for _, i := range f.matches(k, &space) {
				c.group(f, f.network[i], f.technology[i]).add(at, i)
			}
		}
		return
	}
	g := &f.tilings[level]
	for k := from; k < to; k += g.blocks {
		switch t := &g.tiles[k/g.blocks]; {
		case !f.meets(&t.block):
		case f.covers(&t.block):
			c.whole(at, f, g, k/g.blocks)
		default:
			c.countRows(at, f, level+1, k, min(k+g.blocks, to))
		}
	}
}

// expect sets steps that the groups reach in any case, by what lies in the largest tiles:
// rows that a later step leaves out need not be looked at.
func (c *census) expect() {
	least := make([]int, len(c.groups))
	for _, f := range c.filters {
		g := &f.tilings[0]
		for t := range g.tiles {
			if g.tiles[t].oldest < f.since || !f.covers(&g.tiles[t].block) {
				continue
			}
			begin := uint32(t * g.blocks * blockRows)
			for _, r := range g.tiles[t].runs {
				if f.passes(r) {
					least[f.strata[r.network]+generationAt[r.technology]] += int(r.end - begin)
				}
				begin = r.end
			}
		}
	}
	for i := range c.groups {
		for g := &c.groups[i]; least[i]/g.step >= g.most; {
			g.step *= 2
		}
	}
}

// passes tells whether the filter lets the rows of a run pass.
func (f *filter) passes(r run) bool {
	return (f.networks == nil || f.networks[r.network]) && (f.kinds == nil || f.kinds[r.technology])
}

// whole takes in the rows of a tile that lies in the place.
func (c *census) whole(at uint32, f *filter, g *tiling, t int) {
	from := t * g.blocks * blockRows
	begin := uint32(from)
	for _, r := range g.tiles[t].runs {
		rows := g.byTime[begin:r.end]
		begin = r.end
		if !f.passes(r) {
			continue
		}
		if g.tiles[t].oldest < f.since {
			rows = f.newer(rows, from, f.since)
		}
		if len(rows) == 0 {
			continue
		}
		c.group(f, r.network, r.technology).addAll(at, uint32(from), rows)
	}
}

func (t *stratum) add(at, row uint32) {
	if t.next(0) == 0 {
		t.keep(place{at, row})
	}
	t.count++
}

// addAll takes in rows of a tile that begins at row from.
func (t *stratum) addAll(at, from uint32, rows []uint16) {
	for i := t.next(0); i < len(rows); i = t.next(i + 1) {
		t.keep(place{at, from + uint32(rows[i])})
	}
	t.count += len(rows)
}

// next is the first of the rows to come, from the i-th on, that the sample has.
func (t *stratum) next(i int) int { return i + -(t.count+i)&(t.step-1) }

// keep takes a row into the sample, and when it is full leaves out every second one.
func (t *stratum) keep(p place) {
	if t.step < noValues {
		t.rows = slices.Grow(t.rows, t.most-len(t.rows))
	}
	t.rows = append(t.rows, p)
	if len(t.rows) < t.most {
		return
	}
	n := 0
	for i := 0; i < len(t.rows); i += 2 {
		t.rows[n] = t.rows[i]
		n++
	}
	t.rows, t.step = t.rows[:n], 2*t.step
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
				c.values = c.valuesOf(kind, t.rows, i, c.values[:0])
				g.Values[i] = c.ranks.quantiles(c.values, unitOf[kind])
			}
			groups = append(groups, g)
		}
	}
	return groups
}

// unitOf is how many steps of the columns there are to one.
var unitOf = map[Kind]float64{Coverage: 100, Speedtest: 1000}

// valuesOf returns the stated values of rows in a column of the Values, in dst.
func (c *census) valuesOf(kind Kind, rows []place, column int, dst []int32) []int32 {
	if kind == Coverage {
		return stated(dst, c.filters, rows, noLevel, func(f *filter) []int16 { return [...][]int16{f.rsrp, f.rsrq, f.snr}[column] })
	}
	return stated(dst, c.filters, rows, noSpeed, func(f *filter) []int32 { return [...][]int32{f.down, f.up, f.rtt}[column] })
}

func stated[T int16 | int32](dst []int32, filters []*filter, rows []place, none T, column func(*filter) []T) []int32 {
	at, values := uint32(0), column(filters[0])
	dst = slices.Grow(dst, len(rows))[:len(rows)]
	n := 0
	for _, p := range rows {
		if p.segment != at {
			at, values = p.segment, column(filters[p.segment])
		}
		v := values[p.row]
		dst[n] = int32(v)
		if v != none { // no jump depends on it
			n++
		}
	}
	return dst[:n]
}
