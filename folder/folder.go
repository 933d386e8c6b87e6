// Package folder is the data folder: where each thing lies in it, how a file is
// replaced so that a crash leaves the old one or the new one, and which process
// holds it. It does not know what the files contain.
package folder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// A Dir is a data folder.
type Dir string

// Snapshots is where the snapshots lie, one file a market.
func (d Dir) Snapshots() string { return filepath.Join(string(d), "snapshots") }

// Snapshot is the file of one market's snapshot.
func (d Dir) Snapshot(market string) string {
	return filepath.Join(d.Snapshots(), market+".snap")
}

// Sources is where the last good inputs of a market lie.
func (d Dir) Sources(market string) string {
	return filepath.Join(string(d), "sources", market)
}

// Empty tells whether the folder is missing or holds nothing.
func (d Dir) Empty() (bool, error) {
	f, err := os.Open(string(d))
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	if _, err = f.Readdirnames(1); err == io.EOF {
		return true, nil
	}
	return false, err
}

// ReadOnly tells whether err says that nothing can be written here.
func ReadOnly(err error) bool {
	return errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission)
}

// Replace writes a file so that a crash or an error at any point leaves either
// the old file or the new one, whole: to a temporary file beside it, synced,
// renamed over it, and the folder synced. The folder is made when it is
// missing.
func Replace(path string, write func(io.Writer) error) (err error) {
	dir, name := filepath.Split(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "."+name+".tmp-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if err := write(f); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return Sync(dir)
}

// Sync makes the renames and removals in a folder last.
func Sync(dir string) error {
	if dir == "" {
		dir = "."
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	// Some file systems cannot sync a folder; there the rename is all there is.
	if err := f.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}
