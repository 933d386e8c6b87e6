package archive

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"

	"go.etcd.io/bbolt"

	"relais/geo"
)

// errStop ends a walk whose reader has enough.
var errStop = errors.New("stop")

// Find returns the publication of a date, as YYYY-MM-DD. Errors: ErrNoArchive.
func (s *Store) Find(date string) (p *Publication, err error) {
	err = s.view(func(tx *bbolt.Tx) error {
		p, _, err = find(tx, date)
		return err
	})
	if err == nil && p == nil {
		err = fmt.Errorf("%.40q: %w", date, ErrNoArchive)
	}
	return p, err
}

// find also returns the publication before, nil for none.
func find(tx *bbolt.Tx, date string) (p, before *Publication, err error) {
	all, err := publications(tx)
	if err != nil {
		return nil, nil, err
	}
	before, p, _ = around(all, date)
	if p == nil {
		return nil, nil, fmt.Errorf("%.40q: %w", date, ErrNoArchive)
	}
	return p, before, nil
}

// Changes yields what the publication of a date changed: the records that are new,
// added, activated or deleted, by site, ascending. All of the oldest one is new. It
// holds the list of changes and a block of rows of each segment in memory, and no
// transaction. An error comes last: ErrNoArchive (first, then), ErrDamaged,
// ErrReplaced.
func (s *Store) Changes(date string) iter.Seq2[*Site, error] {
	return s.sites(func(tx *bbolt.Tx) (*view, error) {
		p, before, err := find(tx, date)
		switch {
		case err != nil:
			return nil, err
		case before == nil:
			return wholeView(tx, p, nil)
		}
		changes, err := changesOf(tx, p, 0)
		if err != nil {
			return nil, err
		}
		return changesView(tx, before, p, slices.DeleteFunc(changes, func(c change) bool { return c.kind.Type() == "" }))
	}, nil)
}

// Whole yields the whole publication of a date, by site, ascending; Kind says what was
// new, added, activated or changed in it. It holds 4 bytes for each row of its segments
// and a block of rows of each of them in memory, of the 81st publication of national
// size 50 MB, and no transaction. Errors are as for Changes.
func (s *Store) Whole(date string) iter.Seq2[*Site, error] { return s.whole(date, nil) }

// Sites yields the sites of a publication that stand in a box, whole; errors are as
// for Changes.
func (s *Store) Sites(date string, box geo.Box) iter.Seq2[*Site, error] {
	return s.whole(date, func(r *Record) bool {
		p, ok := r.Point()
		return ok && box.Contains(p)
	})
}

func (s *Store) whole(date string, keep func(first *Record) bool) iter.Seq2[*Site, error] {
	return s.sites(func(tx *bbolt.Tx) (*view, error) {
		p, before, err := find(tx, date)
		if err != nil {
			return nil, err
		}
		return wholeView(tx, p, before)
	}, keep)
}

// Compare yields what differs from one date to another, in either order of time: every
// record that is new, added, activated or changed, as it is then, and every one that
// is deleted or replaced, as it was. Errors are as for Changes.
func (s *Store) Compare(from, to string) iter.Seq2[*Site, error] {
	return s.sites(func(tx *bbolt.Tx) (*view, error) {
		a, _, err := find(tx, from)
		if err != nil {
			return nil, err
		}
		b, _, err := find(tx, to)
		if err != nil {
			return nil, err
		}
		sel := selection{}
		if err := errors.Join(sel.pickAll(tx, 0, a), sel.pickAll(tx, 1, b)); err != nil {
			return nil, err
		}
		return &view{sel: sel, updated: [2]string{a.Updated, b.Updated}, compare: a.Repeated+b.Repeated > 0, differs: true}, nil
	}, nil)
}

// A view is what of which rows is to be shown.
type view struct {
	sel     selection
	only    []uint32     // supports; nil for all
	kinds   map[ref]Kind // of the rows that have one; of the others it is kind
	kind    Kind
	updated [2]string
	differs bool // sel is two publications, whose difference is to be shown
	compare bool // they have keys of several rows
	site    Site // that is shown
}

// wholeView is all of a publication; before is nil for the oldest.
func wholeView(tx *bbolt.Tx, p, before *Publication) (*view, error) {
	v := &view{sel: selection{}, kinds: map[ref]Kind{}, updated: [2]string{"", p.Updated}}
	if before == nil {
		v.kind = New
	}
	changes, err := changesOf(tx, p, 0)
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

// changesView is the rows of changes, which are by support.
func changesView(tx *bbolt.Tx, before, p *Publication, changes []change) (*view, error) {
	v := &view{sel: selection{}, only: []uint32{}, kinds: map[ref]Kind{}, updated: [2]string{before.Updated, p.Updated}}
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

// sites yields what a view shows; keep tells by a site's first record whether it is
// wanted.
func (s *Store) sites(open func(*bbolt.Tx) (*view, error), keep func(first *Record) bool) iter.Seq2[*Site, error] {
	return func(yield func(*Site, error) bool) {
		if s.db == nil {
			yield(nil, ErrNoArchive)
			return
		}
		var v *view
		err := s.view(func(tx *bbolt.Tx) (err error) {
			v, err = open(tx)
			return err
		})
		if err == nil && v.differs {
			err = s.differences(v)
		}
		if err == nil {
			err = walk(s.fetch, v.sel, v.only, func(support uint32, items []item) error {
				site := v.show(support, items, keep)
				if site != nil && !yield(site, nil) {
					return errStop
				}
				return nil
			})
		}
		if err != nil && err != errStop {
			yield(nil, err)
		}
	}
}

// differences makes a view of two publications one of what differs.
func (s *Store) differences(v *view) error {
	changes, err := diff(s.fetch, v.sel, v.compare)
	if err != nil {
		return err
	}
	return s.view(func(tx *bbolt.Tx) error {
		shown, err := changesView(tx, &Publication{Updated: v.updated[0]}, &Publication{Updated: v.updated[1]}, changes)
		if err == nil {
			*v = *shown
		}
		return err
	})
}

func (v *view) show(support uint32, items []item, keep func(first *Record) bool) *Site {
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
		if i == 0 && keep != nil && !keep(&site.Records[0]) {
			return nil
		}
	}
	return site
}
