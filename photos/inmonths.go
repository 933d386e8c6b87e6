package photos

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"relais/internal/store"
)

// inMonths keeps images in the files of months.
type inMonths struct{ *Store }

func (s inMonths) add(ctx context.Context, p *Photo, images map[Size][]byte) error {
	s.steps.RLock()
	defer s.steps.RUnlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	m, err := s.month(p.Month, true)
	if err != nil {
		return err
	}
	defer m.end(key(p.ID))
	if err := s.updateMonth(m, func(tx *store.Tx) error { return putImages(tx, key(p.ID), images) }); err != nil {
		return err
	}
	return s.update(p.put)
}

func (s inMonths) remove(p *Photo, also func(*store.Tx, *Photo) error) error {
	deleteRecord := func() error {
		return s.update(func(tx *store.Tx) error { return removePhoto(tx, p, also) })
	}
	s.steps.RLock()
	defer s.steps.RUnlock()
	m, err := s.month(p.Month, false)
	if errors.Is(err, fs.ErrNotExist) {
		return deleteRecord()
	}
	if err != nil {
		return err
	}
	m.begin(key(p.ID))
	err = s.updateMonth(m, func(tx *store.Tx) error { return markOpen(tx, key(p.ID)) })
	if err == nil {
		err = deleteRecord()
	}
	m.end(key(p.ID))
	if err != nil {
		return err
	}
	if err := s.updateMonth(m, func(*store.Tx) error { return nil }); err != nil {
		return fmt.Errorf("the photo is deleted, but its images are still on the disk: %w", err)
	}
	return nil
}

func (s inMonths) read(_ context.Context, p *Photo, size Size) (image []byte, err error) {
	db, err := s.Month(p.Month)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("photo %s: %w", p.ID, errLost)
	}
	if err != nil {
		return nil, err
	}
	err = db.View(func(tx *store.Tx) error {
		stored, err := imageOf(tx, key(p.ID), size)
		image = bytes.Clone(stored)
		return err
	})
	if err == nil && image == nil {
		err = fmt.Errorf("photo %s: %w", p.ID, errLost)
	}
	return image, err
}

func (s inMonths) has(p *Photo) error {
	db, err := s.Month(p.Month)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("photo %s: %s is missing: %w", p.ID, FileOf(p.Month), errLost)
	}
	if err != nil {
		return nil // the problem of that file is reported separately
	}
	return db.View(func(tx *store.Tx) error {
		for _, size := range Sizes {
			if !hasImage(tx, key(p.ID), size) {
				return fmt.Errorf("photo %s, %s: %w", p.ID, size, errLost)
			}
		}
		return nil
	})
}

// putImages writes images and marks that their record may be missing.
func putImages(tx *store.Tx, key []byte, images map[Size][]byte) error {
	b, err := tx.Bucket([]byte(imagesBucket)).CreateBucket(key)
	if err != nil {
		return err
	}
	for size, image := range images {
		if err := b.Put([]byte(size), image); err != nil {
			return err
		}
	}
	return markOpen(tx, key)
}

func markOpen(tx *store.Tx, key []byte) error {
	return tx.Bucket([]byte(openBucket)).Put(key, []byte{})
}

// imageOf returns an image, valid until the end of the transaction, or nil.
// Error: store.ErrDamaged.
func imageOf(tx *store.Tx, key []byte, size Size) ([]byte, error) {
	if b := imagesIn(tx, key); b != nil {
		return b.Read([]byte(size))
	}
	return nil, nil
}

// hasImage reports whether the image exists. It does not read it.
func hasImage(tx *store.Tx, key []byte, size Size) bool {
	b := imagesIn(tx, key)
	return b != nil && b.Has([]byte(size))
}

// imagesIn returns the bucket of a photo's images, or nil.
func imagesIn(tx *store.Tx, key []byte) *store.Bucket {
	images := tx.Bucket([]byte(imagesBucket))
	if images == nil {
		return nil
	}
	return images.Bucket(key)
}
