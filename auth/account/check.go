package account

import (
	"errors"
	"fmt"

	"relais/internal/store"
)

// Check reads every record of users.db, and returns the numbers of accounts and of facts. The error
// names the first record that cannot be used. A nil db means that the file is missing.
func Check(db *store.DB) (accounts, facts int, err error) {
	if db == nil {
		return 0, 0, nil
	}
	var found store.Problems
	err = db.View(func(tx *store.Tx) error {
		tx.LeaveOut(found.Add)
		st := newState()
		if err := store.Load(tx, st.collections()...); err != nil {
			return err
		}
		for _, err := range st.problems() {
			found.Add(err)
		}
		accounts = len(st.accounts.All())
		return eachKind(tx, func(person string, kind Kind, b *store.Bucket) error {
			if st.accounts.Get(person) == nil && st.accounts.Lost()[person] == nil {
				found.Add(fmt.Errorf("facts of %.50q: the account does not exist", person))
			}
			n := 0
			err := b.ForEach(func(k, v []byte) error {
				n++
				_, err := parseFact(kind, k, v)
				found.Add(err)
				return nil
			})
			if uint64(n) != b.Sequence() {
				found.Add(fmt.Errorf("facts of %.50q of the kind %.50q: %d, not %d", person, kind, n, b.Sequence()))
			}
			if kind != answers {
				facts += n
			}
			return err
		})
	})
	return accounts, facts, errors.Join(found.Err(), err)
}
