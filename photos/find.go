package photos

import (
	"bytes"
	"errors"
	"sync"

	"relais/internal/fold"
	"relais/internal/store"
)

// A Brief is the searchable part of a photo.
type Brief struct {
	SiteKey, Operator string
	Caption           string // folded
	key               [keySize]byte
}

// briefs are the briefs of the photos that are shown, the newest first, in one version of the
// store.
type briefs struct {
	mu      sync.Mutex
	version string // "" before they are read
	list    []Brief
}

// Find returns a page of the photos that are shown and that keep selects, the newest first, and
// their number. The first call reads the record of every photo, some ten microseconds each. Later
// calls work on what is in memory, and read only the records that were added since.
func (s *Store) Find(keep func(*Brief) bool, limit, offset int) (list []*Photo, total int, err error) {
	all, err := s.shown()
	if err != nil {
		return nil, 0, err
	}
	var page []*Brief
	for i := range all {
		if !keep(&all[i]) {
			continue
		}
		if total++; total > offset && len(page) < limit {
			page = append(page, &all[i])
		}
	}
	list = []*Photo{}
	err = s.viewList(func(tx *store.Tx) error {
		for _, b := range page {
			p, err := get(tx, b.key[:])
			switch {
			case errors.Is(err, ErrNoPhoto) || errors.Is(err, store.ErrDamaged) ||
				err == nil && p.Hidden != nil: // just now
				total--
			case err != nil:
				return err
			default:
				list = append(list, p)
			}
		}
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	return list, total, nil
}

// shown returns the photos that are shown, the newest first. They must not be changed.
func (s *Store) shown() ([]Brief, error) {
	b := &s.briefs
	b.mu.Lock()
	defer b.mu.Unlock()
	version := s.Version() // before it is read: what is changed meanwhile is read again
	if b.version == version {
		return b.list, nil
	}
	var list []Brief
	if err := s.viewList(func(tx *store.Tx) (err error) {
		list, err = briefsOf(tx, b.list)
		return err
	}); err != nil {
		return nil, err
	}
	b.version, b.list = version, list
	return list, nil
}

// briefsOf reads the briefs that known lacks. Both lists have the newest first.
func briefsOf(tx *store.Tx, known []Brief) (list []Brief, err error) {
	list = make([]Brief, 0, len(known)+1)
	err = backwards(tx.Bucket([]byte(photosBucket)), nil, func(k, _ []byte) error {
		for len(known) > 0 && bytes.Compare(known[0].key[:], k) > 0 {
			known = known[1:] // it is gone
		}
		switch {
		case tx.Value(hiddenBucket, k) != nil:
			return nil
		case len(known) > 0 && bytes.Equal(known[0].key[:], k):
			list = append(list, known[0])
			return nil
		}
		p, err := get(tx, k)
		if errors.Is(err, store.ErrDamaged) { // relais check names it
			return nil
		}
		if err != nil {
			return err
		}
		list = append(list, Brief{p.SiteKey, p.Operator, fold.String(p.Caption), [keySize]byte(k)})
		return nil
	})
	return list, err
}
