package backup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"relais/internal/folder"
	"relais/internal/system"
)

// Fill calls fill to write a copy and to end it with Seal or Unseal. If dest is missing, the copy
// gets this name when it is complete. If dest exists, which may be a mount, fill writes into it,
// and it is marked as unfinished until the end. A copy that fails is removed.
func Fill(dest string, fill func(dir string) error) error {
	_, err := os.Lstat(dest)
	if errors.Is(err, fs.ErrNotExist) {
		return fillNew(dest, fill)
	}
	if err != nil {
		return err
	}
	return fillThere(dest, fill)
}

// fillNew writes a copy under a temporary name next to dest.
func fillNew(dest string, fill func(dir string) error) error {
	dest, err := filepath.Abs(dest)
	if err != nil {
		return err
	}
	parent := filepath.Dir(dest)
	if err := folder.MakeDir(parent); err != nil {
		return err
	}
	prefix := "." + filepath.Base(dest) + ".tmp-"
	sweep(parent, prefix)
	dir, err := os.MkdirTemp(parent, prefix)
	if err != nil {
		return err
	}
	err = locked(dir, func() error {
		err := errors.Join(os.Chmod(dir, 0o755), begin(dir))
		if err == nil {
			err = fill(dir)
		}
		if err == nil {
			err = system.Rename(dir, dest)
		}
		return err
	})
	if err != nil {
		return errors.Join(err, system.RemoveAll(dir))
	}
	return folder.SyncDir(parent)
}

// fillThere writes a copy into an existing folder.
func fillThere(dir string, fill func(dir string) error) error {
	return locked(dir, func() error {
		before, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		if err := begin(dir); err != nil {
			return err
		}
		if err := fill(dir); err != nil {
			return errors.Join(err, clear(dir, before))
		}
		return nil
	})
}

func begin(dir string) error { return (&List{Format: format, Files: []File{}}).write(dir) }

// clear removes everything that was not in the folder before, the list last.
func clear(dir string, before []fs.DirEntry) error {
	keep := map[string]bool{Name: true}
	for _, e := range before {
		keep[e.Name()] = true
	}
	now, err := os.ReadDir(dir)
	for _, e := range now {
		if !keep[e.Name()] {
			err = errors.Join(err, system.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	if err != nil || len(before) > 0 { // former files may have been changed: it stays unfinished
		return err
	}
	return Unseal(dir)
}

// locked calls do while it holds a lock against other copies into the folder.
func locked(dir string, do func() error) error {
	lock, err := system.LockFolder(dir, true)
	if errors.Is(err, system.ErrLocked) {
		return fmt.Errorf("%s: another process copies into it", dir)
	}
	if err != nil {
		return err
	}
	defer lock.Close()
	return do() // also on file systems without locks on folders
}

// sweep removes what killed processes left. It ignores errors, because leftovers only take space.
func sweep(parent, prefix string) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	for _, e := range entries {
		dir := filepath.Join(parent, e.Name())
		if e.IsDir() && strings.HasPrefix(e.Name(), prefix) && Unfinished(dir) != nil {
			_ = locked(dir, func() error { return system.RemoveAll(dir) })
		}
	}
}
