package outage

import (
	"errors"
	"fmt"

	"relais/internal/store"
)

// Check reads every record of this package in community.db and returns the number of
// unavailable sites. The error names the first records that cannot be used. A nil db is a
// missing file.
func Check(db *store.DB) (entries int, err error) {
	if db == nil {
		return 0, nil
	}
	var found store.Problems
	err = db.View(func(tx *store.Tx) error {
		tx.LeaveOut(found.Add)
		return errors.Join(
			store.EachKey(tx, feedsBucket, func(k []byte) error {
				d, err := readFeed(tx, k)
				if found.Add(err); err == nil {
					entries += len(d.entries)
					found.Add(d.check())
				}
				return nil
			}),
			store.EachKey(tx, entriesBucket, func(k []byte) error {
				if !tx.Bucket([]byte(feedsBucket)).Has(k) {
					found.Add(fmt.Errorf("unavailable sites of %q: they have no feed", k))
				}
				return nil
			}))
	})
	return entries, errors.Join(found.Err(), err)
}

// check returns an error if the numbers of a feed do not add up.
func (d *feedData) check() error {
	rejected := 0
	for _, n := range d.Rejected {
		rejected += n
	}
	if d.Served != len(d.entries) || d.Rows != d.Served+rejected {
		return fmt.Errorf("feed %s: %d rows, %d served, %d rejected, and %d sites", feedID(d.Market, d.Operator),
			d.Rows, d.Served, rejected, len(d.entries))
	}
	return nil
}
