package photos

import (
	"errors"
	"fmt"

	"relais/internal/store"
)

// hasImages fails if images of a photo are missing; CheckMonth compares each byte.
func (s *Store) hasImages(k []byte) error {
	p, err := s.get(id(k))
	if err != nil {
		return nil // deleted meanwhile, or reported already
	}
	return s.unlessDeleted(k, s.images.has(p))
}

// unlessDeleted returns an error about a photo, or nil if the photo was deleted meanwhile.
func (s *Store) unlessDeleted(k []byte, err error) error {
	if err == nil {
		return nil
	}
	if _, gone := s.get(id(k)); errors.Is(gone, ErrNoPhoto) {
		return nil
	}
	return err
}

// CheckMonth reads every image of a month, compares it with its record, and returns
// the number of photos. The error names the first images that differ.
func (s *Store) CheckMonth(name string) (n int, err error) {
	if s.db == nil {
		return 0, errors.New("photos.db is missing or damaged: the images cannot be compared with their records")
	}
	db, err := s.Month(name)
	if err != nil {
		return 0, err
	}
	var found store.Problems
	found.Add(eachKey(db, imagesBucket, func(k []byte) {
		n++
		found.Add(s.checkImages(db, k))
	}))
	return n, found.Err()
}

// checkImages compares the images of a photo with its record.
func (s *Store) checkImages(db *store.DB, k []byte) error {
	p, err := s.get(id(k))
	if errors.Is(err, ErrNoPhoto) {
		return s.checkStray(db, k)
	}
	if err != nil {
		return err
	}
	if len(p.Images) != len(Sizes) {
		return fmt.Errorf("photo %s: its record has %d images", p.ID, len(p.Images))
	}
	return s.unlessDeleted(k, db.View(func(tx *store.Tx) error {
		for size := range p.Images {
			image, err := imageOf(tx, k, size)
			if err != nil || !p.fits(size, image) {
				return fmt.Errorf("photo %s, %s: it was changed after it was written: %w", p.ID, size, errLost)
			}
		}
		return nil
	}))
}

// checkStray fails for images without a record that Sweep does not know.
// It waits for a photo that is being added or deleted.
func (s *Store) checkStray(db *store.DB, k []byte) error {
	defer s.Pause()()
	if _, err := s.get(id(k)); !errors.Is(err, ErrNoPhoto) {
		return err
	}
	return db.View(func(tx *store.Tx) error {
		images := tx.Bucket([]byte(imagesBucket))
		if images == nil || images.Bucket(k) == nil || tx.Value(openBucket, k) != nil {
			return nil
		}
		return fmt.Errorf("photo %s: it has images but no record", id(k))
	})
}
