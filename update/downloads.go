package update

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"relais/folder"
	"relais/market"
)

// downloadsOf is where the files of one source lie until they are taken, each in a
// folder with its name in the table; home is the first of the source's markets.
func downloadsOf(dir folder.Dir, home market.Code) string {
	return filepath.Join(dir.Downloads(), string(home))
}

// sweep removes what earlier runs left of files that the table no longer names, which
// nothing else would, and takes the rest from the sight of others: before they are
// ingested, files are as the authority sends them, with personal data.
func (t *Table) sweep(dir folder.Dir) error {
	if err := hide(dir.Downloads()); err != nil {
		return err
	}
	named := map[string]bool{}
	for _, to := range targets() {
		for _, f := range t.filesOf(to) {
			named[filepath.Join(downloadsOf(dir, to.markets()[0]), f.Name)] = true
		}
	}
	for _, m := range market.All {
		of := downloadsOf(dir, m.Code)
		entries, err := os.ReadDir(of)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		for _, e := range entries {
			if path := filepath.Join(of, e.Name()); e.IsDir() && !named[path] {
				if err := os.RemoveAll(path); err != nil {
					return err
				}
			}
		}
		if err := filepath.WalkDir(of, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.Type()&fs.ModeSymlink != 0 {
				return err
			}
			return hide(path)
		}); err != nil {
			return err
		}
		removeEmpty(of)
	}
	removeEmpty(dir.Downloads())
	return nil
}

// hide leaves a folder or file to its owner. It writes nothing where that is so.
func hide(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	return os.Chmod(path, info.Mode().Perm()&0o700)
}

// removeEmpty removes a folder in which nothing is left.
func removeEmpty(dir string) {
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return // something is left
	}
}
