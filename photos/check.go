package photos

import (
	"bytes"
	"errors"
	"fmt"

	"relais/community/audit"
	"relais/internal/store"
)

// eachKey calls f for every key of a bucket, outside of a transaction. Keys that are added
// or removed meanwhile may be left out.
func eachKey(db *store.DB, bucket string, f func(key []byte)) error {
	const some = 1000
	keys := make([][]byte, 0, some)
	var lost error
	for from := []byte{}; ; {
		keys = keys[:0]
		err := db.View(func(tx *store.Tx) error {
			tx.LeaveOut(func(err error) { lost = err })
			b := tx.Bucket([]byte(bucket))
			if b == nil {
				return nil
			}
			c := b.Cursor()
			for k, _ := c.Seek(from); k != nil && len(keys) < some; k, _ = c.Next() {
				keys = append(keys, bytes.Clone(k))
			}
			return nil
		})
		if err != nil {
			return err
		}
		for _, k := range keys {
			f(k)
		}
		if len(keys) < some {
			return lost
		}
		from = append(keys[some-1], 0)
	}
}

// CheckRecords reads every record of photos.db with its index entries, checks that
// the images of each photo exist, and returns the numbers of photos and reports.
// The error names the first problems.
func (s *Store) CheckRecords() (photos, reports int, err error) {
	if s.db == nil {
		return 0, 0, nil
	}
	var found store.Problems
	check := func(bucket string, n *int, check func(tx *store.Tx, k, v []byte) error) {
		found.Add(eachKey(s.db, bucket, func(k []byte) {
			found.Add(s.db.View(func(tx *store.Tx) error {
				v := tx.Value(bucket, k)
				if v == nil { // deleted meanwhile
					return nil
				}
				*n++
				return check(tx, k, v)
			}))
		}))
	}
	var entries int
	check(photosBucket, &photos, checkPhoto)
	check(reportsBucket, &reports, checkReport)
	check(sitesBucket, &entries, checkSite)
	check(hiddenBucket, &entries, checkHidden)
	check(reportIDsBucket, &entries, checkReportID)
	check(pendingBucket, &entries, checkReportID)
	found.Add(s.view(func(tx *store.Tx) error {
		_, problems := audit.Check(tx)
		return errors.Join(problems...)
	}))
	found.Add(eachKey(s.db, photosBucket, func(k []byte) { found.Add(s.hasImages(k)) }))
	return photos, reports, found.Err()
}

func checkPhoto(tx *store.Tx, k, _ []byte) error {
	p, err := get(tx, k)
	if err != nil {
		return err
	}
	at, want := p.siteEntry()
	if got := tx.Value(sitesBucket, at); !bytes.Equal(got, want) {
		return fmt.Errorf("photo %s: its site has no entry for it", p.ID)
	}
	if listed := tx.Value(hiddenBucket, k) != nil; listed != (p.Hidden != nil) {
		return fmt.Errorf("photo %s: hidden = %v, listed as hidden = %v", p.ID, p.Hidden != nil, listed)
	}
	if got, want := string(tx.Value(hiddenBucket, k)), p.listedAs(); got != want {
		return fmt.Errorf("photo %s: it is %s, but listed as %q", p.ID, p.State(), got)
	}
	return nil
}

func checkSite(tx *store.Tx, k, v []byte) error {
	at := idIn(k)
	p, err := get(tx, at)
	if err != nil {
		return fmt.Errorf("of a site: %s: %w", id(at), err)
	}
	if wantKey, want := p.siteEntry(); !bytes.Equal(wantKey, k) || !bytes.Equal(want, v) {
		return fmt.Errorf("photo %s: another site has an entry for it", p.ID)
	}
	return nil
}

func checkHidden(tx *store.Tx, k, _ []byte) error {
	if _, err := get(tx, k); err != nil {
		return fmt.Errorf("hidden: %s: %w", id(k), err)
	}
	return nil
}

func checkReport(tx *store.Tx, k, v []byte) error {
	r, err := parseReport(k, v)
	if err != nil {
		return err
	}
	if _, err := get(tx, key(r.PhotoID)); err != nil {
		return fmt.Errorf("report %s: %w", r.ID, err)
	}
	queued := tx.Value(pendingBucket, r.queueKey()) != nil
	if at := tx.Value(reportIDsBucket, key(r.ID)); !bytes.Equal(at, k) || queued != (r.Status == pending) {
		return fmt.Errorf("report %s, %s: it has no entry by its id, or is queued: %v", r.ID, r.Status, queued)
	}
	return nil
}

// checkReportID fails unless a report exists for a key that ends with its id.
func checkReportID(tx *store.Tx, k, _ []byte) error {
	if _, err := findReport(tx, idIn(k)); err != nil {
		return fmt.Errorf("report %s: %w", id(idIn(k)), err)
	}
	return nil
}
