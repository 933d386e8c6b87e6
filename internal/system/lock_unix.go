//go:build unix

package system

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Lock locks a file without waiting: for all others, or if shared for those that do not share. It ends with Unlock, or
// when the file is closed. Errors: ErrLocked, those of the system.
func Lock(f *os.File, shared bool) error {
	how := unix.LOCK_EX
	if shared {
		how = unix.LOCK_SH
	}
	err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}

// Unlock ends a lock, also while the file is mapped.
func Unlock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_UN) }

// A FolderLock is held until Close.
type FolderLock struct {
	*os.File
	Held bool // false where folders cannot be locked
}

// LockFolder locks a folder for all others without waiting. A link is followed if follow is set. Errors: ErrLocked, those
// of opening the folder.
func LockFolder(dir string, follow bool) (*FolderLock, error) {
	flag := os.O_RDONLY
	if !follow {
		flag |= unix.O_NOFOLLOW
	}
	f, err := os.OpenFile(dir, flag, 0)
	if err != nil {
		return nil, err
	}
	err = Lock(f, false)
	if errors.Is(err, ErrLocked) {
		f.Close()
		return nil, err
	}
	return &FolderLock{f, err == nil}, nil
}
