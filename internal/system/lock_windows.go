package system

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// lockAt is the offset of the byte that is locked: far beyond the end of every file, since what is locked cannot be
// read by others. bbolt locks another one.
var lockAt = windows.Overlapped{OffsetHigh: 1 << 30}

// Lock locks a file without waiting: for all others, or if shared for those that do not share. It ends with Unlock, or
// when the file is closed. Errors: ErrLocked, those of the system.
func Lock(f *os.File, shared bool) error {
	flags := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY | windows.LOCKFILE_EXCLUSIVE_LOCK)
	if shared {
		flags = windows.LOCKFILE_FAIL_IMMEDIATELY
	}
	at := lockAt
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrLocked
	}
	return err
}

// boltAt is the byte that bbolt locks.
var boltAt = windows.Overlapped{Offset: 1<<32 - 1, OffsetHigh: 1<<32 - 1}

// Unlock ends a lock, also while the file is mapped, and that of bbolt.
func Unlock(f *os.File) error {
	at, bolt := lockAt, boltAt
	_ = windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, &bolt) // most files have none
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, &at)
}

// A FolderLock is held until Close.
type FolderLock struct {
	event windows.Handle
	Held  bool // false where folders cannot be locked
}

// LockFolder locks a folder for all others without waiting. A link is followed if follow is set. Windows locks no
// folders: an event with the folder's number in its name stands for the lock, and ends with the process. Any local user
// can make that event first, and then the folder counts as locked. Errors:
// ErrLocked, those of opening the folder.
func LockFolder(dir string, follow bool) (*FolderLock, error) {
	attributes := uint32(windows.FILE_FLAG_BACKUP_SEMANTICS)
	if !follow {
		attributes |= windows.FILE_FLAG_OPEN_REPARSE_POINT
	}
	f, err := open(dir, windows.FILE_READ_ATTRIBUTES, windows.OPEN_EXISTING, attributes)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var info windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &info); err != nil {
		return &FolderLock{}, nil
	}
	name, err := windows.UTF16PtrFromString(fmt.Sprintf(`Global\relais-folder-%x-%x-%x`, info.VolumeSerialNumber,
		info.FileIndexHigh, info.FileIndexLow))
	if err != nil {
		return nil, err
	}
	event, err := windows.CreateEvent(nil, 1, 0, name)
	switch {
	case errors.Is(err, windows.ERROR_ALREADY_EXISTS):
		windows.CloseHandle(event)
		return nil, ErrLocked
	case errors.Is(err, windows.ERROR_ACCESS_DENIED): // that of another user
		return nil, ErrLocked
	case err != nil:
		return &FolderLock{}, nil
	}
	return &FolderLock{event, true}, nil
}

// Close ends the lock.
func (l *FolderLock) Close() error {
	if !l.Held {
		return nil
	}
	return windows.CloseHandle(l.event)
}
