package photos

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"slices"

	"relais/community/audit"
	"relais/internal/store"
)

// Hide hides a photo and keeps it otherwise. The reason of the decision is a note for other moderators. A
// hidden photo does not change. Errors: ErrNoPhoto, audit.ErrChanged.
func (s *Store) Hide(id string, d audit.Decision) (*Photo, error) {
	return s.change(id, d, "photo.hide", func(p *Photo) { s.hide(p, d.Reason()) })
}

func (s *Store) hide(p *Photo, why string) {
	if was := p.State(); was != Concealed {
		p.Hidden = &Hidden{At: s.millisecond(), Why: why, WasHeld: was == Held}
	}
}

// Show shows a photo that is hidden or held. No report or decision about one does that. Errors:
// ErrNoPhoto, audit.ErrChanged.
func (s *Store) Show(id string, d audit.Decision) (*Photo, error) {
	return s.change(id, d, "photo.show", func(p *Photo) { p.Hidden = nil })
}

// Hold lets a photo wait for a moderator, as one that was just sent with photos held. Errors:
// ErrNoPhoto, audit.ErrChanged.
func (s *Store) Hold(id string, d audit.Decision) (*Photo, error) {
	return s.change(id, d, "photo.hold", s.hold)
}

func (s *Store) hold(p *Photo) {
	if p.State() != Held {
		p.Hidden = &Hidden{At: s.millisecond(), Held: true}
	}
}

// Version names the content of a record for a decision.
func (p *Photo) Version() string {
	c := *p
	c.DeleteHash = nil // which moderators do not get
	return audit.Version(c)
}

// change decides about a photo. The log has the decision if it changes something.
func (s *Store) change(id string, d audit.Decision, act string, f func(p *Photo)) (p *Photo, err error) {
	err = s.update(func(tx *store.Tx) error {
		if p, err = get(tx, key(id)); err != nil {
			return err
		}
		if err := d.Check(p.Version()); err != nil {
			return err
		}
		before := p.State()
		if f(p); p.State() == before {
			return nil
		}
		p.Decided++
		if err := p.put(tx); err != nil {
			return err
		}
		return s.note(tx, d, act, p, before, p.State())
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// note adds a decision about a photo to the log.
func (s *Store) note(tx *store.Tx, d audit.Decision, act string, p *Photo, before, after State) error {
	return d.Note(tx, s.now(), audit.Entry{Act: act, Subject: p.ID, SiteKey: p.SiteKey, Before: string(before),
		After: string(after)})
}

// Delete removes a photo and the reports about it. Compacting the files removes their last traces.
// Errors: ErrNoPhoto, audit.ErrChanged; another error may mean that the photo is deleted and its images
// are still where they were, until Sweep removes them.
func (s *Store) Delete(id string, d audit.Decision) (*Photo, error) {
	return s.delete(id, func(*Photo) bool { return true }, func(tx *store.Tx, p *Photo) error {
		if err := d.Check(p.Version()); err != nil {
			return err
		}
		return s.note(tx, d, "photo.delete", p, p.State(), "")
	})
}

// Withdraw deletes a photo for its sender: the client that sent it, or anybody who has the photo's token. The client or
// the token may be "". Errors: those of Delete; ErrNoPhoto also if neither is right.
func (s *Store) Withdraw(id, client, token string) (*Photo, error) {
	own := func(p *Photo) bool {
		return client != "" && p.ClientID == client || token != "" && len(p.DeleteHash) > 0 &&
			subtle.ConstantTimeCompare(hashOf(token), p.DeleteHash) == 1
	}
	return s.delete(id, own, func(*store.Tx, *Photo) error { return nil })
}

func hashOf(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// delete removes a photo that may be removed, and calls also in the same transaction.
func (s *Store) delete(id string, may func(*Photo) bool, also func(*store.Tx, *Photo) error) (*Photo, error) {
	if s.readOnly() {
		return nil, ErrReadOnly
	}
	ctx, cancel := context.WithTimeout(context.Background(), imageTime)
	defer cancel()
	p, err := s.known(ctx, id)
	if err != nil {
		return nil, err
	}
	if !may(p) {
		return nil, ErrNoPhoto
	}
	if err := s.images.remove(p, also); err != nil {
		return nil, err
	}
	return p, nil
}

// removePhoto removes the record of a photo, and the reports about it. It calls also first, with the
// record as it is.
func removePhoto(tx *store.Tx, p *Photo, also func(*store.Tx, *Photo) error) error {
	now, err := get(tx, key(p.ID))
	if err != nil { // another deleted it
		return err
	}
	if err := also(tx, now); err != nil {
		return err
	}
	if err := now.remove(tx); err != nil {
		return err
	}
	if err := removeReports(tx, key(p.ID)); err != nil {
		return err
	}
	return store.MarkDeleted(tx)
}

// removeReports removes the reports about a photo.
func removeReports(tx *store.Tx, photo []byte) error {
	list, err := reportsAbout(tx, photo)
	if err != nil {
		return err
	}
	for _, r := range list {
		if err := r.remove(tx); err != nil {
			return err
		}
	}
	return nil
}

// reportsAbout returns the reports about a photo.
func reportsAbout(tx *store.Tx, photo []byte) (list []*Report, err error) {
	b := tx.Bucket([]byte(reportsBucket))
	if b == nil {
		return nil, nil
	}
	c := b.Cursor()
	for k, v := c.Seek(photo); bytes.HasPrefix(k, photo); k, v = c.Next() {
		r, err := parseReport(k, v)
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return slices.Clip(list), nil
}
