package hook

import (
	"errors"

	"relais/internal/store"
)

// Delete removes a hook, which may be damaged, with all that it was to get. Error: ErrNoHook.
func (s *Store) Delete(id string) (Hook, error) {
	h, err := s.Find(id)
	if err != nil {
		return h, err
	}
	ends := s.ends() // before it is deleted: another hook may be made at once
	err = s.update(func(tx *store.Tx) error {
		if s.shown(id) == nil {
			return ErrNoHook
		}
		for key := range s.queue.Lost() {
			if hookOf(key) == id {
				if err := s.queue.Delete(tx, key); err != nil {
					return err
				}
			}
		}
		if err := errors.Join(s.remove(tx, s.lines[id]), s.hooks.Delete(tx, id)); err != nil {
			return err
		}
		return store.MarkDeleted(tx)
	})
	if err == nil && !s.any() {
		for i, source := range s.sources {
			_ = source.DB.Journal().Empty(ends[i]) // what stays makes room when there is a hook again
		}
	}
	return h, err
}

// ends returns the last number of each source's journal, 0 for one that cannot be read.
func (s *Store) ends() (list []uint64) {
	for _, source := range s.sources {
		n, _ := source.DB.Journal().End()
		list = append(list, n)
	}
	return list
}
