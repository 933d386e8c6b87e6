package ingest

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"relais/ingest/anfr"
	"relais/ingest/source"
	"relais/internal/folder"
)

// An Archive keeps the editions of the observatoire.
type Archive struct {
	// Draft returns what also reads the rows of an observatoire while it is parsed. It is nil where
	// nobody could use that.
	Draft func() Draft
	// Add adds an edition from the absolute path of a kept file or archive. Archived is empty if its
	// date has an edition that stays.
	Add func(ctx context.Context, path string, how Archiving) (Archived, error)
}

// A Draft is an edition that is read.
type Draft interface{ Read(r *source.Reader) }

// Archiving says how an edition is added.
type Archiving struct {
	Draft  Draft // of Archive.Draft, what was read of the file now; or nil
	Force  bool  // in place of one of its date, and without guards
	Newest bool  // in place of one of its date, if that is the newest and has other rows
}

// Archived is an edition that was added.
type Archived struct {
	Date     string // YYYY-MM-DD, "" for none
	Replaced bool   // it took the place of another one of its date
}

func isObservatory(f source.Found) bool { return f.Kind.Name == anfr.Observatory }

// draft has the observatoire among the files read for the archives too, while it is parsed. It returns nil
// without an observatoire, and if nobody could use the draft.
func (a *Archive) draft(files []source.Found) Draft {
	i := slices.IndexFunc(files, isObservatory)
	if a == nil || a.Draft == nil || i < 0 {
		return nil
	}
	d := a.Draft()
	files[i].Second = d.Read
	return d
}

// KeptObservatory returns the absolute path of the kept observatoire of a folder, "" without one.
func KeptObservatory(dir folder.Dir) (path string, err error) {
	src, err := sourceOf(anfr.Markets)
	if err != nil {
		return "", err
	}
	k, err := openKept(dir, src)
	if err != nil {
		return "", err
	}
	return k.observatory(k.entries)
}

func (k *keptFiles) observatory(entries []entry) (path string, err error) {
	for _, e := range entries {
		if e.Kind == anfr.Observatory {
			return filepath.Abs(k.input(e).Path)
		}
	}
	return "", nil
}

// archiveReplaced archives the kept observatoire of another date that one of the files replaces, if an
// ingest was ended before it did. A failure becomes a note.
func (r *Report) archiveReplaced(ctx context.Context, o Options, k *keptFiles, files []source.Found) {
	given := slices.IndexFunc(files, isObservatory)
	if o.Archive == nil || given < 0 || r.sameDate {
		return
	}
	path, err := k.observatory(k.entries)
	if path == "" && err == nil {
		return
	}
	if kept := (&source.Input{Path: path}); kept.Synthetic() && !files[given].Synthetic() {
		return // the archives do not mix them
	}
	var added Archived
	if err == nil {
		added, err = o.Archive.Add(ctx, path, Archiving{})
	}
	switch {
	case err != nil:
		r.Notes = append(r.Notes, fmt.Sprintf("the observatoire before this one may have no archive: %v", err))
	case added.Date != "":
		r.Notes = append(r.Notes, fmt.Sprintf("the archive of %s was added: an ingest was ended before it", added.Date))
	}
}

// archive archives the observatoire of the folder after an ingest. One that was given replaces the newest edition, if
// that is of the same date and has other rows: it is the authority's newer word.
func (r *Report) archive(ctx context.Context, o Options, k *keptFiles, entries []entry, draft Draft, given bool) {
	if o.Archive == nil {
		return
	}
	path, err := k.observatory(entries)
	var added Archived
	if path != "" && err == nil {
		added, err = o.Archive.Add(ctx, path, Archiving{Draft: draft, Force: given && o.Force, Newest: given})
	}
	r.Archived, r.ArchiveReplaced = added.Date, added.Replaced
	if err != nil {
		r.Unarchived = err.Error()
	}
}
