// Package backup distinguishes complete copies of a data folder from incomplete ones. The
// file backup.json in a copy first states that the copy is not finished, and at the end lists
// its files. The package knows files only by their names and bytes.
package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"relais/internal/folder"
)

// Name is the list's name in a copy.
const Name = "backup.json"

const format = 1

var (
	// ErrUnfinished says that the copy was ended before it was complete.
	ErrUnfinished = errors.New(
		"a backup or restore into this folder was not finished: empty the folder and do it again")
	// ErrDamaged says that the list or a file was changed after it was written.
	ErrDamaged = errors.New("the copy is damaged")
)

// A List is the list of a copy's files.
type List struct {
	Format   int       `json:"format"`
	Complete bool      `json:"complete"`
	Made     time.Time `json:"made,omitzero"`
	Source   *Source   `json:"source,omitempty"` // of a copy in a folder of copies
	Number   int       `json:"number,omitempty"` // among the copies of its source there
	Files    []File    `json:"files"`
}

// A File is a file of a copy.
type File struct {
	Path   string `json:"path"` // below the copy, with slashes
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Read reads the list of a copy. Errors: fs.ErrNotExist without a list,
// ErrUnfinished, ErrDamaged.
func Read(dir string) (*List, error) {
	var l List
	err := folder.ReadJSON(filepath.Join(dir, Name), &l)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s has no %s: %w", dir, Name, fs.ErrNotExist)
	case errors.Is(err, folder.ErrJSON):
		return nil, fmt.Errorf("%s: %s cannot be read (%w): %w", dir, Name, err, ErrDamaged)
	case err != nil:
		return nil, err
	case l.Format > format:
		return nil, fmt.Errorf("%s was made by a newer relais: use that version", dir)
	case l.Format != format:
		return nil, fmt.Errorf("%s: %s has no format: %w", dir, Name, ErrDamaged)
	case !l.Complete:
		return nil, fmt.Errorf("%s: %w", dir, ErrUnfinished)
	case len(l.Files) == 0:
		return nil, fmt.Errorf("%s: %s names no file: %w", dir, Name, ErrDamaged)
	}
	for _, f := range l.Files {
		if !filepath.IsLocal(filepath.FromSlash(f.Path)) {
			return nil, fmt.Errorf("%s: %s names a file outside of it (%q): %w", dir, Name, f.Path, ErrDamaged)
		}
	}
	return &l, nil
}

// Unfinished returns ErrUnfinished for a folder with an unfinished copy.
func Unfinished(dir string) error {
	if _, err := Read(dir); errors.Is(err, ErrUnfinished) {
		return err
	}
	return nil
}

func (l *List) write(dir string) error { return folder.ReplaceJSON(filepath.Join(dir, Name), l) }

// Seal writes the list of a copy's files, which makes it complete.
func Seal(ctx context.Context, dir string, now time.Time) error {
	l := &List{Format: format, Complete: true, Made: now.UTC().Truncate(time.Second), Files: []File{}}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || path == filepath.Join(dir, Name) {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		f := File{Path: filepath.ToSlash(name)}
		f.Bytes, f.SHA256, err = sum(ctx, path)
		l.Files = append(l.Files, f)
		return err
	})
	if err != nil {
		return err
	}
	return l.write(dir)
}

// Unseal removes the list of a folder that was restored completely.
func Unseal(dir string) error {
	if err := os.Remove(filepath.Join(dir, Name)); err != nil {
		return err
	}
	return folder.SyncDir(dir)
}

// Check compares a file of a copy with the list. Errors: ErrDamaged, that of ctx.
func (f File) Check(ctx context.Context, dir string) error {
	n, text, err := sum(ctx, filepath.Join(dir, filepath.FromSlash(f.Path)))
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s is missing: %w", f.Path, ErrDamaged)
	case err != nil:
		return fmt.Errorf("%s (%w): %w", f.Path, err, ErrDamaged)
	case n != f.Bytes:
		return fmt.Errorf("%s has %d bytes, had %d when it was copied: %w", f.Path, n, f.Bytes, ErrDamaged)
	case !strings.EqualFold(text, f.SHA256):
		return fmt.Errorf("%s was changed after it was copied (SHA-256): %w", f.Path, ErrDamaged)
	}
	return nil
}

// maxErrors is how many files the error of Check names.
const maxErrors = 10

// Check compares the files of a copy with its list. Errors: ErrDamaged with the first
// files that differ, that of ctx.
func (l *List) Check(ctx context.Context, dir string) error {
	var errs []error
	for _, f := range l.Files {
		err := f.Check(ctx, dir)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			errs = append(errs, err)
		}
		if len(errs) == maxErrors {
			break
		}
	}
	return errors.Join(errs...)
}

// sum returns a file's size and SHA-256.
func sum(ctx context.Context, path string) (int64, string, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, reader{ctx, f})
	return n, hex.EncodeToString(h.Sum(nil)), err
}

// A reader fails when its context is done.
type reader struct {
	ctx context.Context
	io.Reader
}

// Read implements io.Reader.
func (r reader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(b)
}
