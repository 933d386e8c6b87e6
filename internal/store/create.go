package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	bolt "go.etcd.io/bbolt"

	"relais/internal/folder"
	"relais/internal/system"
)

// create makes a file with empty buckets. bolt writes a new file in several
// steps, and a power cut between them leaves one that cannot be opened: so it
// gets its name when it is whole.
func create(path string, buckets []string) error {
	// Two processes that find no file would each make one, and one would write
	// to a file without a name.
	dir, err := lockFolder(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer dir.Close()
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	temporary, err := stage(path, func(db *bolt.DB) error {
		return db.Update(func(tx *bolt.Tx) error {
			if err := putFormat(tx, 0); err != nil {
				return err
			}
			return makeBuckets(&Tx{bolt: tx}, buckets)
		})
	})
	if err != nil {
		return err
	}
	if err := system.Rename(temporary, path); err != nil {
		os.Remove(temporary) // if this fails, the file is swept later
		return err
	}
	return folder.SyncDir(filepath.Dir(path))
}

// lockFolder locks a folder until it is closed. On file systems without locks of folders it
// locks nothing: two processes must then not begin at the same time.
func lockFolder(dir string) (*system.FolderLock, error) {
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		lock, err := system.LockFolder(dir, true)
		if !errors.Is(err, system.ErrLocked) {
			return lock, err
		}
		if time.Now().After(end) {
			return nil, fmt.Errorf("%s: %w", dir, ErrHeld)
		}
	}
}

// stage makes a bolt file next to path, fills it and puts it on disk; the caller
// renames or removes it. Its name is one that folder.SweepTemporary knows.
func stage(path string, fill func(*bolt.DB) error) (temporary string, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".tmp-*")
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name()) // if this fails, the file is swept later
		}
	}()
	defer f.Close()
	if err := write(f.Name(), fill); err != nil {
		return "", err
	}
	return f.Name(), f.Sync()
}

// write makes an empty file a bolt file and fills it. It does not sync: stage does it once at the end.
func write(path string, fill func(*bolt.DB) error) (err error) {
	db, err := bolt.Open(path, 0o600,
		&bolt.Options{Timeout: patience, FreelistType: bolt.FreelistMapType, NoSync: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.AllocSize = step // bolt's own is so large that a file would double
	return fill(db)
}
