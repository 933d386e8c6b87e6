package folder

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"relais/internal/system"
)

// Scratch calls do with a new folder that only its owner can enter, and removes it afterwards. It is in
// a folder whose name begins with prefix, in the folder for temporary files. Scratch first removes the
// folders of this prefix and owner whose process is gone.
func Scratch(prefix string, do func(dir string) error) error {
	sweepScratch(os.TempDir(), prefix)
	dir, lock, err := makeScratch(prefix)
	if err != nil {
		return err
	}
	defer lock.Close()                  // after the folder is removed
	inner := filepath.Join(dir, "data") // stores lock the folder that they are made in
	if err = os.Mkdir(inner, 0o700); err == nil {
		err = do(inner)
	}
	return errors.Join(err, system.RemoveAll(dir))
}

// makeScratch makes a folder and locks it.
func makeScratch(prefix string) (dir string, lock *system.FolderLock, err error) {
	for range 100 {
		if dir, err = os.MkdirTemp("", prefix+"*"); err != nil {
			return "", nil, err
		}
		// Where folders cannot be locked, nobody sweeps either.
		lock, err = system.LockFolder(dir, false)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, system.ErrLocked) {
			continue // another process swept it before it was locked
		}
		if err != nil {
			return "", nil, errors.Join(err, os.Remove(dir))
		}
		if _, err = os.Lstat(dir); err == nil {
			return dir, lock, nil
		}
		lock.Close()
	}
	return "", nil, err
}

// sweepScratch removes the folders of Scratch that nobody locks. It ignores errors: what stays only
// takes space.
func sweepScratch(parent, prefix string) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		dir := filepath.Join(parent, e.Name())
		if info, err := os.Lstat(dir); err == nil && mine(info) {
			removeUnlocked(dir)
		}
	}
}

func removeUnlocked(dir string) {
	lock, err := system.LockFolder(dir, false)
	if err != nil {
		return
	}
	defer lock.Close()
	if lock.Held {
		_ = system.RemoveAll(dir)
	}
}
