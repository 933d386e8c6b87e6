package community

import (
	"time"

	"relais/store"
)

// retained is how many records are removed at a time: other changes wait that long.
const retained = 1000

// Retain removes the validations whose last day, and the bugs whose last news, is older
// than keep, and returns how many. What the file still has of them goes when it is
// compacted. What is removed before an error stays removed. Errors: ErrReadOnly, those of
// the store.
func (s *Store) Retain(keep time.Duration) (removed int, err error) {
	before := s.now().Add(-keep)
	for {
		n, err := s.removeOld(before)
		if removed += n; err != nil || n < retained {
			return removed, err
		}
	}
}

// removeOld removes some of what is older. What cannot be read stays, for its owner to see.
func (s *Store) removeOld(before time.Time) (n int, err error) {
	var validations, bugs []string
	sites := map[string]string{}
	err = s.update(func(tx *store.Tx) error {
		tx.LeaveOut(func(error) {})
		store.Each(tx, validationsBucket, func(k, v []byte) error { // which returns no error
			if r, err := parseRecord(k, v); err == nil && r.LastDay < before.UTC().Format(time.DateOnly) &&
				len(validations) < retained {
				validations, sites[r.ID] = append(validations, r.ID), r.SiteKey
			}
			return nil
		})
		store.Each(tx, bugsBucket, func(k, v []byte) error {
			if b, err := parseBug(k, v); err == nil && b.last().Before(before) &&
				len(validations)+len(bugs) < retained {
				bugs = append(bugs, b.ID)
			}
			return nil
		})
		if n = len(validations) + len(bugs); n == 0 {
			return nil
		}
		for bucket, ids := range map[string][]string{validationsBucket: validations, bugsBucket: bugs} {
			for _, id := range ids {
				if err := tx.Bucket([]byte(bucket)).Delete([]byte(id)); err != nil {
					return err
				}
			}
		}
		return store.MarkDeleted(tx)
	}, func() {
		s.bugs -= len(bugs)
		for id, site := range sites {
			s.hide(site, id)
		}
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}
