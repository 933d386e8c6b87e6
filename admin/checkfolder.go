package admin

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"relais/admin/backup"
	"relais/admin/inventory"
	"relais/cluster"
	"relais/coverage"
	"relais/ingest"
	"relais/internal/folder"
	"relais/market"
	"relais/measure"
	"relais/snapshot"
)

// snapshots reads the snapshot of each market.
func (r *CheckReport) snapshots() {
	for _, m := range market.All {
		path := r.dir.Snapshot(string(m.Code))
		s, err := snapshot.ReadFile(path, m.Code)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		f := File{Path: r.below(path), Bytes: size(path), Kind: "snapshot"}
		if err != nil {
			f.Problem = err.Error()
		} else {
			f.Detail = Number(s.Len(), "site") + ", " + Number(s.Emissions(), "emission") + " of " +
				s.SourceDate
		}
		r.Files = append(r.Files, f)
	}
}

// streets reads the directories of the file with streets.
func (r *CheckReport) streets(ctx context.Context) {
	path := r.dir.Basemap()
	h, err := ReadBasemap(ctx, path)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	f := File{Path: r.below(path), Bytes: size(path), Kind: "streets"}
	if err != nil {
		f.Problem = err.Error() + ": relais basemap makes it again"
	} else {
		f.Detail = streetsText(h)
	}
	r.Files = append(r.Files, f)
}

// lacking names the snapshots that are missing although their sources exist. Of a source for several markets, one
// snapshot is enough. A snapshot that stores.json lists has a finding already.
func (r *CheckReport) lacking() {
	for _, src := range ingest.Sources {
		own := string(src.Markets[0]) // its sources are for all of them
		path := r.below(r.dir.Snapshot(own))
		made := func(code market.Code) bool {
			_, err := os.Stat(r.dir.Snapshot(string(code)))
			return err == nil
		}
		_, err := os.Stat(filepath.Join(r.dir.Sources(own), folder.ManifestName))
		if err != nil || r.names(path) || slices.ContainsFunc(src.Markets, made) {
			continue
		}
		r.Files = append(r.Files, File{Path: path, Kind: "missing",
			Problem: "it is missing, and its sources are there: relais ingest makes it again, from new files"})
	}
}

// names reports whether the report has a file already.
func (r *CheckReport) names(path string) bool {
	return slices.ContainsFunc(r.Files, func(f File) bool { return f.Path == path })
}

func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// sources reads the kept sources to their end, and compares them with their manifests.
func (r *CheckReport) sources(ctx context.Context) error {
	kept, err := ingest.CheckKept(ctx, r.dir)
	if err != nil {
		return err
	}
	for _, k := range kept {
		f := File{Path: r.below(k.Path), Bytes: k.Bytes, Kind: "source", Detail: strings.Join(k.Kinds, ", ")}
		if k.Err != nil {
			f.Problem = k.Err.Error()
		} else {
			f.Detail += ": " + Number(int(k.Unpacked), "byte") + " unpacked"
		}
		r.Files = append(r.Files, f)
	}
	return nil
}

// rest notes the files that no other check has read. It names folders that relais does not make and
// does not look into them. It comes last, when the report has all other files.
func (r *CheckReport) rest() error {
	return filepath.WalkDir(string(r.dir), func(path string, e fs.DirEntry, err error) error {
		name := r.below(path)
		switch {
		case errors.Is(err, fs.ErrNotExist): // gone meanwhile
			return nil
		case name == ".":
			return err
		case err != nil:
			r.note("%s: %v", name, err)
			return nil
		case e.IsDir() && isOwnFolder(name):
			return nil
		case r.names(name), needsNoCheck(name):
			return nil
		}
		r.note("%s: %s", name, describeUnknown(name, e))
		if e.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
}

// isOwnFolder reports whether relais makes a folder of that name.
func isOwnFolder(name string) bool {
	return slices.Contains([]string{"snapshots", measure.Dir, "photos", "sources", "downloads", folder.AddressesName,
		folder.CoverageName, cacheFolder}, name) ||
		strings.HasPrefix(name, "sources/") || strings.HasPrefix(name, "downloads/")
}

// needsNoCheck reports whether a file is a lock, a manifest whose files were read, or one
// that update can fetch again.
func needsNoCheck(name string) bool {
	first, base, below := strings.Cut(name, "/")
	return name == inventory.Name || name == backup.Name || name == folder.PackName ||
		!below && strings.HasSuffix(name, ".lock") || first == "downloads" || first == cacheFolder ||
		name == cluster.MemberName || name == cluster.ListName ||
		first == "sources" && slices.Contains([]string{folder.ManifestName, folder.UpdateName, folder.FeedsName,
			folder.MeasuresName, folder.DaysName, folder.MapsName, folder.ChoiceName}, filepath.Base(base))
}

// describeUnknown says how an unchecked file may have come about.
func describeUnknown(name string, e fs.DirEntry) string {
	switch {
	case folder.IsTemporary(e) || name == "quota.db.tmp":
		return "a temporary file, of a process that is at work or was killed"
	case coverage.IsTemporary(name):
		return "temporary files, of an import that is at work or was killed"
	case strings.HasSuffix(name, ".damaged"):
		return "put aside because it could not be read; remove it when nobody needs it"
	case strings.HasPrefix(name, folder.BasemapName+partSuffix):
		return "streets that are not complete: the same relais basemap goes on with them"
	case measure.IsFile(name):
		return "measures that count nowhere, of an import that was killed"
	case strings.HasPrefix(name, "sources/"):
		return "no manifest names it; relais does not use it"
	}
	return "not a file of relais"
}
