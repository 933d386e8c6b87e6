package update

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"relais/internal/folder"
	"relais/market"
)

// downloadsOf returns the folder with the downloads of one source. Each file has a folder
// named as in the table. home is the first of the source's markets.
func downloadsOf(dir folder.Dir, home market.Code) string {
	return filepath.Join(dir.Downloads(), string(home))
}

// sweep removes downloads of files that the table no longer names. It makes the other
// downloads private: before ingest, an authority's file contains personal data.
func (t *Table) sweep(dir folder.Dir) error {
	if err := restrict(dir.Downloads()); err != nil {
		return err
	}
	named := map[string]bool{}
	for _, to := range targets() {
		for _, f := range t.filesOf(to) {
			named[filepath.Join(downloadsOf(dir, to.markets()[0]), f.Name)] = true
		}
	}
	for _, m := range market.All {
		home := downloadsOf(dir, m.Code)
		entries, err := os.ReadDir(home)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		for _, e := range entries {
			if path := filepath.Join(home, e.Name()); e.IsDir() && !named[path] {
				if err := os.RemoveAll(path); err != nil {
					return err
				}
			}
		}
		if err := filepath.WalkDir(home, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.Type()&fs.ModeSymlink != 0 {
				return err
			}
			return restrict(path)
		}); err != nil {
			return err
		}
		removeEmpty(home)
	}
	removeEmpty(dir.Downloads())
	return nil
}

// restrict makes a folder or file accessible to its owner only. It writes nothing if
// that is already so.
func restrict(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	return os.Chmod(path, info.Mode().Perm()&0o700)
}

// removeEmpty removes a folder if it is empty.
func removeEmpty(dir string) {
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return // not empty
	}
}
