package outage

import (
	"bytes"
	"errors"
	"fmt"

	"go.etcd.io/bbolt"

	"relais/store"
)

// Check reads every record of community.db that is this package's, and returns the
// numbers of unavailable sites and reports. The error tells the first of what cannot be
// used. nil is a file that is not there.
func Check(db *store.DB) (entries, reports int, err error) {
	if db == nil {
		return 0, 0, nil
	}
	var found store.Problems
	err = db.View(func(tx *bbolt.Tx) error {
		return errors.Join(
			store.Each(tx, feedsBucket, func(k, _ []byte) error {
				d, err := readFeed(tx, k)
				if found.Add(err); err == nil {
					entries += len(d.entries)
					found.Add(d.check())
				}
				return nil
			}),
			store.Each(tx, entriesBucket, func(k, _ []byte) error {
				if tx.Bucket([]byte(feedsBucket)).Get(k) == nil {
					found.Add(fmt.Errorf("unavailable sites of %q: they have no feed", k))
				}
				return nil
			}),
			store.Each(tx, reportsBucket, func(k, v []byte) error {
				reports++
				r, err := parseRecord(k, v)
				if found.Add(err); err == nil {
					found.Add(r.check(tx, k))
				}
				return nil
			}),
			store.Each(tx, tokensBucket, func(k, v []byte) error {
				if text := tx.Bucket([]byte(reportsBucket)).Get(v); text == nil {
					found.Add(fmt.Errorf("a token of the outage report %x: there is none", v))
				}
				return nil
			}))
	})
	return entries, reports, errors.Join(found.Err(), err)
}

// check tells whether the numbers of a feed add up.
func (d *feedData) check() error {
	rejected := 0
	for _, n := range d.Rejected {
		rejected += n
	}
	if d.Served != len(d.entries) || d.Rows != d.Served+rejected {
		return fmt.Errorf("feed %s: %d rows, %d served, %d rejected, and %d sites", feedID(d.Market, d.Operator), d.Rows, d.Served, rejected, len(d.entries))
	}
	return nil
}

func (r *record) check(tx *bbolt.Tx, k []byte) error {
	if r.Confirms < len(r.Confirmers) || (r.State == Confirmed) != (r.Confirms >= NeededConfirmations) && r.open() {
		return fmt.Errorf("outage report %s: %s with %d confirmations of %d users", r.ID, r.State, r.Confirms, len(r.Confirmers))
	}
	if r.Token != nil && !bytes.Equal(tx.Bucket([]byte(tokensBucket)).Get(r.Token), k) {
		return fmt.Errorf("outage report %s: it is not found by its token", r.ID)
	}
	return nil
}
