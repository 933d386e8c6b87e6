package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	bolt "go.etcd.io/bbolt"
)

// create makes a file with empty buckets. bolt writes a new file in several
// steps, and a power cut between them leaves one that cannot be opened: so it
// gets its name when it is whole.
func create(path string, buckets []string) error {
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer dir.Close()
	// Two processes that find no file would each make one, and one would write
	// to a file without a name. Where folders have no locks that is left to chance.
	if err := syscall.Flock(int(dir.Fd()), syscall.LOCK_EX); err == nil {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return replace(path, func(db *bolt.DB) error {
		return db.Update(func(tx *bolt.Tx) error { return makeBuckets(tx, buckets) })
	})
}

// replace makes a bolt file beside path, fills it, and renames it to path. What
// is at path stays as it is when anything fails. The temporary file is one that
// folder.SweepTemporary knows.
func replace(path string, fill func(*bolt.DB) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".tmp-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name()) // what stays is swept later
		}
	}()
	defer f.Close()
	if err := write(f.Name(), fill); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// write makes an empty file a bolt file and fills it. It does not sync.
func write(path string, fill func(*bolt.DB) error) (err error) {
	db, err := bolt.Open(path, 0o600, &bolt.Options{Timeout: patience, FreelistType: bolt.FreelistMapType, NoSync: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return fill(db)
}

// syncDir makes the names in a folder last.
func syncDir(dir string) error {
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
