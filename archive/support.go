package archive

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"go.etcd.io/bbolt"
)

// An asked is a question about one support, within a transaction: only values that have
// rows of it are read.
type asked struct {
	*Store
	tx      *bbolt.Tx
	support uint32
	all     []Publication // oldest first
	rows    map[ref]item  // of the support, that any publication has
}

// ask calls fn with a question about a support. Errors: ErrNoArchive for what is no
// sup_id, ErrDamaged, those of fn.
func (s *Store) ask(support string, fn func(*asked) error) error {
	number, ok := supportNumber(support)
	if !ok {
		return fmt.Errorf("no support number: %.40q: %w", support, ErrNoArchive)
	}
	return s.view(func(tx *bbolt.Tx) (err error) {
		a := &asked{Store: s, tx: tx, support: number, rows: map[ref]item{}}
		if a.all, err = publications(tx); err == nil {
			err = a.find()
		}
		if err != nil {
			return err
		}
		return fn(a)
	})
}

// find finds the rows.
func (a *asked) find() error {
	seen := map[uint32]bool{}
	for _, p := range a.all {
		for _, number := range p.Segments {
			if seen[number] {
				continue
			}
			seen[number] = true
			if err := a.findIn(number); err != nil {
				return err
			}
		}
	}
	return nil
}

// findIn finds the rows of a segment.
func (a *asked) findIn(segment uint32) error {
	key, sealed, err := fetchIn(a.tx)(segment, a.support)
	if key == nil || err != nil {
		return err
	}
	open := func() (*block, error) { return openBlock(key, sealed) }
	if has, err := a.isIn(sealed, func() ([]uint32, error) {
		b, err := open()
		if err != nil {
			return nil, err
		}
		return b.supports, nil
	}); !has || err != nil {
		return err
	}
	b, err := open()
	if err != nil {
		return err
	}
	for row, n := range b.supports {
		if n == a.support {
			at := ref{segment, b.ranks[row]}
			a.rows[at] = item{ref: at, block: b, row: row}
		}
	}
	return nil
}

// isIn tells whether a sealed value has rows of the support. read returns the supports
// of its rows, ascending.
func (a *asked) isIn(sealed []byte, read func() ([]uint32, error)) (bool, error) {
	name, err := nameOf(sealed)
	if err != nil {
		return false, err
	}
	list, err := a.memory.supports.get(context.Background(), name, func() ([]uint32, int, error) {
		list, err := read()
		list = slices.Clip(slices.Compact(slices.Clone(list)))
		return list, 64 + 4*cap(list), err
	})
	if err != nil {
		return false, err
	}
	_, has := slices.BinarySearch(list, a.support)
	return has, nil
}

// changes returns what a publication changed of the support.
func (a *asked) changes(p *Publication) ([]change, error) {
	b := a.tx.Bucket([]byte(changesBucket))
	if b == nil {
		return nil, nil
	}
	key, sealed := b.Cursor().Seek(pairKey(uint32(p.day()), a.support))
	if len(key) != 8 || numberIn(key) != uint32(p.day()) {
		return nil, nil
	}
	has, err := a.isIn(sealed, func() (supports []uint32, err error) {
		plain, err := unseal(changesBucket, key, sealed)
		if err != nil {
			return nil, err
		}
		part, err := readChanges(plain)
		for _, c := range part {
			supports = append(supports, c.support)
		}
		return supports, err
	})
	if !has || err != nil {
		return nil, err
	}
	changes, err := changesOf(a.tx, p, a.support)
	for _, c := range changes {
		if _, ok := a.rows[c.ref]; !ok && err == nil {
			err = damaged("the changes of " + p.Date)
		}
	}
	return changes, err
}

// at returns the rows of the support in a publication, by operator, system and station.
func (a *asked) at(p *Publication) (items []item, err error) {
	if len(a.rows) == 0 {
		return nil, nil
	}
	m, err := a.membersOf(a.tx, p)
	if err != nil {
		return nil, err
	}
	for r, it := range a.rows {
		if m.has(r) {
			items = append(items, it)
		}
	}
	slices.SortFunc(items, byKey)
	return items, nil
}

// byKey orders rows by their key, those of one by where they are stored.
func byKey(a, b item) int {
	x, y := a.content(), b.content()
	return cmp.Or(cmp.Compare(x[inOperator], y[inOperator]), cmp.Compare(x[inSystem], y[inSystem]), cmp.Compare(x[inStation], y[inStation]),
		cmp.Compare(a.segment, b.segment), cmp.Compare(a.rank, b.rank))
}

// on returns the publication of a date and its position. Errors: ErrNoArchive.
func (a *asked) on(date string) (int, error) {
	i := slices.IndexFunc(a.all, func(p Publication) bool { return p.Date == date })
	if i < 0 {
		return 0, fmt.Errorf("%.40q: %w", date, ErrNoArchive)
	}
	return i, nil
}

// record is a row as a publication has it, without id.
func (it *item) record(kind Kind, p *Publication) Record {
	return it.block.record(it.row, kind, 0, p.Updated)
}

// SiteAt returns the rows of a support in the publication of a date, by operator, system
// and station, without id; Kind says what was new, added, activated or changed in it.
// There are no rows where the publication does not have the support. Errors:
// ErrNoArchive for what is no sup_id and for a date that there is not, ErrDamaged.
func (s *Store) SiteAt(support, date string) (*Site, error) {
	site, found := &Site{ID: support}, false
	err := s.ask(support, func(a *asked) error {
		i, err := a.on(date)
		if err != nil {
			return err
		}
		found = true
		p := &a.all[i]
		items, err := a.at(p)
		if err != nil {
			return err
		}
		changes, err := a.changes(p)
		kinds := map[ref]Kind{}
		for _, c := range changes {
			kinds[c.ref] = c.kind
		}
		for _, it := range items {
			kind := kinds[it.ref]
			if i == 0 {
				kind = New
			}
			site.Records = append(site.Records, it.record(kind, p))
		}
		return err
	})
	if err == nil && !found {
		err = ErrNoArchive
	}
	return site, err
}
