package archive

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/cespare/xxhash/v2"

	"relais/internal/store"
)

// A supportQuery is a question about one support within a transaction. It reads only values that
// have rows of the support.
type supportQuery struct {
	*Store
	tx      *store.Tx
	support uint32
	all     []Publication // oldest first
	rows    map[ref]item  // of the support, that any publication has
}

// ask calls fn with a query of a support. Errors: ErrNoArchive for an invalid sup_id, errDamaged,
// those of fn.
func (s *Store) ask(support string, fn func(*supportQuery) error) error {
	number, ok := supportNumber(support)
	if !ok {
		return fmt.Errorf("no support number: %.40q: %w", support, ErrNoArchive)
	}
	return s.view(func(tx *store.Tx) (err error) {
		a := &supportQuery{Store: s, tx: tx, support: number, rows: map[ref]item{}}
		if a.all, err = s.publicationsIn(tx); err == nil {
			err = a.find()
		}
		if err != nil {
			return err
		}
		return fn(a)
	})
}

// find finds the rows of the support in all publications.
func (a *supportQuery) find() error {
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
func (a *supportQuery) findIn(segment uint32) error {
	key, sealed, err := fetchIn(a.tx)(segment, a.support)
	if key == nil || err != nil {
		return err
	}
	name, err := nameOf(sealed)
	if err != nil {
		return err
	}
	open := func(context.Context) (*block, error) { return openBlock(key, sealed) }
	supports, err := a.memory.supports.Make(context.Background(), name, func(ctx context.Context) ([]uint32, error) {
		b, err := open(ctx)
		if err != nil {
			return nil, err
		}
		return slices.Clip(slices.Compact(slices.Clone(b.supports))), nil
	})
	if err != nil {
		return err
	}
	if _, has := slices.BinarySearch(supports, a.support); !has {
		return nil
	}
	shared, err := a.memory.blocks.Make(context.Background(), name, open)
	if err != nil {
		return err
	}
	b := *shared // it remembers the last place
	row, _ := slices.BinarySearch(b.supports, a.support)
	for ; row < len(b.supports) && b.supports[row] == a.support; row++ {
		at := ref{segment, b.ranks[row]}
		a.rows[at] = item{ref: at, block: &b, row: row}
	}
	return nil
}

// size returns about how many bytes of memory the block takes.
func (b *block) size() (n int) {
	n = 4 * (len(b.ranks) + len(b.supports))
	for i, texts := range b.texts {
		n += 4*len(b.codes[i]) + 16*len(texts)
		for _, text := range texts {
			n += len(text)
		}
	}
	return n
}

// publicationsIn returns all publications, oldest first. The list is shared.
func (s *Store) publicationsIn(tx *store.Tx) ([]Publication, error) {
	b := tx.Bucket([]byte(publicationsBucket))
	if b == nil {
		return nil, nil
	}
	var names []byte
	err := b.ForEach(func(_, sealed []byte) error {
		name, err := nameOf(sealed)
		names = binary.BigEndian.AppendUint64(names, name)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.memory.publications.Make(context.Background(), xxhash.Sum64(names),
		func(context.Context) ([]Publication, error) { return publications(tx) })
}

// publicationsSize returns about how many bytes of memory the list takes.
func publicationsSize(all []Publication) (n int) {
	for _, p := range all {
		n += 200 + 4*len(p.Segments)
	}
	return n
}

// changes returns the changes of the support in a publication.
func (a *supportQuery) changes(p *Publication) (found []rowChange, err error) {
	b := a.tx.Bucket([]byte(changesBucket))
	if b == nil {
		return nil, nil
	}
	key, sealed := b.Cursor().Seek(pairKey(uint32(p.day()), a.support))
	if len(key) != 8 || numberIn(key) != uint32(p.day()) {
		return nil, nil
	}
	name, err := nameOf(sealed)
	if err != nil {
		return nil, err
	}
	list, err := a.memory.changes.Make(context.Background(), name, func(context.Context) ([]rowChange, error) {
		plain, err := unseal(changesBucket, key, sealed)
		if err != nil {
			return nil, err
		}
		return readChanges(plain)
	})
	if err != nil {
		return nil, err
	}
	i, _ := slices.BinarySearchFunc(list, a.support,
		func(c rowChange, support uint32) int { return cmp.Compare(c.support, support) })
	for ; i < len(list) && list[i].support == a.support; i++ {
		if _, ok := a.rows[list[i].ref]; !ok {
			return nil, damaged("the changes of " + p.Date)
		}
		found = append(found, list[i])
	}
	return found, nil
}

// rowsAt returns the rows of the support in a publication, by operator, system and station.
func (a *supportQuery) rowsAt(p *Publication) (items []item, err error) {
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

// byKey orders rows by key, then by where they are stored.
func byKey(a, b item) int {
	x, y := a.content(), b.content()
	return cmp.Or(cmp.Compare(x[inOperator], y[inOperator]), cmp.Compare(x[inSystem], y[inSystem]),
		cmp.Compare(x[inStation], y[inStation]),
		cmp.Compare(a.segment, b.segment), cmp.Compare(a.rank, b.rank))
}

// publicationOn returns the publication of a date and its position. Errors: ErrNoArchive.
func (a *supportQuery) publicationOn(date string) (int, error) {
	i := slices.IndexFunc(a.all, func(p Publication) bool { return p.Date == date })
	if i < 0 {
		return 0, fmt.Errorf("%.40q: %w", date, ErrNoArchive)
	}
	return i, nil
}

// record returns a row as a publication has it, without id.
func (it *item) record(kind Kind, p *Publication) Record {
	return it.block.record(it.row, kind, 0, p.Updated)
}

// SiteAt returns the rows of a support in the publication of a date, by operator, system and
// station, without id. Kind says what was new, added, activated or changed in it. A support that
// the publication lacks has no rows. Errors: ErrNoArchive for an invalid sup_id and an unknown
// date, errDamaged.
func (s *Store) SiteAt(support, date string) (*Site, error) {
	site, found := &Site{ID: support}, false
	err := s.ask(support, func(a *supportQuery) error {
		i, err := a.publicationOn(date)
		if err != nil {
			return err
		}
		found = true
		p := &a.all[i]
		site.Columns = p.Columns
		items, err := a.rowsAt(p)
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
