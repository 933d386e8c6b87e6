package photos

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"relais/internal/store"
)

// List returns a page of the shown photos of a site, the newest first, and their
// total. With an operator it lists only those of the operator.
func (s *Store) List(siteKey, operator string, limit, offset int) ([]*Photo, int, error) {
	return s.page(sitesBucket, sitePrefix(siteKey), limit, offset, shownOf(operator))
}

// shownOf returns a filter for the entries of a site. It selects photos that are shown, of one of
// the operators, which are separated by commas; "" selects all operators.
func shownOf(operators string) func(value []byte) bool {
	keys := strings.Split(operators, ",")
	return func(v []byte) bool {
		return len(v) > 0 && v[0] == visible && (operators == "" || slices.Contains(keys, string(v[1:])))
	}
}

// ListSites returns the results of List for several sites one after the other, at most limit
// photos in all.
func (s *Store) ListSites(siteKeys []string, operator string, limit int) (list []*Photo, total int, err error) {
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
			some, n, err := pageIn(tx, sitesBucket, prefix, limit-len(list), 0, shownOf(operator))
			if err != nil {
				return err
			}
			list, total = append(list, some...), total+n
		}
		return nil
	})
	return list, total, err
}

// A Filter selects photos for a moderator.
type Filter struct {
	SiteKey string `json:"siteKey"` // "" for those of all sites
	Hidden  bool   `json:"hidden"`  // only those that are hidden
}

// All returns a page of photos, including hidden ones, the newest first, and their
// total.
func (s *Store) All(f Filter, limit, offset int) ([]*Photo, int, error) {
	bucket, prefix := photosBucket, []byte(nil)
	keep := func([]byte) bool { return true }
	switch {
	case f.SiteKey != "":
		bucket, prefix = sitesBucket, sitePrefix(f.SiteKey)
		keep = func(v []byte) bool { return !f.Hidden || len(v) > 0 && v[0] == hidden }
	case f.Hidden:
		bucket = hiddenBucket
	}
	return s.page(bucket, prefix, limit, offset, keep)
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
