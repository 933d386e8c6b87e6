package backup

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"relais/internal/folder"
	"relais/internal/system"
)

// A Source names the folder of a copy. Copies of different sources are counted apart.
type Source struct {
	Path    string `json:"path"`    // of the data folder, absolute
	History string `json:"history"` // that of stores.json; "" if it has none
}

// A Shelved copy is in a folder of dated copies. Number counts the copies of a source: the clock, which
// may be wrong, does not decide which is newer.
type Shelved struct {
	Path   string
	Number int
}

// Shelf returns the complete copies of a source in a folder of copies, the newest first. A copy with a file
// that is missing or has another size is not complete.
func Shelf(shelf string, source Source) ([]Shelved, error) {
	entries, err := os.ReadDir(shelf)
	if err != nil {
		return nil, err
	}
	var list []Shelved
	for _, e := range entries {
		path := filepath.Join(shelf, e.Name())
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		l, err := Read(path)
		if err == nil && l.Source != nil && *l.Source == source && l.hasFiles(path) {
			list = append(list, Shelved{path, l.Number})
		}
	}
	slices.SortFunc(list, func(a, b Shelved) int {
		return cmp.Or(cmp.Compare(b.Number, a.Number), cmp.Compare(b.Path, a.Path))
	})
	return list, nil
}

// hasFiles reports whether the copy has files of the listed sizes. It does not read them.
func (l *List) hasFiles(dir string) bool {
	return !slices.ContainsFunc(l.Files, func(f File) bool {
		info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(f.Path)))
		return err != nil || info.Size() != f.Bytes
	})
}

// NewName returns a path in a folder of copies for one that is made now.
func NewName(shelf string, now time.Time) string {
	name := now.UTC().Format("2006-01-02T15-04-05Z")
	for n := 1; ; n++ {
		path := filepath.Join(shelf, name)
		if n > 1 {
			path += fmt.Sprint("-", n)
		}
		if _, err := os.Lstat(path); err != nil {
			return path
		}
	}
}

// Note adds the source and the number to the list of a complete copy.
func Note(dir string, source Source, number int) error {
	l, err := Read(dir)
	if err != nil {
		return err
	}
	l.Source, l.Number = &source, number
	return l.write(dir)
}

// Remove removes a copy. It is renamed first, so that a copy that lost some of its files is never taken for a
// complete one.
func (s Shelved) Remove() error {
	gone := filepath.Join(filepath.Dir(s.Path), "."+filepath.Base(s.Path)+tempMark+"removed")
	if err := system.Rename(s.Path, gone); err != nil {
		return err
	}
	if err := begin(gone); err != nil { // Tidy removes unfinished copies
		return err
	}
	if err := system.RemoveAll(gone); err != nil {
		return err
	}
	return folder.SyncDir(filepath.Dir(s.Path))
}

const tempMark = ".tmp-"

// temporary is the name of a copy of NewName that has no name yet, or none any more.
var temporary = regexp.MustCompile(`^\.\d{4,}-\d\d-\d\dT\d\d-\d\d-\d\dZ(-\d+)?\.tmp-`)

// Tidy removes what killed processes left in a folder of copies: copies under a temporary name, and copies
// that were being removed.
func Tidy(shelf string) {
	entries, err := os.ReadDir(shelf)
	if err != nil {
		return
	}
	for _, e := range entries {
		if temporary.MatchString(e.Name()) {
			sweep(shelf, e.Name())
			if strings.HasSuffix(e.Name(), tempMark+"removed") {
				_ = system.RemoveAll(filepath.Join(shelf, e.Name())) // tried again with the next copy
			}
		}
	}
}
