package measure

import "slices"

// A chooser counts rows, of which it looks at none, and chooses an even sample of them.
type chooser struct {
	*census
	at   uint32 // place of the filter whose rows come
	rows sampler[place]
}

// newChooser makes one for less than most rows.
func newChooser(filters []*filter, most int) *chooser {
	c := &chooser{census: newCensus(filters), rows: sampler[place]{step: 1, most: most}}
	n := 0
	for _, of := range c.certain() {
		n += of
	}
	c.rows.expect(n)
	return c
}

func (c *chooser) some(f *filter, rows []uint32) {
	for i := c.rows.next(0); i < len(rows); i = c.rows.next(i + 1) {
		c.rows.room(1)[0] = place{c.at, rows[i]}
		c.rows.thin()
	}
	c.rows.count += len(rows)
	for _, i := range rows {
		c.groups[f.groups[i]].count++
	}
}

func (c *chooser) all(f *filter, r *runRows) {
	n := r.rows()
	for i := c.rows.next(0); i < n; i = c.rows.next(i + 1) {
		c.rows.room(1)[0] = place{c.at, uint32(r.row(i))}
		c.rows.thin()
	}
	c.rows.count += n
	c.groups[r.group].count += n
}

// leave makes the filters let only the chosen rows pass.
func (c *chooser) leave() {
	list := c.rows.list // by filter
	for at, f := range c.filters {
		rows := []uint32{}
		for ; len(list) > 0 && list[0].segment == uint32(at); list = list[1:] {
			rows = append(rows, list[0].row)
		}
		slices.Sort(rows)
		f.choose(rows)
	}
}

// choose makes the filter let only these rows pass, which match, in their order.
func (f *filter) choose(rows []uint32) {
	f.chosen, f.reached = rows, &reach{rows: len(rows), bounds: nowhere}
	b := &f.reached.bounds
	for _, i := range rows {
		b.south, b.north, b.west, b.east = min(b.south, f.lat[i]), max(b.north, f.lat[i]), min(b.west, f.lng[i]), max(b.east, f.lng[i])
	}
}
