package ingest

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"relais/internal/folder"
	"relais/snapshot"
)

// A Publisher gives several servers the same files.
type Publisher interface {
	// Base names the files of the folder whose path begins with prefix.
	Base(ctx context.Context, prefix string) (base string, err error)
	// Publish replaces the files whose path begins with prefix, if they are those of base, and
	// adds or replaces the others of the list.
	Publish(ctx context.Context, prefix, base string, list []Published) error
}

// Published is a file for a Publisher.
type Published struct {
	Path string // below the data folder, with slashes
	From string // where its bytes are
}

// write replaces the snapshots and the manifest of the sources, all at once.
func (r *Report) write(dir folder.Dir, builders []*snapshot.Builder, keeping *copier, entries []entry,
	commit func(entries []entry, staged []*folder.Staged) error) error {
	var staged []*folder.Staged
	defer func() {
		for _, s := range staged {
			s.Discard()
		}
	}()
	for _, b := range builders {
		s, info, err := b.Stage(dir.Snapshot(string(b.Market)))
		if err != nil {
			return err
		}
		staged = append(staged, s)
		for i := range r.Markets {
			if r.Markets[i].Market == b.Market {
				r.Markets[i].Snapshot = &SnapshotFile{Path: info.Path, Bytes: info.Bytes, Version: info.Version}
			}
		}
	}
	manifest, err := keeping.stage(entries)
	if err != nil {
		return err
	}
	// The manifest comes first: kept sources are never older than the served snapshot.
	staged = slices.Insert(staged, 0, manifest)
	keeping.committed = true
	return commit(entries, staged)
}

// commit returns what puts staged files into their places. Entries are the sources that are kept.
func (o *Options) commit(ctx context.Context, src *Source) (
	commit func(entries []entry, staged []*folder.Staged) error, err error,
) {
	if o.Publisher == nil {
		return func(_ []entry, staged []*folder.Staged) error { return folder.CommitAll(staged) }, nil
	}
	kept := o.Dir.Sources(string(src.Markets[0]))
	below := func(path string) string {
		return filepath.ToSlash(strings.TrimPrefix(path, string(o.Dir)+string(filepath.Separator)))
	}
	prefix := below(kept) + "/"
	base, err := o.Publisher.Base(ctx, prefix)
	if err != nil {
		return nil, err
	}
	return func(entries []entry, staged []*folder.Staged) error {
		var list []Published
		for _, e := range entries {
			path := filepath.Join(kept, e.File)
			if one := (Published{below(path), path}); !slices.Contains(list, one) {
				list = append(list, one)
			}
		}
		for _, s := range staged {
			list = append(list, Published{below(s.Path()), s.Temporary()})
		}
		return o.Publisher.Publish(ctx, prefix, base, list)
	}, nil
}
