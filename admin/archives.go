package admin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"relais/archive"
	"relais/ingest"
	"relais/ingest/source"
	"relais/internal/store"
	"relais/site"
)

// AddArchives adds the observatoires that are among files, folders and zip archives, one after the
// other. If one fails, those before it stay. The answer is a list of archive.Report. Paths are
// absolute: the process that has the stores open reads the files.
type AddArchives struct {
	Paths []string `json:"paths"`
	Date  string   `json:"date,omitempty"` // YYYY-MM-DD; "": the one that the file states
	Force bool     `json:"force,omitempty"`
	// Known leaves out files whose date has an archive already.
	Known bool `json:"known,omitempty"`
	// Newest replaces the newest archive by a file of its date with other rows.
	Newest bool `json:"newest,omitempty"`
	// Draft is the draft of the only file, made in this process; nil: the file is read.
	Draft *archive.Draft `json:"-"`
}

func (c AddArchives) run(ctx context.Context, s *Stores) (any, error) {
	return s.AddArchives(ctx, c)
}

// AddArchives runs the command of that name.
func (s *Stores) AddArchives(ctx context.Context, c AddArchives) ([]*archive.Report, error) {
	o := archive.Options{Force: c.Force, Newest: c.Newest, Draft: c.Draft}
	if c.Date != "" {
		if o.Date = site.ParseDate([]byte(c.Date)); o.Date.String() != c.Date {
			return nil, fmt.Errorf("%.40q is not a date: want YYYY-MM-DD", c.Date)
		}
	}
	files, err := archive.Files(c.Paths)
	if err != nil {
		return nil, err
	}
	if c.Date != "" && len(files) > 1 {
		return nil, fmt.Errorf("%d observatoires cannot be of one date: add them one by one", len(files))
	}
	reports := []*archive.Report{}
	for i := range files {
		r, err := s.Archives.Add(ctx, &files[i], o)
		switch {
		case c.Known && errors.Is(err, archive.ErrExists):
		case err != nil:
			return nil, notAdded(err, &files[i], reports)
		default:
			reports = append(reports, r)
		}
	}
	return reports, nil
}

// ArchiveKept adds the kept observatoire if its date has no archive: an ingest was killed between putting the snapshots
// in place and adding it. It logs the result. It says nothing of a cluster that is away, which the next start
// makes up for, or of a file that was refused before.
func (j *Jobs) ArchiveKept(ctx context.Context) {
	s, log := j.stores, j.log
	path, err := ingest.KeptObservatory(s.Dir)
	if path == "" && err == nil || s.cannotChangeArchives() {
		return
	}
	var added []*archive.Report
	if err == nil {
		added, err = s.AddArchives(ctx, AddArchives{Paths: []string{path}, Known: true})
	}
	for _, r := range added {
		log.Info("the archive of the kept observatoire was missing, and is added", "date", r.Date)
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, store.ErrAway) && !errors.Is(err, archive.ErrRefused) {
		log.Warn("adding an archive of the kept observatoire failed", "error", err)
	}
}

// notAdded adds to the error of a file its name and the archives added before it.
func notAdded(err error, f *source.Found, done []*archive.Report) error {
	if errors.Is(err, archive.ErrExists) || errors.Is(err, archive.ErrRefused) {
		err = fmt.Errorf("%s: %w", f.Name(), err)
	}
	if len(done) == 0 {
		return err
	}
	dates := make([]string, len(done))
	for i, r := range done {
		dates[i] = r.Date
	}
	return fmt.Errorf("%w; before it %s added: %s", err, Number(len(done), "archive"), strings.Join(dates, ", "))
}

// ListArchives lists the archives, the newest first; the answer is a list of
// archive.Publication.
type ListArchives struct{}

func (ListArchives) run(_ context.Context, s *Stores) (any, error) {
	all, err := s.Archives.List()
	if all == nil {
		all = []archive.Publication{}
	}
	slices.Reverse(all)
	return all, err
}
