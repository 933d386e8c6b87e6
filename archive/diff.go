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

// diff compares the two publications of a selection, the older one first. It returns the changes by
// support, without the rows that both have. repeated reports that a file has several rows with one
// key: such a key is present as long as one of its rows is.
func diff(next fetch, sel selection, repeated bool) ([]rowChange, error) {
	var changes []rowChange
	var keys []uint64
	var isProject []bool
	matches := map[uint64]match{}
	var alike presence
	err := walk(next, sel, nil, func(support uint32, items []item) error {
		had := slices.ContainsFunc(items, func(it item) bool { return it.picked[0] > 0 })
		alike.find(items)
		for i := range items {
			it := &items[i]
			old, new := it.picked[0] > 0, it.picked[1] > 0
			if old && new && !repeated {
				continue
			}
			c := it.content()
			key, planned := rowKey(&c), fold.Equal(c[inStatus], project)
			m := matches[key]
			matches[key] = match{m.old || old, m.new || new, m.running || old && !planned}
			if old && new || alike[c] == inBoth {
				continue
			}
			ch := rowChange{support: support, ref: it.ref, id: max(it.picked[0], it.picked[1]) - 1}
			switch {
			case old:
				ch.kind = Deleted
			case had:
				ch.kind = Added
			default:
				ch.kind = New
			}
			changes, keys, isProject = append(changes, ch), append(keys, key), append(isProject, planned)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := range changes {
		ch, m := &changes[i], matches[keys[i]]
		switch {
		case !m.old || !m.new:
		case ch.kind == Deleted:
			ch.kind = Replaced
		case !m.running && !isProject[i]:
			ch.kind = Activated
		default:
			ch.kind = Changed
		}
	}
	return changes, nil
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

// putChanges replaces the stored changes of a date. It returns their size in bytes.
func putChanges(tx *store.Tx, date uint32, changes []rowChange) (size int, err error) {
	b := tx.Bucket([]byte(changesBucket))
	for k, _ := b.Cursor().Seek(pairKey(date, 0)); k != nil &&
		slices.Equal(k[:4], pairKey(date, 0)[:4]); k, _ = b.Cursor().Seek(pairKey(date, 0)) {
		if err := b.Delete(slices.Clone(k)); err != nil {
			return 0, err
		}
	}
	for len(changes) > 0 {
		n := min(partChanges, len(changes))
		for n < len(changes) && changes[n].support == changes[n-1].support {
			n++
		}
		key := pairKey(date, changes[n-1].support)
		sealed := seal(changesBucket, key, packChanges(changes[:n]))
		if err := b.Put(key, sealed); err != nil {
			return 0, err
		}
		size += len(sealed)
		changes = changes[n:]
	}
	return size, nil
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

// changesOf returns the changes of a date, by support; only those of one support if support is not
// 0. Errors: errDamaged.
func changesOf(tx *store.Tx, p *Publication, support uint32) (all []rowChange, err error) {
	b := tx.Bucket([]byte(changesBucket))
	if b == nil {
		return nil, nil
	}
	date := uint32(p.day())
	c := b.Cursor()
	for k, v := c.Seek(pairKey(date, support)); len(k) == 8 &&
		slices.Equal(k[:4], pairKey(date, 0)[:4]); k, v = c.Next() {
		plain, err := unseal(changesBucket, k, v)
		if err != nil {
			return nil, err
		}
		part, err := readChanges(plain)
		if err != nil {
			return nil, err
		}
		if support == 0 {
			all = append(all, part...)
			continue
		}
		for _, ch := range part {
			if ch.support == support {
				all = append(all, ch)
			}
		}
		break
	}
	if support == 0 && len(all) != p.Changes {
		return nil, damaged(fmt.Sprintf("%d changes of %d", len(all), p.Changes))
	}
	return all, nil
}
