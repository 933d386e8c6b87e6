package archive

import (
	"fmt"
	"hash/maphash"
	"slices"

	"relais/internal/fold"
	"relais/internal/store"
)

// project is the status of an antenna that is not on air yet.
const project = "Projet approuvé"

// A rowChange is a row that only one of two publications has.
type rowChange struct {
	support uint32
	ref
	id   uint32 // as in a listing, in the publication that has the row
	kind Kind
}

// A match holds the rows of one key.
type match struct {
	old, new bool
	running  bool // in the publication before one of them was not a project
}

var seed = maphash.MakeSeed()

// rowKey returns a hash for the key of a row. Each process has another seed, so that no file can
// force collisions. By chance, two of a million 64-bit hashes collide in one comparison of 37
// million.
func rowKey(c *content) uint64 {
	return maphash.Comparable(seed, [3]string{c[inStation], c[inOperator], c[inSystem]})
}

// A diff compares two publications support by support, the older one first. Picks are positions in the
// publications' files and 1.
type diff struct {
	ids      [2][]uint32     // of the files' rows
	changes  []rowChange     // the rows that only one publication has, by support
	keys     []uint64        // of the changes
	planned  []bool          // which changes have a project
	stations map[string]bool // of the changes
	projects map[string]bool // whether a status is that of a project
	matches  map[uint64]match
	alike    presence
}

func newDiff(before, after *listing) *diff {
	return &diff{ids: [2][]uint32{before.ids, after.ids}, stations: map[string]bool{}, projects: map[string]bool{},
		matches: map[uint64]match{}}
}

// add compares the rows of a support. A support without differences may be left out.
func (d *diff) add(support uint32, items []item) {
	had := slices.ContainsFunc(items, func(it item) bool { return it.picked[0] > 0 })
	d.alike.find(items)
	for i := range items {
		it := &items[i]
		old, new := it.picked[0] > 0, it.picked[1] > 0
		c := it.content()
		planned := d.match(&c, old, new)
		if old && new || d.alike[c] == inBoth {
			continue
		}
		ch := rowChange{support: support, ref: it.ref}
		switch {
		case old:
			ch.kind, ch.id = Deleted, d.ids[0][it.picked[0]-1]
		case had:
			ch.kind, ch.id = Added, d.ids[1][it.picked[1]-1]
		default:
			ch.kind, ch.id = New, d.ids[1][it.picked[1]-1]
		}
		d.changes, d.keys, d.planned = append(d.changes, ch), append(d.keys, rowKey(&c)), append(d.planned, planned)
		d.stations[c[inStation]] = true
	}
}

// match notes a row of the publications. It reports whether the row is a project.
func (d *diff) match(c *content, old, new bool) (planned bool) {
	key := rowKey(c)
	planned, ok := d.projects[c[inStatus]]
	if !ok {
		planned = fold.Equal(c[inStatus], project)
		d.projects[c[inStatus]] = planned
	}
	m := d.matches[key]
	d.matches[key] = match{m.old || old, m.new || new, m.running || old && !planned}
	return planned
}

// finish returns the changes. A file may have several rows with one key, which is there as long as one
// of its rows is: then match has noted the rows of the stations, of supports that were left out too.
func (d *diff) finish() []rowChange {
	for i := range d.changes {
		ch, m := &d.changes[i], d.matches[d.keys[i]]
		switch {
		case !m.old || !m.new:
		case ch.kind == Deleted:
			ch.kind = Replaced
		case !m.running && !d.planned[i]:
			ch.kind = Activated
		default:
			ch.kind = Changed
		}
	}
	return d.changes
}

// presence says which publications have a content, for the rows of a support. A row that was
// missing for a while is stored twice, as is a row that a file repeats.
type presence map[content]uint8

const inBoth = 3

// find looks at the rows of another support.
func (a *presence) find(items []item) {
	clear(*a)
	if !slices.ContainsFunc(items, func(it item) bool { return (it.picked[0] > 0) != (it.picked[1] > 0) }) {
		return // most supports: every row is in both
	}
	if *a == nil {
		*a = presence{}
	}
	for i := range items {
		for side, id := range items[i].picked {
			if id > 0 {
				(*a)[items[i].content()] |= 1 << side
			}
		}
	}
}

// partChanges is the least number of changes in a stored part, except in the last part.
const partChanges = 4096

// removeChanges deletes the stored changes of a date.
func removeChanges(tx *store.Tx, date uint32) error {
	b, from := tx.Bucket([]byte(changesBucket)), pairKey(date, 0)
	for k, _ := b.Cursor().Seek(from); k != nil && slices.Equal(k[:4], from[:4]); k, _ = b.Cursor().Seek(from) {
		if err := b.Delete(slices.Clone(k)); err != nil {
			return err
		}
	}
	return nil
}

// putChanges stores a publication with its changes, in place of those before. Its rows are stored already.
func putChanges(tx *store.Tx, p *Publication, changes []rowChange) error {
	date := uint32(p.day())
	if err := removeChanges(tx, date); err != nil {
		return err
	}
	p.Changes, p.Bytes = len(changes), len(tx.Value(rowsBucket, numberKeyOf(date)))
	for len(changes) > 0 {
		n := min(partChanges, len(changes))
		for n < len(changes) && changes[n].support == changes[n-1].support {
			n++
		}
		key := pairKey(date, changes[n-1].support)
		sealed := seal(changesBucket, key, packChanges(changes[:n]))
		if err := tx.Bucket([]byte(changesBucket)).Put(key, sealed); err != nil {
			return err
		}
		p.Bytes += len(sealed)
		changes = changes[n:]
	}
	return putJSON(tx, publicationsBucket, numberKeyOf(date), p)
}

func packChanges(changes []rowChange) []byte {
	var columns [5][]uint32
	for _, c := range changes {
		for i, n := range []uint32{c.support, c.segment, c.rank, c.id, uint32(c.kind)} {
			columns[i] = append(columns[i], n)
		}
	}
	var w writer
	w.number(uint32(len(changes)))
	for _, c := range columns {
		w.column(c)
	}
	return w.b
}

// readChanges reads what packChanges wrote. Errors: errDamaged.
func readChanges(plain []byte) ([]rowChange, error) {
	r := reader{b: plain}
	n := r.count()
	var columns [5][]uint32
	for i := range columns {
		columns[i] = make([]uint32, n)
		r.column(columns[i])
	}
	if !r.end() || n == 0 || !slices.IsSorted(columns[0]) || slices.Max(columns[4]) > uint32(Replaced) {
		return nil, damaged("the changes of a publication")
	}
	changes := make([]rowChange, n)
	for i := range changes {
		changes[i] = rowChange{columns[0][i], ref{columns[1][i], columns[2][i]}, columns[3][i], Kind(columns[4][i])}
	}
	return changes, nil
}

// changesOf returns the changes of a date, by support. Errors: errDamaged.
func changesOf(tx *store.Tx, p *Publication) (all []rowChange, err error) {
	b := tx.Bucket([]byte(changesBucket))
	if b == nil {
		return nil, nil
	}
	first := pairKey(uint32(p.day()), 0)
	c := b.Cursor()
	for k, v := c.Seek(first); len(k) == 8 && slices.Equal(k[:4], first[:4]); k, v = c.Next() {
		plain, err := unseal(changesBucket, k, v)
		if err != nil {
			return nil, err
		}
		part, err := readChanges(plain)
		if err != nil {
			return nil, err
		}
		all = append(all, part...)
	}
	if len(all) != p.Changes {
		return nil, damaged(fmt.Sprintf("%d changes of %d", len(all), p.Changes))
	}
	return all, nil
}
