package community

import (
	"errors"

	"relais/store"
)

// Check reads every record of community.db that is this package's, and returns the
// numbers of validations and bugs. The error tells the first of what cannot be used. nil
// is a file that is not there.
func Check(db *store.DB) (validations, bugs int, err error) {
	if db == nil {
		return 0, 0, nil
	}
	var found store.Problems
	err = db.View(func(tx *store.Tx) error {
		tx.LeaveOut(found.Add)
		return errors.Join(store.Each(tx, validationsBucket, func(k, v []byte) error {
			validations++
			_, err := parseRecord(k, v)
			found.Add(err)
			return nil
		}), store.Each(tx, bugsBucket, func(k, v []byte) error {
			bugs++
			_, err := parseBug(k, v)
			found.Add(err)
			return nil
		}))
	})
	return validations, bugs, errors.Join(found.Err(), err)
}
