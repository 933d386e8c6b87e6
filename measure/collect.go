package measure

import (
	"cmp"
	"math"
	"slices"
)

// A collector keeps of speedtests what is asked for, and counts them.
type collector struct {
	at     uint32 // place of the filter whose rows come, among those of the query
	best   bool
	offset int
	most   int    // picks that are kept
	picks  []pick // a heap as soon as there are most
	top    struct {
		pick
		mean, down int32
	}
	total int
}

func newCollector(q *Query, offset int) *collector {
	c := &collector{best: q.Best, offset: min(max(offset, 0), math.MaxInt32)}
	if c.best {
		c.offset = 0
	}
	c.most = c.offset + q.Limit
	return c
}

// collect takes in the rows that the filters match.
func (c *collector) collect(filters []*filter) {
	for at, f := range filters {
		c.at = uint32(at)
		f.visit(c)
	}
}

func (c *collector) some(f *filter, rows []uint32) {
	for _, i := range rows {
		c.add(f, i)
	}
}

// all looks at the newest rows of the run, as long as one can be kept.
func (c *collector) all(f *filter, r *runRows) {
	for i := r.rows() - 1; i >= 0; i-- {
		row := uint32(r.row(i))
		if !c.best && len(c.picks) == c.most && f.time[row] < c.picks[0].time {
			c.total += i + 1
			return
		}
		c.add(f, row)
	}
}

// add takes in a row.
func (c *collector) add(f *filter, i uint32) {
	c.total++
	p := pick{f.time[i], place{c.at, i}}
	switch {
	case c.best: // a speed that is not stated is below any other
		if c.total == 1 || cmp.Or(cmp.Compare(f.mean[i], c.top.mean), cmp.Compare(f.down[i], c.top.down), older(c.top.pick, p)) > 0 {
			c.top.pick, c.top.mean, c.top.down = p, f.mean[i], f.down[i]
		}
	case len(c.picks) < c.most:
		if c.picks = append(c.picks, p); len(c.picks) == c.most {
			heapify(c.picks)
		}
	case p.time < c.picks[0].time: // as of most
	case older(p, c.picks[0]) < 0:
		c.picks[0] = p
		sink(c.picks, 0)
	}
}

// tests makes the tests that were asked for.
func (c *collector) tests(filters []*filter) []Test {
	list := []Test{}
	if c.best && c.total > 0 {
		c.picks = []pick{c.top.pick}
	}
	slices.SortFunc(c.picks, older)
	for _, p := range c.picks[min(c.offset, len(c.picks)):] {
		list = append(list, filters[p.segment].test(p.row))
	}
	return list
}
