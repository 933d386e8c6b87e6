package admin

import (
	"context"

	"relais/community"
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

func (c ListPhotos) run(_ context.Context, s *Stores) (any, error) {
	list, total, err := s.Photos.All(c.Filter, c.Limit, c.Offset)
	for _, p := range list {
		p.DeleteHash = nil // nobody needs it
	}
	return PhotoList{total, list}, err
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

func (c ListReports) run(_ context.Context, s *Stores) (any, error) {
	list, total, err := s.Photos.Reports(c.ReportFilter, c.Limit, c.Offset)
	for _, r := range list {
		r.Photo.DeleteHash = nil
	}
	return ReportList{total, list}, err
}

// BugList is the answer of ListBugs.
type BugList struct {
	Total int             `json:"total"`
	Bugs  []community.Bug `json:"bugs"`
}

// ListBugs lists the bugs that are open, or all, the newest first.
type ListBugs struct {
	All bool `json:"all"`
	Page
}

func (c ListBugs) run(_ context.Context, s *Stores) (any, error) {
	list, total, err := s.Community.Bugs(c.All, c.Limit, c.Offset)
	return BugList{total, list}, err
}

// AuditList is the answer of ListAudit.
type AuditList struct {
	Total   int           `json:"total"`
	Entries []audit.Entry `json:"entries"`
}

// ListAudit lists decisions, the newest first, those included that wait in other stores.
type ListAudit struct {
	audit.Filter
	Page
}

func (c ListAudit) run(_ context.Context, s *Stores) (any, error) {
	s.collect()
	list, total, err := s.Audit.List(c.Filter, c.Limit, c.Offset)
	return AuditList{total, list}, err
}
