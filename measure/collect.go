package measure

import (
	"cmp"
	"math"
	"slices"
)

// A collector keeps of speedtests what is asked for, and counts them.
type collector struct {
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

// all takes in the rows that match.
func (c *collector) all(at uint32, f *filter) {
	for k := range f.met() {
		for _, i := range f.matches(k) {
			c.add(at, f, i)
		}
	}
}

// add takes in a row. Rows come in the order of their places, so that of two that are
// equal the first stays.
func (c *collector) add(at uint32, f *filter, i uint32) {
	c.total++
	p := pick{f.time[i], place{at, i}}
	switch {
	case c.best: // a speed that is not stated is below any other
		if c.total == 1 || cmp.Or(cmp.Compare(f.mean[i], c.top.mean), cmp.Compare(f.down[i], c.top.down), cmp.Compare(p.time, c.top.time)) > 0 {
			c.top.pick, c.top.mean, c.top.down = p, f.mean[i], f.down[i]
		}
	case len(c.picks) < c.most:
		if c.picks = append(c.picks, p); len(c.picks) == c.most {
			heapify(c.picks)
		}
	case p.time > c.picks[0].time:
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
