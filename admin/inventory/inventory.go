// Package inventory reads and writes stores.json: the stores of a data folder when it was last
// open. It knows files only by their names.
package inventory

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"relais/internal/folder"
)

// Name is the file's name in the data folder.
const Name = "stores.json"

const format = 1

var (
	// ErrDamaged says that the file is not valid.
	ErrDamaged = errors.New("the file is damaged")
	// ErrNewer says that a newer relais wrote the file.
	ErrNewer = errors.New("this folder was written by a newer relais")
)

// A File is the content of stores.json.
type File struct {
	Format int `json:"format"`
	// History names the sequence of commits of the stores. It changes with a
	// restore, because the same commit numbers have other content afterwards.
	History string `json:"history"`
	// Stores are the stores of the folder, by their path below it.
	Stores map[string]Store `json:"stores"`
	// Files are other files that the folder needs.
	Files []string `json:"files,omitempty"`
}

// A Store is the record of one store.
type Store struct {
	Commits uint64 `json:"commits"` // its commit counter
}

// New returns an empty File with a new history.
func New() *File { return &File{Format: format, History: NewHistory(), Stores: map[string]Store{}} }

// NewHistory returns a random name for a new history.
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
