package archive

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"

	"relais/internal/store"
)

// errStop ends a walk that yields no more.
var errStop = errors.New("stop")

// A View is a query of the archives. It holds no transaction, and is for one reader at a time.
type View struct {
	Date   string // of the publication, YYYY-MM-DD
	Before string // of the one that it is compared with, "" for none
	// Synthetic reports that the publication was made up for a demonstration.
	Synthetic bool

	fetch   fetch
	sel     selection
	only    []uint32     // supports; nil for all
	kinds   map[ref]Kind // of the rows that have one; of the others it is kind
	kind    Kind
	updated [2]string
	site    Site // that is shown
}

// find returns the publication of a date and the one before it, nil without one. Errors:
// ErrNoArchive.
func find(tx *store.Tx, date string) (p, before *Publication, err error) {
	all, err := publications(tx)
	if err != nil {
		return nil, nil, err
	}
	before, p, _ = neighbours(all, date)
	if p == nil {
		return nil, nil, fmt.Errorf("%.40q: %w", date, ErrNoArchive)
	}
	return p, before, nil
}

// Changes returns what the publication of a date changed: the records that are new, added,
// activated or deleted, by site, ascending. In the oldest publication all are new. The View holds
// the list of changes and a block of rows of each segment in memory. Errors: ErrNoArchive,
// errDamaged.
func (s *Store) Changes(date string) (*View, error) {
	return s.open(func(tx *store.Tx) (*View, error) {
		p, before, err := find(tx, date)
		switch {
		case err != nil:
			return nil, err
		case before == nil:
			return wholeView(tx, p, nil)
		}
		changes, err := changesOf(tx, p)
		if err != nil {
			return nil, err
		}
		return changesView(tx, before, p,
			slices.DeleteFunc(changes, func(c rowChange) bool { return c.kind.Type() == "" }))
	})
}

// Whole returns the publication of a date, by site, ascending. Kind says what was new, added,
// activated or changed in it. The View holds 4 bytes for each row of the publication's segments in
// memory, and a block of rows of each segment: 50 MB for the 81st publication of national size.
// Errors are as for Changes.
func (s *Store) Whole(date string) (*View, error) {
	return s.open(func(tx *store.Tx) (*View, error) {
		p, before, err := find(tx, date)
		if err != nil {
			return nil, err
		}
		return wholeView(tx, p, before)
	})
}

// wholeView shows all of a publication; before is nil for the oldest.
func wholeView(tx *store.Tx, p, before *Publication) (*View, error) {
	v := &View{Date: p.Date, Synthetic: p.Synthetic, site: Site{Columns: p.Columns}, sel: selection{},
		kinds:   map[ref]Kind{},
		updated: [2]string{"", p.Updated}}
	if before == nil {
		v.kind = New
	} else {
		v.Before = before.Date
	}
	changes, err := changesOf(tx, p)
	if err != nil {
		return nil, err
	}
	for _, c := range changes {
		if !c.kind.old() {
			v.kinds[c.ref] = c.kind
		}
	}
	return v, v.sel.pickAll(tx, 1, p)
}

// changesView shows the rows of changes, which are sorted by support.
func changesView(tx *store.Tx, before, p *Publication, changes []rowChange) (*View, error) {
	v := &View{Date: p.Date, Synthetic: p.Synthetic, site: Site{Columns: p.Columns}, Before: before.Date, sel: selection{},
		only:  []uint32{},
		kinds: map[ref]Kind{}, updated: [2]string{before.Updated, p.Updated}}
	for _, c := range changes {
		side := 1
		if c.kind.old() {
			side = 0
		}
		if err := v.sel.pick(tx, side, c.ref, c.id); err != nil {
			return nil, err
		}
		v.kinds[c.ref] = c.kind
		if n := len(v.only); n == 0 || v.only[n-1] != c.support {
			v.only = append(v.only, c.support)
		}
	}
	return v, nil
}

// open opens a view within a transaction.
func (s *Store) open(fn func(*store.Tx) (*View, error)) (v *View, err error) {
	if s.db == nil {
		return nil, ErrNoArchive
	}
	err = s.view(func(tx *store.Tx) error {
		v, err = fn(tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	v.fetch = s.fetch
	return v, nil
}

// All yields the sites. An error comes last: errDamaged, errReplaced.
func (v *View) All() iter.Seq2[*Site, error] {
	return func(yield func(*Site, error) bool) {
		err := walk(v.fetch, v.sel, v.only, func(support uint32, items []item) error {
			site := v.show(support, items)
			if site != nil && !yield(site, nil) {
				return errStop
			}
			return nil
		})
		if err != nil && err != errStop {
			yield(nil, err)
		}
	}
}

func (v *View) show(support uint32, items []item) *Site {
	if len(items) == 0 {
		return nil
	}
	slices.SortStableFunc(items, func(a, b item) int {
		return cmp.Compare(max(a.picked[0], a.picked[1]), max(b.picked[0], b.picked[1]))
	})
	site := &v.site
	site.ID, site.Records = decimal(support), site.Records[:0]
	for i := range items {
		it := &items[i]
		kind, ok := v.kinds[it.ref]
		if !ok {
			kind = v.kind
		}
		side := 1
		if kind.old() {
			side = 0
		}
		site.Records = append(site.Records, it.block.record(it.row, kind, it.picked[side]-1, v.updated[side]))
	}
	return site
}
