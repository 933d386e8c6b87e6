package photos

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"

	"relais/internal/store"
)

// Add stores a photo. It is on disk and shown when Add returns no error. After an
// error it is not shown, unless the disk failed at the last moment and
// kept the whole photo.
func (s *Store) Add(ctx context.Context, n New) (*Photo, error) {
	if s.readOnly() {
		return nil, ErrReadOnly
	}
	if err := n.check(); err != nil {
		return nil, err
	}
	s.steps.RLock()
	defer s.steps.RUnlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := s.newPhoto(&n)
	if err != nil {
		return nil, err
	}
	m, err := s.month(p.Month, true)
	if err != nil {
		return nil, err
	}
	defer m.end(key(p.ID))
	if err := s.updateMonth(m, func(tx *store.Tx) error { return putImages(tx, key(p.ID), n.Images) }); err != nil {
		return nil, err
	}
	if err := s.update(p.put); err != nil {
		return nil, err
	}
	return p, nil
}

func (s *Store) newPhoto(n *New) (*Photo, error) {
	id, at, err := s.stamp()
	if err != nil {
		return nil, err
	}
	p := &Photo{
		ID: id.String(), SiteKey: n.SiteKey, ENB: n.ENB, Operator: n.Operator, Caption: n.Caption, ClientID: n.ClientID,
		AuthorName: n.AuthorName,
		UploadedAt: at, Month: at.Format(monthLayout), Metadata: n.Metadata, Images: map[Size]Image{},
	}
	for size, image := range n.Images {
		p.Images[size] = describe(image)
	}
	return p, nil
}

func describe(image []byte) Image {
	sum := sha256.Sum256(image)
	return Image{len(image), sum[:]}
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

// Image returns the bytes of an image, which never change. Errors: ErrNoPhoto also
// when the photo is hidden, errLost.
func (s *Store) Image(id string, size Size) (image []byte, err error) {
	p, err := s.get(id)
	if err != nil {
		return nil, err
	}
	if p.Hidden != nil {
		return nil, ErrNoPhoto
	}
	db, err := s.Month(p.Month)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("photo %s: %w", id, errLost)
	}
	if err != nil {
		return nil, err
	}
	err = db.View(func(tx *store.Tx) error {
		stored, err := imageOf(tx, key(id), size)
		image = bytes.Clone(stored)
		return err
	})
	if err == nil && image == nil {
		if _, err := s.get(id); err != nil { // deleted meanwhile
			return nil, err
		}
		err = fmt.Errorf("photo %s: %w", id, errLost)
	}
	return image, err
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
