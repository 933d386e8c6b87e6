// Package check reads everything in a data folder and says what is wrong with it. It
// changes nothing, so that it can be used on a folder that is served, that is
// damaged, or that cannot be written to.
package check

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"relais/admin"
	"relais/backup"
	"relais/folder"
	"relais/ingest"
	"relais/inventory"
	"relais/market"
	"relais/measure"
	"relais/snapshot"
)

// A Report says what a folder holds.
type Report struct {
	OK    bool         `json:"ok"` // no file has a problem
	Files []admin.File `json:"files"`
	Notes []string     `json:"notes"` // what is left over or unknown; nothing is wrong with it
	dir   folder.Dir
}

// Folder reads every snapshot, source and store of a folder, whether it is served or
// not. Errors: that there is no such folder, that of ctx, those of asking the server.
func Folder(ctx context.Context, dir folder.Dir) (*Report, error) {
	info, err := os.Stat(string(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: the data folder does not exist", dir)
	}
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is no folder", dir)
	}
	r := &Report{dir: dir, Files: []admin.File{}, Notes: []string{}}
	if err := backup.Unfinished(string(dir)); err != nil {
		r.Files = append(r.Files,
			admin.File{Path: backup.Name, Bytes: size(filepath.Join(string(dir), backup.Name)), Kind: "copy",
				Problem: err.Error()})
	}
	r.snapshots()
	if err := r.sources(ctx); err != nil {
		return nil, err
	}
	stores, err := admin.Check(ctx, dir)
	if err != nil {
		return nil, err
	}
	r.Files = append(r.Files, stores...)
	for _, f := range stores {
		if f.Note != "" {
			r.note("%s: %s", f.Path, f.Note)
		}
	}
	r.lacking()
	if err := r.rest(); err != nil {
		return nil, err
	}
	r.OK = r.Problems() == 0
	return r, nil
}

// Backup compares a copy that relais backup made with its list of files. Errors: those of
// backup.Read, and that of ctx.
func Backup(ctx context.Context, dir string) (*Report, error) {
	list, err := backup.Read(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: whether the copy is whole cannot be known; a copy by an older relais has none", err)
	}
	if err != nil {
		return nil, err
	}
	r := &Report{dir: folder.Dir(dir), Files: []admin.File{}, Notes: []string{}}
	listed := map[string]bool{backup.Name: true}
	for _, l := range list.Files {
		f := admin.File{Path: l.Path, Bytes: l.Bytes, Kind: "copy",
			Detail: "as it was copied at " + list.Made.Format(time.RFC3339)}
		if err := l.Check(ctx, dir); err != nil {
			f.Detail, f.Problem = "", err.Error()
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		listed[l.Path] = true
		r.Files = append(r.Files, f)
	}
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if name := r.below(path); err == nil && !e.IsDir() && !listed[name] {
			r.note("%s: the list does not name it; relais restore leaves it out", name)
		}
		return err
	})
	r.OK = r.Problems() == 0
	return r, err
}

// Problems is the number of files that have one.
func (r *Report) Problems() (n int) {
	for _, f := range r.Files {
		if f.Problem != "" {
			n++
		}
	}
	return n
}

// below is a path as the report has it.
func (r *Report) below(path string) string {
	if name, err := filepath.Rel(string(r.dir), path); err == nil {
		return filepath.ToSlash(name)
	}
	return path
}

func (r *Report) snapshots() {
	for _, m := range market.All {
		path := r.dir.Snapshot(string(m.Code))
		s, err := snapshot.ReadFile(path, m.Code)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		f := admin.File{Path: r.below(path), Bytes: size(path), Kind: "snapshot"}
		if err != nil {
			f.Problem = err.Error()
		} else {
			f.Detail = admin.Number(s.Len(), "site") + ", " + admin.Number(s.Emissions(), "emission") + " of " +
				s.SourceDate
		}
		r.Files = append(r.Files, f)
	}
}

// lacking names the snapshots that are missing though their sources are there.
func (r *Report) lacking() {
	for _, m := range market.All {
		path := r.dir.Snapshot(string(m.Code))
		listed := slices.ContainsFunc(r.Files, func(f admin.File) bool { return f.Path == r.below(path) })
		_, err := os.Stat(filepath.Join(r.dir.Sources(string(m.Code)), folder.ManifestName))
		_, other := os.Stat(r.dir.Snapshot("DROM")) // FR's sources are for both
		if listed || err != nil || m.Code == market.FR && other == nil {
			continue
		}
		r.Files = append(r.Files,
			admin.File{Path: r.below(path), Kind: "missing",
				Problem: "it is missing, and its sources are there: relais ingest makes it again, from new files"})
	}
}

func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

func (r *Report) sources(ctx context.Context) error {
	kept, err := ingest.CheckKept(ctx, r.dir)
	if err != nil {
		return err
	}
	for _, k := range kept {
		f := admin.File{Path: r.below(k.Path), Bytes: k.Bytes, Kind: "source", Detail: strings.Join(k.Kinds, ", ")}
		if k.Err != nil {
			f.Problem = k.Err.Error()
		} else {
			f.Detail += ": " + admin.Number(int(k.Unpacked), "byte") + " unpacked"
		}
		r.Files = append(r.Files, f)
	}
	return nil
}

// rest notes the files that nothing above has looked at. Folders that are not of
// relais are named and not looked into.
func (r *Report) rest() error {
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
		case e.IsDir() && ours(name):
			return nil
		case slices.ContainsFunc(r.Files, func(f admin.File) bool { return f.Path == name }), known(name):
			return nil
		}
		r.note("%s: %s", name, unknown(name, e))
		if e.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
}

func (r *Report) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// ours tells whether a folder is one that relais makes.
func ours(name string) bool {
	return name == "snapshots" || name == measure.Dir || name == "photos" || name == "sources" || name == "downloads" ||
		strings.HasPrefix(name, "sources/") || strings.HasPrefix(name, "downloads/")
}

// known tells whether a file needs no check: a lock, a manifest whose files were
// read, and what update can fetch again.
func known(name string) bool {
	first, base, below := strings.Cut(name, "/")
	return name == inventory.Name || name == backup.Name || name == measure.Dir+"/"+measure.ManifestName ||
		!below && strings.HasSuffix(name, ".lock") || first == "downloads" ||
		first == "sources" && slices.Contains([]string{folder.ManifestName, folder.UpdateName, folder.FeedsName},
			filepath.Base(base))
}

// unknown says what a file may be that was not looked at.
func unknown(name string, e fs.DirEntry) string {
	switch {
	case folder.IsTemporary(e) || name == "quota.db.tmp":
		return "a temporary file, of a process that is at work or was killed"
	case strings.HasSuffix(name, ".damaged"):
		return "put aside because it could not be read; remove it when nobody needs it"
	case measure.IsFile(name):
		return "measures that count nowhere, of an import that was killed"
	case strings.HasPrefix(name, "sources/"):
		return "no manifest names it; relais does not use it"
	}
	return "not a file of relais"
}
