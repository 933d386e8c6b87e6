package photos

import (
	"bytes"
	"context"

	"relais/internal/store"
)

// Hide hides a photo and keeps it otherwise. Error: ErrNoPhoto.
func (s *Store) Hide(id, why string) (*Photo, error) {
	return s.change(id, func(p *Photo) { s.hide(p, why) })
}

func (s *Store) hide(p *Photo, why string) {
	if p.Hidden == nil {
		p.Hidden = &Hidden{s.millisecond(), why}
	}
}

// Show shows a hidden photo again. No report or decision about one does that. Error: ErrNoPhoto.
func (s *Store) Show(id string) (*Photo, error) {
	return s.change(id, func(p *Photo) { p.Hidden = nil })
}

func (s *Store) change(id string, f func(p *Photo)) (p *Photo, err error) {
	err = s.update(func(tx *store.Tx) error {
		if p, err = get(tx, key(id)); err != nil {
			return err
		}
		f(p)
		return p.put(tx)
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// Delete removes a photo and the reports about it. Compacting the files removes their last traces.
// Error: ErrNoPhoto; another error may mean that the photo is deleted and its images are still
// where they were, until Sweep removes them.
func (s *Store) Delete(id string) (*Photo, error) {
	if s.readOnly() {
		return nil, ErrReadOnly
	}
	ctx, cancel := context.WithTimeout(context.Background(), imageTime)
	defer cancel()
	p, err := s.known(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := s.images.remove(p); err != nil {
		return nil, err
	}
	return p, nil
}

func (s *Store) deleteRecord(p *Photo) error {
	return s.update(func(tx *store.Tx) error { return removePhoto(tx, p) })
}

// removePhoto removes the record of a photo, and the reports about it.
func removePhoto(tx *store.Tx, p *Photo) error {
	if _, err := get(tx, key(p.ID)); err != nil { // another deleted it
		return err
	}
	if err := p.remove(tx); err != nil {
		return err
	}
	if err := removeReports(tx, key(p.ID)); err != nil {
		return err
	}
	return store.MarkDeleted(tx)
}

// removeReports removes the reports about a photo.
func removeReports(tx *store.Tx, photo []byte) error {
	var list []*Report
	c := tx.Bucket([]byte(reportsBucket)).Cursor()
	for k, v := c.Seek(photo); bytes.HasPrefix(k, photo); k, v = c.Next() {
		r, err := parseReport(k, v)
		if err != nil {
			return err
		}
		list = append(list, r)
	}
	for _, r := range list {
		if err := r.remove(tx); err != nil {
			return err
		}
	}
	return nil
}
