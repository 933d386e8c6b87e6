package ingest

import (
	"path/filepath"
	"slices"

	"relais/ingest/anfr"
	"relais/ingest/source"
	"relais/internal/folder"
)

// Observatory returns the path of the kept observatoire of this ingest: a file or an archive.
// It is "" if the observatoire was not among the files.
func (r *Report) Observatory(dir folder.Dir) (path string, err error) {
	if !slices.ContainsFunc(r.Files, func(f *source.Report) bool { return f.Kind == anfr.Observatory && !f.Kept }) {
		return "", nil
	}
	src, err := sourceOf(anfr.Markets)
	if err != nil {
		return "", err
	}
	k, err := openKept(dir, src)
	if err != nil {
		return "", err
	}
	for _, e := range k.entries {
		if e.Kind == anfr.Observatory {
			return filepath.Abs(k.input(e).Path)
		}
	}
	return "", nil
}
