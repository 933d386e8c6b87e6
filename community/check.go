package community

import (
	"bytes"
	"errors"
	"fmt"

	"relais/community/audit"
	"relais/internal/store"
)

// Check reads every record of this package in community.db and returns the numbers of
// reports, validations and bugs. The error names the first records that cannot be used. A
// nil db is a missing file.
func Check(db *store.DB) (reports, validations, bugs int, err error) {
	if db == nil {
		return 0, 0, 0, nil
	}
	var found store.Problems
	err = db.View(func(tx *store.Tx) error {
		tx.LeaveOut(found.Add)
		if _, problems := audit.Check(tx); len(problems) > 0 {
			found.Add(errors.Join(problems...))
		}
		return errors.Join(store.Each(tx, reportsBucket, func(k, v []byte) error {
			reports++
			r, err := parseReport(k, v)
			if found.Add(err); err == nil {
				found.Add(r.check(tx, k))
			}
			return nil
		}), store.Each(tx, tokensBucket, func(k, v []byte) error {
			if !tx.Bucket([]byte(reportsBucket)).Has(v) {
				found.Add(fmt.Errorf("a token of the outage report %x, which is missing", v))
			}
			return nil
		}), store.Each(tx, validationsBucket, func(k, v []byte) error {
			validations++
			_, err := parseValidation(k, v)
			found.Add(err)
			return nil
		}), store.Each(tx, bugsBucket, func(k, v []byte) error {
			bugs++
			_, err := parseBug(k, v)
			found.Add(err)
			return nil
		}))
	})
	return reports, validations, bugs, errors.Join(found.Err(), err)
}

func (r *reportRecord) check(tx *store.Tx, k []byte) error {
	if r.Confirms < len(r.Confirmers) || (r.State == Confirmed) != (r.Confirms >= NeededConfirmations) && r.open() {
		return fmt.Errorf("outage report %s: %s with %d confirmations of %d users", r.ID, r.State, r.Confirms,
			len(r.Confirmers))
	}
	if r.Token != nil && !bytes.Equal(tx.Bucket([]byte(tokensBucket)).Get(r.Token), k) {
		return fmt.Errorf("outage report %s: it is not found by its token", r.ID)
	}
	return nil
}
