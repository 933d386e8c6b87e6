package ingest

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"relais/archive"
	"relais/ingest/anfr"
	"relais/ingest/source"
	"relais/internal/folder"
)

// An Archive adds an edition of the observatoire to the archives, unless its date has one already.
type Archive struct {
	// Add takes the absolute path of a kept file or archive. The draft is what was read of it, nil if
	// it was not read now. With force it replaces the edition of its date. Date is "" if there was one.
	Add func(ctx context.Context, path string, draft *archive.Draft, force bool) (date string, err error)
	// Elsewhere says that another process adds, which has no use for a draft.
	Elsewhere bool
}

func isObservatory(f source.Found) bool { return f.Kind.Name == anfr.Observatory }

// draft has the observatoire among the files read for the archives too, while it is parsed. It returns nil
// without an observatoire, and if nobody could use the draft.
func (a *Archive) draft(files []source.Found) *archive.Draft {
	i := slices.IndexFunc(files, isObservatory)
	if a == nil || a.Elsewhere || i < 0 {
		return nil
	}
	d := &archive.Draft{}
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
	date := ""
	if err == nil {
		date, err = o.Archive.Add(ctx, path, nil, false)
	}
	switch {
	case err != nil:
		r.Notes = append(r.Notes, fmt.Sprintf("the observatoire before this one may have no archive: %v", err))
	case date != "":
		r.Notes = append(r.Notes, fmt.Sprintf("the archive of %s was added: an ingest was ended before it", date))
	}
}

// archive archives the observatoire of the folder after an ingest.
func (r *Report) archive(ctx context.Context, o Options, k *keptFiles, entries []entry, draft *archive.Draft,
	given bool) {
	if o.Archive == nil {
		return
	}
	path, err := k.observatory(entries)
	if path != "" && err == nil {
		r.Archived, err = o.Archive.Add(ctx, path, draft, given && o.Force)
	}
	if err != nil {
		r.Unarchived = err.Error()
	}
}
