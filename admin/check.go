package admin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"relais/admin/backup"
	"relais/internal/folder"
	"relais/internal/lang"
)

// A File is the finding about one file of the folder.
type File struct {
	Path    string `json:"path"` // below the folder
	Bytes   int64  `json:"bytes"`
	Kind    string `json:"kind"`              // store, key, counts, socket; others have their own
	Detail  string `json:"detail"`            // its content, in words
	Problem string `json:"problem,omitempty"` // with the remedy
	Note    string `json:"note,omitempty"`    // worth knowing, not a problem
	remedy  string // a command; "" for none in particular
}

// A CheckReport lists the files of a data folder, or of a copy of one.
type CheckReport struct {
	OK    bool     `json:"ok"` // no file has a problem
	Files []File   `json:"files"`
	Notes []string `json:"notes"` // leftover and unknown files, which are not problems
	dir   folder.Dir
}

// CheckFolder reads every snapshot, source and store of a folder, served or not. Errors: a missing
// folder, that of ctx, those of asking the server.
func CheckFolder(ctx context.Context, dir folder.Dir) (*CheckReport, error) {
	if err := isFolder(dir); err != nil {
		return nil, err
	}
	r := &CheckReport{dir: dir, Files: []File{}, Notes: []string{}}
	if err := backup.Unfinished(string(dir)); err != nil {
		r.Files = append(r.Files,
			File{Path: backup.Name, Bytes: size(filepath.Join(string(dir), backup.Name)), Kind: "copy",
				Problem: err.Error()})
	}
	r.snapshots()
	r.addresses()
	r.coverageMaps()
	r.streets(ctx)
	if err := r.sources(ctx); err != nil {
		return nil, err
	}
	stores, err := checkStores(ctx, dir)
	if err != nil {
		return nil, err
	}
	r.Files = append(append(r.Files, stores...), checkOthers(dir)...)
	for _, f := range r.Files {
		if f.Note != "" {
			r.note("%s: %s", f.Path, f.Note)
		}
	}
	r.lacking() // after the stores, which name snapshots that stores.json has and the folder lacks
	if err := r.rest(); err != nil {
		return nil, err
	}
	r.OK = r.Problems() == 0
	return r, nil
}

var errNoFolder = errors.New("the data folder does not exist")

// isFolder fails for a path that is not a folder.
func isFolder(dir folder.Dir) error {
	info, err := os.Stat(string(dir))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w", dir, errNoFolder)
	case err == nil && !info.IsDir():
		return fmt.Errorf("%s is a file: name the data folder", dir)
	}
	return err
}

// CheckBackup compares a copy that relais backup made with its list of files. Errors: those of
// backup.Read, and that of ctx.
func CheckBackup(ctx context.Context, dir string) (*CheckReport, error) {
	list, err := backup.Read(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: whether the copy is whole cannot be known", err)
	}
	if err != nil {
		return nil, err
	}
	r := &CheckReport{dir: folder.Dir(dir), Files: []File{}, Notes: []string{}}
	listed := map[string]bool{backup.Name: true}
	for _, l := range list.Files {
		f := File{Path: l.Path, Bytes: l.Bytes, Kind: "copy",
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

// Problems returns the number of files that have one.
func (r *CheckReport) Problems() (n int) {
	for _, f := range r.Files {
		if f.Problem != "" {
			n++
		}
	}
	return n
}

// below returns a path as the report shows it.
func (r *CheckReport) below(path string) string {
	if name, err := filepath.Rel(string(r.dir), path); err == nil {
		return filepath.ToSlash(name)
	}
	return path
}

func (r *CheckReport) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// Number writes a number of things, whose plural ends in s: "1 client", "69,801 sites".
func Number(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return lang.Get("en").Number(n) + " " + thing
}
