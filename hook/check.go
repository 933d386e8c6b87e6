package hook

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

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
	s := NewStore(sealer, nil, time.Now)
	err = db.View(func(tx *store.Tx) error {
		if err := store.Load(tx, s.hooks, s.queue); err != nil {
			return err
		}
		for _, err := range s.Problems() {
			found.Add(err)
		}
		for _, r := range s.hooks.All() {
			_, err := s.open(r)
			found.Add(err)
		}
		for _, id := range slices.Sorted(maps.Keys(s.lines)) {
			if s.shown(id) == nil {
				found.Add(fmt.Errorf("messages wait for the hook %.50q, which is missing", id))
			}
			for _, w := range s.lines[id] {
				if m, err := readMessage(tx, w.key); err != nil || m == nil || !json.Valid([]byte(m.Body)) {
					found.Add(fmt.Errorf("message %s has no body", w.ID))
				}
			}
		}
		return nil
	})
	hooks = len(s.hooks.All()) + len(s.hooks.Lost())
	pending = len(s.queue.All()) + len(s.queue.Lost())
	return hooks, pending, errors.Join(found.Err(), err)
}
