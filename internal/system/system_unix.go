//go:build unix

package system

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Full reports whether err says that the disk is full.
func Full(err error) bool { return errors.Is(err, unix.ENOSPC) }

// WriteProtected reports whether err says that the file system can only be read.
func WriteProtected(err error) bool { return errors.Is(err, unix.EROFS) }

// AddressInUse reports whether err says that another socket listens on the address.
func AddressInUse(err error) bool { return errors.Is(err, unix.EADDRINUSE) }

// Free returns the bytes and files that an ordinary user can still put into the file system of a path: root has a
// reserve.
func Free(path string) (bytes, files uint64, err error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return 0, 0, err
	}
	if s.Files == 0 { // it has no such limit
		return s.Bavail * uint64(s.Bsize), 1 << 32, nil
	}
	return s.Bavail * uint64(s.Bsize), s.Ffree, nil
}

// MostOpen returns how many files the process may have open, 0 if that is not limited or not known.
func MostOpen() uint64 {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return limit.Cur
}

// HasModes reports whether files have modes that say who may use them.
const HasModes = true

// Mode returns the permissions of a file.
func Mode(info os.FileInfo) os.FileMode { return info.Mode().Perm() }

// OpenFile is os.OpenFile for a file that others may rename, replace or remove while it is open.
func OpenFile(path string, flag int, mode os.FileMode) (*os.File, error) {
	return os.OpenFile(path, flag, mode)
}

// CreateUnlinked creates a file that ends with the process, or when it is closed. The pattern is that of os.CreateTemp.
func CreateUnlinked(dir, pattern string) (*os.File, error) {
	f, err := os.CreateTemp(dir, pattern)
	if err != nil {
		return nil, err
	}
	return f, os.Remove(f.Name())
}

// Rename replaces a file, also one that is open.
func Rename(from, to string) error { return os.Rename(from, to) }

// RemoveAll is os.RemoveAll.
func RemoveAll(path string) error { return os.RemoveAll(path) }

// SyncFolder syncs the names in a folder to disk.
func SyncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	// Some file systems cannot sync a folder; the rename has to do there.
	if err := f.Sync(); err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOTSUP) {
		return err
	}
	return nil
}
