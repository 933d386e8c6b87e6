package admin

import (
	"context"
	"errors"
	"fmt"

	"relais/photos"
)

// A Page is a part of a list.
type Page struct {
	Limit  int `json:"limit"`
	Offset int `json:"offset"`
}

// PhotoList is the answer of ListPhotos.
type PhotoList struct {
	Total  int             `json:"total"`
	Photos []*photos.Photo `json:"photos"`
}

// ListPhotos lists photos, hidden ones included, the newest first.
type ListPhotos struct {
	photos.Filter
	Page
}

func (c ListPhotos) run(_ context.Context, s *Stores) (any, error) {
	list, total, err := s.Photos.All(c.Filter, c.Limit, c.Offset)
	return PhotoList{total, list}, err
}

// HidePhoto keeps a photo from being shown.
type HidePhoto struct {
	Photo string `json:"photo"`
	Why   string `json:"why"`
}

func (c HidePhoto) run(_ context.Context, s *Stores) (any, error) {
	p, err := s.Photos.Hide(c.Photo, c.Why)
	return p, withID("photo", c.Photo, err)
}

// ShowPhoto shows a photo that was hidden.
type ShowPhoto struct {
	Photo string `json:"photo"`
}

func (c ShowPhoto) run(_ context.Context, s *Stores) (any, error) {
	p, err := s.Photos.Show(c.Photo)
	return p, withID("photo", c.Photo, err)
}

// DeletePhoto removes a photo and the reports about it.
type DeletePhoto struct {
	Photo string `json:"photo"`
}

func (c DeletePhoto) run(_ context.Context, s *Stores) (any, error) {
	p, err := s.Photos.Delete(c.Photo)
	if err != nil {
		return nil, withID("photo", c.Photo, err)
	}
	return p, s.forgetAnswers(p.ID)
}

// withID adds the id of the photo or report to an error.
func withID(what, id string, err error) error {
	if errors.Is(err, photos.ErrNoPhoto) || errors.Is(err, photos.ErrNoReport) {
		return fmt.Errorf("%w: %q; relais %s list names them", err, id, what)
	}
	return err
}

// ReportList is the answer of ListReports.
type ReportList struct {
	Total   int               `json:"total"`
	Reports []photos.Reported `json:"reports"`
}

// ListReports lists the reports that wait for a decision, the oldest first; or all,
// the newest first.
type ListReports struct {
	All bool `json:"all"`
	Page
}

func (c ListReports) run(_ context.Context, s *Stores) (any, error) {
	list, total, err := s.Photos.Reports(!c.All, c.Limit, c.Offset)
	return ReportList{total, list}, err
}

// DecideReport accepts a report, which hides the photo, or dismisses it.
type DecideReport struct {
	Report string `json:"report"`
	Accept bool   `json:"accept"`
}

func (c DecideReport) run(_ context.Context, s *Stores) (any, error) {
	decide := s.Photos.Dismiss
	if c.Accept {
		decide = s.Photos.Accept
	}
	r, err := decide(c.Report)
	return r, withID("report", c.Report, err)
}
