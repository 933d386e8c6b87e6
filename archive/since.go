package archive

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/cespare/xxhash/v2"

	"relais/internal/store"
)

// Since is what editions after a date changed.
type Since struct {
	// Whole means that no edition of the date or before it is kept, so that any support may have
	// changed since. Editions is then empty.
	Whole    bool
	Editions []string // dates of the editions after the date, oldest first
	store    *Store
}

// Since returns what the editions after a date changed, up to that of the date current. Dates are
// YYYY-MM-DD. Errors: ErrNoArchive when the edition current is not kept and date is before it.
func (s *Store) Since(date, current string) (Since, error) {
	since := Since{store: s}
	if date >= current {
		return since, nil
	}
	dates, _, err := s.Dates()
	if err != nil {
		return since, err
	}
	last, found := slices.BinarySearch(dates, current)
	if !found {
		return since, fmt.Errorf("%.40q: %w", current, ErrNoArchive)
	}
	if since.Whole = date < dates[0]; since.Whole {
		return since, nil
	}
	first, same := slices.BinarySearch(dates, date)
	if same {
		first++
	}
	since.Editions = dates[first : last+1]
	return since, nil
}

// Supports returns the supports of the rows that differ between one of the editions and the edition
// before it, in either, ascending. They are all supports with a change: one that was changed
// and changed back counts. Errors: ErrNoArchive, errDamaged, those of ctx.
func (s Since) Supports(ctx context.Context) (all []uint32, err error) {
	for _, date := range s.Editions {
		changed, err := s.store.changedOn(ctx, date)
		if err != nil {
			return nil, err
		}
		all = append(all, changed...)
	}
	slices.Sort(all)
	return slices.Clip(slices.Compact(all)), nil
}

// changedOn returns the supports that the edition of a date changed, ascending. The list is shared.
func (s *Store) changedOn(ctx context.Context, date string) (list []uint32, err error) {
	err = s.view(func(tx *store.Tx) error {
		p, _, err := find(tx, date)
		if err != nil {
			return err
		}
		name, err := nameOfChanges(tx, p)
		if err != nil {
			return err
		}
		list, err = s.memory.changed.get(ctx, name, func() ([]uint32, int, error) {
			changes, err := changesOf(tx, p, 0)
			var list []uint32
			for _, c := range changes {
				if n := len(list); n == 0 || list[n-1] != c.support {
					list = append(list, c.support)
				}
			}
			list = slices.Clip(list)
			return list, 64 + 4*len(list), err
		})
		return err
	})
	return list, err
}

// nameOfChanges is a name of the stored changes of a publication. Errors: errDamaged.
func nameOfChanges(tx *store.Tx, p *Publication) (uint64, error) {
	b := tx.Bucket([]byte(changesBucket))
	if b == nil {
		return 0, nil
	}
	names := numberKeyOf(uint32(p.day()))
	c := b.Cursor()
	for k, sealed := c.Seek(pairKey(uint32(p.day()), 0)); len(k) == 8 && numberIn(k) == uint32(p.day()); k, sealed = c.Next() {
		name, err := nameOf(sealed)
		if err != nil {
			return 0, err
		}
		names = binary.BigEndian.AppendUint64(names, name)
	}
	return xxhash.Sum64(names), nil
}
