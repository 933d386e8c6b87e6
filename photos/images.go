package photos

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"time"

	"relais/internal/store"
)

// An imageKeeper keeps the images of photos, and changes them together with the records.
type imageKeeper interface {
	// add puts the images of a photo, and its record when they will stay.
	add(ctx context.Context, p *Photo, images map[Size][]byte) error
	// remove deletes the record of a photo and its images. It calls also in the transaction of the
	// record, whose error ends it. Error: ErrNoPhoto.
	remove(p *Photo, also func(*store.Tx, *Photo) error) error
	// read returns an image. Error: errLost.
	read(ctx context.Context, p *Photo, size Size) ([]byte, error)
	// has fails if images of a photo are missing, as far as that is known without reading them.
	has(p *Photo) error
}

// Add stores a photo. It is on disk, and shown unless it is held, when Add returns no error. After an
// error it is not shown, unless the disk failed at the last moment and
// kept the whole photo.
func (s *Store) Add(ctx context.Context, n New) (*Photo, error) {
	if s.readOnly() {
		return nil, ErrReadOnly
	}
	if err := n.check(); err != nil {
		return nil, err
	}
	p, err := s.newPhoto(&n)
	if err != nil {
		return nil, err
	}
	if err := s.images.add(ctx, p, n.Images); err != nil {
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
	if n.Held {
		p.Hidden = &Hidden{At: at, Held: true}
	}
	if n.DeleteToken != "" {
		p.DeleteHash = hashOf(n.DeleteToken)
	}
	return p, nil
}

func describe(image []byte) Image {
	sum := sha256.Sum256(image)
	return Image{len(image), sum[:]}
}

// fits reports whether image is what the record says.
func (p *Photo) fits(size Size, image []byte) bool {
	want, ok := p.Images[size]
	got := describe(image)
	return ok && got.Bytes == want.Bytes && bytes.Equal(got.SHA256, want.SHA256)
}

// imageTime bounds the time that reading an image from elsewhere takes.
const imageTime = 30 * time.Second

// Image returns the bytes of an image, which never change. Errors: ErrNoPhoto also
// when the photo is hidden, errLost; with UseBlobs also those of Blobs.
func (s *Store) Image(id string, size Size) (image []byte, err error) {
	return s.image(id, size, func(p *Photo) bool { return p.Hidden == nil })
}

// AnyImage is Image for a moderator, who sees hidden photos too.
func (s *Store) AnyImage(id string, size Size) (image []byte, err error) {
	return s.image(id, size, func(*Photo) bool { return true })
}

// image returns an image of a photo that may be seen.
func (s *Store) image(id string, size Size, may func(*Photo) bool) (image []byte, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), imageTime)
	defer cancel()
	p, err := s.known(ctx, id)
	if err != nil {
		return nil, err
	}
	if !may(p) {
		return nil, ErrNoPhoto
	}
	image, err = s.images.read(ctx, p, size)
	if errors.Is(err, errLost) && s.db.Fresh(ctx) == nil {
		if _, err := s.get(id); err != nil { // deleted meanwhile
			return nil, err
		}
	}
	return image, err
}

// known is get. What this replica does not know, another may have added.
func (s *Store) known(ctx context.Context, id string) (*Photo, error) {
	p, err := s.get(id)
	if !errors.Is(err, ErrNoPhoto) || key(id) == nil || !s.db.Shared() {
		return p, err
	}
	if err := s.db.Fresh(ctx); err != nil {
		return nil, err
	}
	return s.get(id)
}
