package photos

import (
	"bytes"
	"errors"
	"slices"

	"relais/internal/store"
	"relais/market"
)

// List returns a page of the shown photos of a site, the newest first, and their
// total. With operators it lists only those of one of them.
func (s *Store) List(siteKey string, operators []string, limit, offset int) ([]*Photo, int, error) {
	return s.page(sitesBucket, sitePrefix(siteKey), limit, offset, shownOf(operators))
}

// shownOf returns a filter for the entries of a site. It selects photos that are shown, of one of
// the operators; nil selects all.
func shownOf(operators []string) func(value []byte) bool {
	return func(v []byte) bool {
		return len(v) > 0 && v[0] == visible && (operators == nil || slices.Contains(operators, string(v[1:])))
	}
}

// ListSites returns the results of List for several sites one after the other, at most limit
// photos in all.
func (s *Store) ListSites(siteKeys, operators []string, limit int) (list []*Photo, total int, err error) {
	err = s.viewList(func(tx *store.Tx) error {
		b := tx.Bucket([]byte(sitesBucket))
		if b == nil {
			return nil
		}
		c, prefix := b.Cursor(), []byte(nil)
		for _, key := range siteKeys {
			prefix = append(append(prefix[:0], key...), 0)
			if k, _ := c.Seek(prefix); !bytes.HasPrefix(k, prefix) {
				continue // like most sites
			}
			some, n, err := pageIn(tx, sitesBucket, prefix, limit-len(list), 0, shownOf(operators))
			if err != nil {
				return err
			}
			list, total = append(list, some...), total+n
		}
		return nil
	})
	return list, total, err
}

// A Filter selects photos for a moderator. Its zero value selects all.
type Filter struct {
	SiteKey string      `json:"siteKey,omitempty"`
	Market  market.Code `json:"market,omitempty"`
	Hidden  bool        `json:"hidden,omitempty"` // only those that are not shown
	State   State       `json:"state,omitempty"`  // only those in this state
}

func (f *Filter) wants(p *Photo) bool {
	return (f.SiteKey == "" || p.SiteKey == f.SiteKey) && (f.Market == "" || market.OfSiteKey(p.SiteKey) == f.Market) &&
		(!f.Hidden || p.Hidden != nil) && (f.State == "" || p.State() == f.State)
}

// All returns a page of photos, including hidden ones, the newest first, and their total. Photos that
// are held are in the order in which they wait: the oldest first. Without an index for what is asked,
// it reads every record, some ten microseconds each.
func (s *Store) All(f Filter, limit, offset int) (list []*Photo, total int, err error) {
	bucket, prefix := photosBucket, []byte(nil)
	switch {
	case f.SiteKey != "":
		bucket, prefix = sitesBucket, sitePrefix(f.SiteKey)
	case f.Hidden || f.State == Held || f.State == Concealed:
		bucket = hiddenBucket
	case f == Filter{}:
		return s.page(bucket, prefix, limit, offset, func([]byte) bool { return true })
	}
	list = []*Photo{}
	err = s.viewList(func(tx *store.Tx) error {
		take := func(k, _ []byte) error {
			p, err := get(tx, idIn(k))
			if errors.Is(err, store.ErrDamaged) { // relais check names it
				return nil
			}
			if err != nil || !f.wants(p) {
				return err
			}
			if total++; total > offset && len(list) < limit {
				list = append(list, p)
			}
			return nil
		}
		b := tx.Bucket([]byte(bucket))
		if b != nil && f.State == Held && f.SiteKey == "" {
			return b.ForEach(take)
		}
		return backwards(b, prefix, take)
	})
	if err != nil {
		return nil, 0, err
	}
	return list, total, nil
}

// Held returns how many photos wait for a moderator.
func (s *Store) Held() (n int, err error) {
	err = s.viewList(func(tx *store.Tx) error {
		return store.Each(tx, hiddenBucket, func(_, v []byte) error {
			if string(v) == string(Held) {
				n++
			}
			return nil
		})
	})
	return n, err
}

const keySize = 16 // bytes

// idIn returns the id at the end of a key.
func idIn(key []byte) []byte { return key[max(0, len(key)-keySize):] }

// page returns a page of photos, and their number. Each photo's id ends a key of the bucket. The
// page goes from the last key with the prefix to the first, over the entries that keep selects.
func (s *Store) page(bucket string, prefix []byte, limit, offset int, keep func(value []byte) bool) (list []*Photo,
	total int, err error) {
	list = []*Photo{} // also without a file of photos
	err = s.viewList(func(tx *store.Tx) (err error) {
		list, total, err = pageIn(tx, bucket, prefix, limit, offset, keep)
		return err
	})
	return list, total, err
}

// pageIn is page within a transaction.
func pageIn(tx *store.Tx, bucket string, prefix []byte, limit, offset int, keep func(value []byte) bool) (list []*Photo,
	total int, err error) {
	list = []*Photo{}
	err = backwards(tx.Bucket([]byte(bucket)), prefix, func(k, v []byte) error {
		if len(k) != len(prefix)+keySize || !keep(v) {
			return nil
		}
		if total++; total <= offset || len(list) >= limit {
			return nil
		}
		p, err := get(tx, k[len(prefix):])
		if errors.Is(err, store.ErrDamaged) { // relais check names it
			total--
			return nil
		}
		list = append(list, p)
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	return list, total, nil
}

// backwards calls f for the entries whose keys begin with prefix, the last first.
func backwards(b *store.Bucket, prefix []byte, f func(k, v []byte) error) error {
	if b == nil {
		return nil
	}
	c := b.Cursor()
	k, v := seekLast(c, prefix)
	for ; k != nil && bytes.HasPrefix(k, prefix); k, v = c.Prev() {
		if err := f(k, v); err != nil {
			return err
		}
	}
	return nil
}

// seekLast moves to the last key that begins with prefix, or to the key before its place.
// A prefix does not end with 0xFF.
func seekLast(c *store.Cursor, prefix []byte) (k, v []byte) {
	if len(prefix) == 0 {
		return c.Last()
	}
	after := bytes.Clone(prefix)
	after[len(after)-1]++
	if k, _ := c.Seek(after); k == nil {
		return c.Last()
	}
	return c.Prev()
}
