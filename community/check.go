package community

import (
	"errors"
	"fmt"

	"go.etcd.io/bbolt"

	"relais/store"
)

const maxProblems = 10

// Check reads every record of community.db that is this package's, and returns the
// numbers of validations and bugs. The error tells the first of what cannot be used. nil
// is a file that is not there.
func Check(db *store.DB) (validations, bugs int, err error) {
	if db == nil {
		return 0, 0, nil
	}
	var problems []error
	more := 0
	add := func(err error) {
		if err != nil && len(problems) < maxProblems {
			problems = append(problems, err)
		} else if err != nil {
			more++
		}
	}
	err = db.View(func(tx *bbolt.Tx) error {
		return errors.Join(each(tx, validationsBucket, func(k, v []byte) error {
			validations++
			_, err := parseRecord(k, v)
			add(err)
			return nil
		}), each(tx, bugsBucket, func(k, v []byte) error {
			bugs++
			_, err := parseBug(k, v)
			add(err)
			return nil
		}))
	})
	if more > 0 {
		problems = append(problems, fmt.Errorf("and %d more", more))
	}
	return validations, bugs, errors.Join(append(problems, err)...)
}
