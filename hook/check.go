package hook

import (
	"encoding/json"
	"errors"
	"fmt"

	"relais/auth/access"
	"relais/internal/store"
)

// Check reads every record of hooks.db, and returns the numbers of hooks and of messages to deliver.
// The error names the first records that cannot be used. A nil db is a missing file.
func Check(db *store.DB, sealer *access.Sealer) (hooks, pending int, err error) {
	if db == nil {
		return 0, 0, nil
	}
	var found store.Problems
	s := &Store{sealer: sealer}
	err = db.View(func(tx *store.Tx) error {
		tx.LeaveOut(found.Add)
		return errors.Join(store.Each(tx, hooksBucket, func(k, v []byte) error {
			hooks++
			r, err := parseRecord(string(k), v)
			if found.Add(err); err == nil {
				_, err = s.open(r)
				found.Add(err)
			}
			return nil
		}), store.Each(tx, queueBucket, func(k, v []byte) error {
			pending++
			w, err := parseWaiting(string(k), v)
			if found.Add(err); err == nil && !tx.Bucket([]byte(hooksBucket)).Has([]byte(hookOf(w.key))) {
				found.Add(fmt.Errorf("message %s is of a hook that is missing", w.ID))
			}
			m := &message{}
			if err := json.Unmarshal(v, m); err == nil && !json.Valid([]byte(m.Body)) {
				found.Add(fmt.Errorf("message %s has no body", m.ID))
			}
			return nil
		}))
	})
	return hooks, pending, errors.Join(found.Err(), err)
}
