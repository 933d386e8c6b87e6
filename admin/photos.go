package admin

import (
	"context"
	"errors"
	"fmt"

	"relais/community/audit"
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

// ListPhotos lists photos, hidden ones included, the newest first; those that wait for approval in the
// order in which they wait.
type ListPhotos struct {
	photos.Filter
	Page
}

func (*ListPhotos) declare() declaration { return declaration{stores: []string{PhotosFile}} }

func (c ListPhotos) run(_ context.Context, s *Stores) (any, error) {
	list, total, err := s.Photos.All(c.Filter, c.Limit, c.Offset)
	for _, p := range list {
		p.DeleteHash = nil // nobody needs it
	}
	return PhotoList{total, list}, err
}

// HidePhoto keeps a photo from being shown.
type HidePhoto struct {
	Photo string `json:"photo"`
	Why   string `json:"why"`
	On    string `json:"on,omitempty"` // that of audit.Decision, as in the other commands
}

func (c *HidePhoto) declare() declaration {
	return declaration{stores: []string{PhotosFile}, record: &c.Photo, kind: photoKind}
}

func (c HidePhoto) run(ctx context.Context, s *Stores) (any, error) {
	return s.photo(c.Photo)(s.Photos.Hide(c.Photo, decision(ctx, c.Why, c.On)))
}

// ShowPhoto shows a photo that was hidden, or that waits for approval.
type ShowPhoto struct {
	Photo string `json:"photo"`
	On    string `json:"on,omitempty"`
}

func (c *ShowPhoto) declare() declaration {
	return declaration{stores: []string{PhotosFile}, record: &c.Photo, kind: photoKind}
}

func (c ShowPhoto) run(ctx context.Context, s *Stores) (any, error) {
	return s.photo(c.Photo)(s.Photos.Show(c.Photo, decision(ctx, "", c.On)))
}

// HoldPhoto lets a photo wait for approval.
type HoldPhoto struct {
	Photo string `json:"photo"`
	On    string `json:"on,omitempty"`
}

func (c *HoldPhoto) declare() declaration {
	return declaration{stores: []string{PhotosFile}, record: &c.Photo, kind: photoKind}
}

func (c HoldPhoto) run(ctx context.Context, s *Stores) (any, error) {
	return s.photo(c.Photo)(s.Photos.Hold(c.Photo, decision(ctx, "", c.On)))
}

// DeletePhoto removes a photo and the reports about it.
type DeletePhoto struct {
	Photo string `json:"photo"`
	Why   string `json:"why,omitempty"`
	On    string `json:"on,omitempty"`
}

func (c *DeletePhoto) declare() declaration {
	return declaration{stores: []string{PhotosFile}, record: &c.Photo, kind: photoKind}
}

func (c DeletePhoto) run(ctx context.Context, s *Stores) (any, error) {
	p, err := s.photo(c.Photo)(s.Photos.Delete(c.Photo, decision(ctx, c.Why, c.On)))
	if err != nil {
		return nil, err
	}
	return p, s.ForgetPhoto(c.Photo)
}

// ForgetPhoto removes the kept answers about a photo that was deleted.
func (s *Stores) ForgetPhoto(id string) error { return s.forgetAnswers(id) }

// photo returns a function that completes the result of a decision about a photo.
func (s *Stores) photo(id string) func(*photos.Photo, error) (any, error) {
	return func(p *photos.Photo, err error) (any, error) {
		if err != nil {
			return nil, s.decided("photo", id, err)
		}
		p.DeleteHash = nil
		s.collect()
		return p, nil
	}
}

// ReportList is the answer of ListReports.
type ReportList struct {
	Total   int               `json:"total"`
	Reports []photos.Reported `json:"reports"`
}

// ListReports lists the reports that wait for a decision, the oldest first; or all,
// the newest first.
type ListReports struct {
	photos.ReportFilter
	Page
}

func (*ListReports) declare() declaration { return declaration{stores: []string{PhotosFile}} }

func (c ListReports) run(_ context.Context, s *Stores) (any, error) {
	list, total, err := s.Photos.Reports(c.ReportFilter, c.Limit, c.Offset)
	for _, r := range list {
		r.Photo.DeleteHash = nil
	}
	return ReportList{total, list}, err
}

// DecideReport accepts a report, which hides the photo, or dismisses it. Undo takes the decision back
// instead: the report waits again.
type DecideReport struct {
	Report string `json:"report"`
	Accept bool   `json:"accept"`
	Undo   bool   `json:"undo,omitempty"`
	Why    string `json:"why,omitempty"`
	On     string `json:"on,omitempty"`
}

func (c *DecideReport) declare() declaration {
	return declaration{stores: []string{PhotosFile}, record: &c.Report, kind: reportKind}
}

func (c DecideReport) run(ctx context.Context, s *Stores) (any, error) {
	decide := s.Photos.Dismiss
	switch {
	case c.Undo:
		decide = s.Photos.Reopen
	case c.Accept:
		decide = s.Photos.Accept
	}
	r, err := decide(c.Report, decision(ctx, c.Why, c.On))
	if err != nil {
		return nil, s.decided("report", c.Report, err)
	}
	s.collect()
	return r, nil
}

// decided completes the error of a decision: who decided before, or where to look.
func (s *Stores) decided(what, id string, err error) error {
	switch {
	case errors.Is(err, photos.ErrNoPhoto), errors.Is(err, photos.ErrNoReport):
		return fmt.Errorf("%w: %q; relais %s list names them", err, id, what)
	case errors.Is(err, audit.ErrChanged):
		return s.changed(id, err)
	}
	return err
}
