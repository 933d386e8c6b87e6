package archive

import (
	"errors"
	"slices"

	"golang.org/x/sync/errgroup"

	"relais/internal/intern"
)

// withRows is a publication and its rows.
type withRows struct {
	*Publication
	rows *listing
}

// A neighbour is the publication before the one that is added, or the one after it.
type neighbour struct {
	withRows
	differs []uint32 // supports with rows that only one of the two has, ascending
}

// findKnown finds the rows of the file that the publications before and after it have too.
func (a *adding) findKnown(before, after *Publication) error {
	sel := selection{}
	for side, p := range []*Publication{before, after} {
		if p == nil {
			continue
		}
		l, err := listingOf(a.tx, p)
		if err == nil {
			err = sel.pickPositions(a.tx, side, l)
		}
		if err != nil {
			return err
		}
		a.sides[side] = &neighbour{withRows{p, l}, []uint32{}}
	}
	rest := a.order
	err := walk(fetchIn(a.tx), sel, nil, func(support uint32, items []item) error {
		rest = a.matchNew(rest, support)
		rest = a.match(support, rest, items)
		return a.ctx.Err()
	})
	a.matchNew(rest, ^uint32(0))
	return err
}

// matchNew matches the rows of supports below a number, which the neighbours lack. It returns the rows
// after them.
func (a *adding) matchNew(rest []uint32, below uint32) []uint32 {
	for len(rest) > 0 {
		support := a.file.number(rest[0])
		if support >= below {
			break
		}
		rest = a.match(support, rest, nil)
	}
	return rest
}

// match finds the rows of a support, with which rest begins, among the neighbours' rows of it. It
// returns the rows after them.
func (a *adding) match(support uint32, rest []uint32, items []item) []uint32 {
	n := 0
	for n < len(rest) && a.file.number(rest[n]) == support {
		n++
	}
	var shared, stored [2]int // rows by neighbour
	for i := range items {
		items[i].count(&stored)
	}
	if a.matchInOrder(rest[:n], items) {
		shared = stored
	} else {
		shared = a.matchAny(rest[:n], items)
	}
	for side, of := range a.sides {
		if of != nil && (shared[side] < n || shared[side] < stored[side]) {
			of.differs = append(of.differs, support)
		}
	}
	return rest[n:]
}

func (it *item) count(rows *[2]int) {
	for side, id := range it.picked {
		if id > 0 {
			rows[side]++
		}
	}
}

// matchInOrder matches rows with the items if they are the same rows in the same order, as most are.
func (a *adding) matchInOrder(rows []uint32, items []item) bool {
	if len(rows) != len(items) {
		return false
	}
	for i, row := range rows {
		if items[i].block.codesIn(a.file, items[i].row) != a.file.row(row).codes() {
			return false
		}
	}
	for i, row := range rows {
		a.rows.refs[row] = items[i].ref
	}
	return true
}

// matchAny matches each row with one of the items. It returns how many items of each neighbour it used.
func (a *adding) matchAny(rows []uint32, items []item) (shared [2]int) {
	same := map[codes]*item{}
	for i := range items {
		it := &items[i]
		if c := it.block.codesIn(a.file, it.row); same[c] == nil || it.picked[0] > 0 {
			same[c] = it
		}
	}
	for _, row := range rows {
		c := a.file.row(row).codes()
		if it := same[c]; it != nil {
			a.rows.refs[row] = it.ref
			it.count(&shared)
			delete(same, c) // a row that stands twice in the file is two rows
		}
	}
	return shared
}

// putCompared stores a publication with what differs from the one before it, on some supports.
func (a *adding) putCompared(before, p withRows, supports []uint32) ([]rowChange, error) {
	rows := selection{}
	for side, q := range []withRows{before, p} {
		if err := rows.pickPositions(a.tx, side, q.rows); err != nil {
			return nil, err
		}
	}
	c, err := newComparing(a.ctx)
	if err != nil {
		return nil, err
	}
	d := newDiff(before.rows, p.rows)
	changed := make(chan []item, 64)
	var comparing errgroup.Group
	comparing.Go(func() error { return c.all(changed) })
	err = walk(fetchIn(a.tx), rows, supports, func(support uint32, items []item) error {
		n := len(d.changes)
		if d.add(support, items); len(d.changes) > n {
			changed <- slices.Clone(items)
		}
		return a.ctx.Err()
	})
	close(changed)
	if err := errors.Join(err, comparing.Wait()); err != nil {
		return nil, err
	}
	if before.Repeated+p.Repeated > 0 {
		a.matchKeys(d, rows)
	}
	changes := d.finish()
	if err := putChanges(a.tx, p.Publication, changes); err != nil {
		return nil, err
	}
	lists, err := c.lists()
	if err != nil {
		return nil, err
	}
	return changes, lists.put(a.tx, before.Publication, p.Publication)
}

// matchKeys gives a diff the rows that both publications have, of the stations with changes.
func (a *adding) matchKeys(d *diff, both selection) {
	wanted := make([]bool, a.file.texts[inStation].Len())
	for station := range d.stations {
		if code, ok := intern.Find(&a.file.texts[inStation], station); ok {
			wanted[code] = true
		}
	}
	for row, at := range a.rows.refs {
		if !wanted[a.file.rows.At(row).station] {
			continue
		}
		if p := both[at.segment]; p[0] != nil && p[0][at.rank] > 0 && p[1] != nil && p[1][at.rank] > 0 {
			c := a.file.content(row)
			d.match(&c, true, true)
		}
	}
}
