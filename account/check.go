package account

import (
	"errors"
	"fmt"

	"relais/store"
)

const maxProblems = 10

// Check reads every record of users.db, and returns the numbers of accounts and of facts.
// The error tells the first of what cannot be used. nil is a file that is not there.
func Check(db *store.DB) (accounts, facts int, err error) {
	if db == nil {
		return 0, 0, nil
	}
	var problems []error
	add := func(err error) {
		if err != nil && len(problems) < maxProblems {
			problems = append(problems, err)
		}
	}
	err = db.View(func(tx *store.Tx) error {
		tx.LeaveOut(add)
		st := newState()
		unread := st.read(tx) // which ends at the first that cannot be used
		add(unread)
		accounts = len(st.accounts)
		return eachKind(tx, func(person string, kind Kind, b *store.Bucket) error {
			if unread == nil && st.accounts[person] == nil {
				add(fmt.Errorf("facts of %.50q: there is no such account", person))
			}
			n := 0
			err := b.ForEach(func(k, v []byte) error {
				n++
				_, err := parseFact(kind, k, v)
				add(err)
				return nil
			})
			if uint64(n) != b.Sequence() {
				add(fmt.Errorf("facts of %.50q of the kind %.50q: %d, not %d", person, kind, n, b.Sequence()))
			}
			if kind != answers {
				facts += n
			}
			return err
		})
	})
	return accounts, facts, errors.Join(append(problems, err)...)
}
