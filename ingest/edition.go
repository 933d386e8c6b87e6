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

// An Archive adds an edition of the observatoire to the archives.
type Archive struct {
	// Add takes the absolute path of a kept file or archive. The draft of the options is what was read of it, nil if
	// it was not read now. Added is nil if its date has an edition that stays.
	Add func(ctx context.Context, path string, o archive.Options) (added *archive.Report, err error)
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
	var added *archive.Report
	if err == nil {
		added, err = o.Archive.Add(ctx, path, archive.Options{})
	}
	switch {
	case err != nil:
		r.Notes = append(r.Notes, fmt.Sprintf("the observatoire before this one may have no archive: %v", err))
	case added != nil:
		r.Notes = append(r.Notes, fmt.Sprintf("the archive of %s was added: an ingest was ended before it", added.Date))
	}
}

// archive archives the observatoire of the folder after an ingest. One that was given replaces the newest edition, if
// that is of the same date and has other rows: it is the authority's newer word.
func (r *Report) archive(ctx context.Context, o Options, k *keptFiles, entries []entry, draft *archive.Draft,
	given bool) {
	if o.Archive == nil {
		return
	}
	path, err := k.observatory(entries)
	var added *archive.Report
	if path != "" && err == nil {
		added, err = o.Archive.Add(ctx, path, archive.Options{Draft: draft, Force: given && o.Force, Newest: given})
	}
	if added != nil {
		r.Archived, r.ArchiveReplaced = added.Date, added.Replaced
	}
	if err != nil {
		r.Unarchived = err.Error()
	}
}
