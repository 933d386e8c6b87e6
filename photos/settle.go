package photos

import (
	"errors"
	"fmt"

	"relais/internal/store"
)

// begin notes that a photo is being deleted.
func (m *month) begin(key []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.busy[string(key)] = true
}

// end notes that the addition or deletion of a photo has ended.
func (m *month) end(key []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.busy, string(key))
	m.ended[string(key)] = true
}

// takeEnded removes and returns the ids that can be settled.
func (m *month) takeEnded() (keys []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for key := range m.ended {
		if !m.busy[key] {
			keys = append(keys, key)
			delete(m.ended, key)
		}
	}
	return keys
}

func (m *month) putBack(keys []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, key := range keys {
		m.ended[key] = true
	}
}

func (m *month) settled() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.ended) == 0
}

// updateMonth changes the file, and settles ended ids in the same transaction.
func (s *Store) updateMonth(m *month, change func(*store.Tx) error) error {
	var ended []string
	err := m.db.Update(func(tx *store.Tx) error {
		ended = m.takeEnded()
		for _, key := range ended {
			if err := s.settle(tx, []byte(key)); err != nil {
				return err
			}
		}
		return change(tx)
	})
	if err != nil {
		m.putBack(ended)
	}
	return err
}

// settle removes the mark of a photo, and its images if it has no record. The record must be
// certain: if a failed commit still shows one, the images would stay without mark and record.
func (s *Store) settle(tx *store.Tx, key []byte) error {
	images := tx.Bucket([]byte(imagesBucket))
	if images.Bucket(key) != nil {
		switch _, err := s.find(s.db.ViewCertain, id(key)); {
		case errors.Is(err, ErrNoPhoto):
			if err := images.DeleteBucket(key); err != nil {
				return err
			}
			if err := store.MarkDeleted(tx); err != nil {
				return err
			}
		case err != nil:
			return err
		}
	}
	return tx.Bucket([]byte(openBucket)).Delete(key)
}

// Sweep removes the images of photos whose record was not written or was deleted before a crash or
// an error. Compacting the file removes their last traces. Images in Blobs are for who calls Unused.
func (s *Store) Sweep() error {
	if s.readOnly() {
		return nil
	}
	months, err := Months(s.dir)
	errs := []error{err}
	for _, name := range months {
		m, err := s.month(name, false)
		if err == nil && !m.settled() {
			err = s.updateMonth(m, func(*store.Tx) error { return nil })
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", FileOf(name), err))
		}
	}
	return errors.Join(errs...)
}
