package photos

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"relais/internal/store"
)

// Blobs keep images for several machines.
type Blobs interface {
	store.Blobs
	// Delete deletes bytes here and elsewhere, and says nothing about those that are missing.
	Delete(ctx context.Context, names ...string) error
	// Evict deletes copies that Get kept. It is called within commits, and must be quick. It is not
	// called for what was deleted before photos.db was opened or built again: Unused knows that.
	Evict(names ...string)
}

// BlobName returns the name of an image in Blobs.
func BlobName(id string, size Size) string { return "photo/" + id + "/" + string(size) }

func blobNames(id string) (names []string) {
	for _, size := range Sizes {
		names = append(names, BlobName(id, size))
	}
	return names
}

// UseBlobs makes the images be in blobs, not in the files of months. It is called before the store
// is used.
func (s *Store) UseBlobs(blobs Blobs) error {
	s.images = inBlobs{s, blobs}
	return s.db.Follow(func(*store.Tx) error { return nil }, func(changes []store.Change) {
		for _, c := range changes {
			if c.Value == nil {
				blobs.Evict(blobNames(id(c.Key))...)
			}
		}
	}, photosBucket)
}

// Unused returns which of names in Blobs are those of images without a record. It knows
// everything that any machine did before the call.
func (s *Store) Unused(ctx context.Context, names []string) (unused []string, err error) {
	if s.db == nil {
		return nil, nil
	}
	if err := s.db.Fresh(ctx); err != nil {
		return nil, err
	}
	err = s.db.View(func(tx *store.Tx) error {
		records := tx.Bucket([]byte(photosBucket))
		if records == nil {
			return nil
		}
		for _, name := range names {
			photo, ok := strings.CutPrefix(name, "photo/")
			photo, _, sized := strings.Cut(photo, "/")
			if k := key(photo); ok && sized && k != nil && !records.Has(k) {
				unused = append(unused, name)
			}
		}
		return nil
	})
	return unused, err
}

// inBlobs keeps images in Blobs.
type inBlobs struct {
	*Store
	blobs Blobs
}

// errSlow says that a change took so long that its images may be gone.
var errSlow = errors.New("the change of a photo took too long: try again")

// inTime returns f, which fails if it is called later than store.ChangeTime from now.
func (s inBlobs) inTime(f func(*store.Tx) error) func(*store.Tx) error {
	began := s.now()
	return func(tx *store.Tx) error {
		if s.now().Sub(began) > store.ChangeTime {
			return errSlow
		}
		return f(tx)
	}
}

func (s inBlobs) add(ctx context.Context, p *Photo, images map[Size][]byte) error {
	put := s.inTime(p.put)
	for _, size := range Sizes {
		image := images[size]
		err := s.blobs.Put(ctx, BlobName(p.ID, size), bytes.NewReader(image), int64(len(image)))
		if err != nil {
			return err
		}
	}
	return s.update(put)
}

func (s inBlobs) remove(p *Photo, also func(*store.Tx, *Photo) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), imageTime)
	defer cancel()
	remove := s.inTime(func(tx *store.Tx) error { return removePhoto(tx, p, also) })
	if err := s.blobs.Pend(ctx, blobNames(p.ID)...); err != nil {
		return err
	}
	if err := s.update(remove); err != nil {
		return err
	}
	if err := s.blobs.Delete(ctx, blobNames(p.ID)...); err != nil {
		return fmt.Errorf("the photo is deleted, but its images are still stored: %w", err)
	}
	return nil
}

func (s inBlobs) read(ctx context.Context, p *Photo, size Size) ([]byte, error) {
	name := BlobName(p.ID, size)
	for again := true; ; again = false {
		image, err := s.fetch(ctx, name, p.Images[size].Bytes)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("photo %s, %s: %w", p.ID, size, errLost)
		case err != nil && !errors.Is(err, store.ErrDamaged):
			return nil, fmt.Errorf("photo %s, %s: %w", p.ID, size, err)
		case err == nil && p.fits(size, image):
			return image, s.stillThere(p, name)
		case !again:
			return nil, fmt.Errorf("photo %s, %s: it was changed after it was written: %w", p.ID, size, errLost)
		}
		s.blobs.Evict(name) // the copy nearby may be damaged
	}
}

// fetch reads bytes, and at most one more than most.
func (s inBlobs) fetch(ctx context.Context, name string, most int) ([]byte, error) {
	body, err := s.blobs.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	image, err := io.ReadAll(io.LimitReader(body, int64(most)+1))
	return image, errors.Join(err, body.Close())
}

// stillThere removes the copy of an image whose photo was deleted while it was made.
func (s inBlobs) stillThere(p *Photo, name string) error {
	_, err := s.get(p.ID)
	if errors.Is(err, ErrNoPhoto) {
		s.blobs.Evict(name)
	}
	return err
}

func (inBlobs) has(*Photo) error { return nil }

// IgnoreImages makes checks of the records not look for images: they are in Blobs that cannot be
// asked.
func (s *Store) IgnoreImages() { s.images = elsewhere{s.images} }

// Images that are elsewhere are not looked for.
type elsewhere struct{ imageKeeper }

func (elsewhere) has(*Photo) error { return nil }
