// Package inventory is stores.json: what a data folder had when it was last looked at,
// and what is known of the time. It knows files by their names only.
package inventory

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"relais/folder"
	"relais/retention"
)

// Name is the file's name in the data folder.
const Name = "stores.json"

const format = 1

var (
	// ErrDamaged says that the file cannot be read as it was written.
	ErrDamaged = errors.New("the file is damaged")
	// ErrNewer says that a newer relais wrote the file.
	ErrNewer = errors.New("this folder was written by a newer relais")
)

// A File is what stores.json says.
type File struct {
	Format int `json:"format"`
	// History names how the stores went from commit to commit. It is another after a
	// restore, from when on they have the same numbers of commits with other content; ""
	// is that of a folder of an older version.
	History string          `json:"history,omitempty"`
	Clock   retention.State `json:"clock"`
	// Stores are the stores that the folder has, by their path below it.
	Stores map[string]Store `json:"stores"`
	// Files are other files that the folder cannot do without.
	Files []string `json:"files,omitempty"`
}

// A Store is what is noted of a store.
type Store struct {
	Commits uint64 `json:"commits"` // its commit counter
}

// New returns a File that notes nothing, with another history.
func New() *File { return &File{Format: format, History: NewHistory(), Stores: map[string]Store{}} }

// NewHistory is the name of a history that begins.
func NewHistory() string { return strings.ToLower(rand.Text()[:12]) }

// Read reads the file of a folder. Errors: fs.ErrNotExist, ErrDamaged, ErrNewer, those of
// reading.
func Read(dir folder.Dir) (*File, error) {
	f := &File{}
	err := folder.ReadJSON(filepath.Join(string(dir), Name), f)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w", Name, fs.ErrNotExist)
	case errors.Is(err, folder.ErrJSON):
		return nil, fmt.Errorf("%s: %w (%w)", Name, ErrDamaged, err)
	case err != nil:
		return nil, err
	case f.Format > format:
		return nil, fmt.Errorf("%s: %w: use that version", Name, ErrNewer)
	case f.Format < 1 || f.Stores == nil:
		return nil, fmt.Errorf("%s: %w (it lacks its format or its stores)", Name, ErrDamaged)
	}
	return f, nil
}

// Write replaces the file of a folder.
func (f *File) Write(dir folder.Dir) error {
	return folder.ReplaceJSON(filepath.Join(string(dir), Name), f)
}
