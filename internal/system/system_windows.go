package system

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

// among reports whether err is one of some errors of the system.
func among(err error, numbers ...syscall.Errno) bool {
	for _, n := range numbers {
		if errors.Is(err, n) {
			return true
		}
	}
	return false
}

// Full reports whether err says that the disk is full.
func Full(err error) bool {
	return among(err, windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL, syscall.ENOSPC)
}

// WriteProtected reports whether err says that the disk can only be read.
func WriteProtected(err error) bool { return among(err, windows.ERROR_WRITE_PROTECT, syscall.EROFS) }

// AddressInUse reports whether err says that another socket listens on the address.
func AddressInUse(err error) bool { return among(err, windows.WSAEADDRINUSE) }

// Free returns the bytes that the user can still put into the disk of a path, and a large number of files: there is no
// limit.
func Free(path string) (bytes, files uint64, err error) {
	p, err := windows.UTF16PtrFromString(path)
	if err == nil {
		err = windows.GetDiskFreeSpaceEx(p, &bytes, nil, nil)
	}
	if err != nil {
		return 0, 0, &os.PathError{Op: "free space", Path: path, Err: err}
	}
	return bytes, 1 << 32, nil
}

// MostOpen returns how many files the process may have open, 0 if that is not limited or not known.
func MostOpen() uint64 { return 0 }

// HasModes reports whether files have modes that say who may use them. On Windows their folder says it.
const HasModes = false

// Mode returns the permissions of a file: all for its owner and none for others, since nothing else is known.
func Mode(os.FileInfo) os.FileMode { return 0o700 }

// SetClock is a command that sets the clock.
const SetClock = "w32tm /resync"

// OpenFile is os.OpenFile for a file that others may rename, replace or remove while it is open, which os.OpenFile does
// not allow. Of the flags it knows os.O_RDONLY, os.O_RDWR and os.O_CREATE.
func OpenFile(path string, flag int, _ os.FileMode) (*os.File, error) {
	access, create := uint32(windows.GENERIC_READ), uint32(windows.OPEN_EXISTING)
	attributes := uint32(windows.FILE_ATTRIBUTE_NORMAL)
	if flag&os.O_RDWR != 0 {
		access |= windows.GENERIC_WRITE
	} else {
		attributes |= windows.FILE_FLAG_BACKUP_SEMANTICS // a folder can be opened, as on other systems
	}
	if flag&os.O_CREATE != 0 {
		create = windows.OPEN_ALWAYS
	}
	return open(path, access, create, attributes)
}

// CreateUnlinked creates a file that ends with the process, or when it is closed. The pattern is that of os.CreateTemp.
func CreateUnlinked(dir, pattern string) (*os.File, error) {
	before, after, _ := strings.Cut(pattern, "*")
	for try := 0; ; try++ {
		path := filepath.Join(dir, fmt.Sprintf("%s%d%s", before, rand.Uint64(), after))
		f, err := open(path, windows.GENERIC_READ|windows.GENERIC_WRITE|windows.DELETE, windows.CREATE_NEW,
			windows.FILE_ATTRIBUTE_TEMPORARY|windows.FILE_FLAG_DELETE_ON_CLOSE)
		if !errors.Is(err, os.ErrExist) || try == 100 {
			return f, err
		}
	}
}

// open opens a file that others may rename, replace or remove meanwhile.
func open(path string, access, create, attributes uint32) (*os.File, error) {
	p, err := windows.UTF16PtrFromString(path)
	if err == nil {
		var h windows.Handle
		const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
		h, err = windows.CreateFile(p, access, share, nil, create, attributes, 0)
		if err == nil {
			return os.NewFile(uintptr(h), path), nil
		}
	}
	return nil, &os.PathError{Op: "open", Path: path, Err: err}
}

// patience is how long a file may be open elsewhere, such as for a virus scanner, until it is replaced or removed.
const patience = 2 * time.Second

// Rename replaces a file. One that OpenFile has opened may be open, unless it is mapped, and another one is waited for.
func Rename(from, to string) error {
	return retry(func() error { return rename(from, to) })
}

// retry calls do until it does not fail because a file is open, or for patience.
func retry(do func() error) error {
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		err := do()
		if !among(err, windows.ERROR_ACCESS_DENIED, windows.ERROR_SHARING_VIOLATION) || time.Now().After(end) {
			return err
		}
	}
}

// RemoveAll is os.RemoveAll, and waits for files that are open elsewhere.
func RemoveAll(path string) error { return retry(func() error { return removeAll(path) }) }

// removeAll is os.RemoveAll without the kind of deletion that wine 8 lacks.
func removeAll(path string) error {
	err := os.Remove(path)
	if err == nil || errors.Is(err, os.ErrNotExist) {
		return nil
	}
	inside, listErr := os.ReadDir(path)
	if listErr != nil || len(inside) == 0 {
		return err
	}
	err = nil
	for _, e := range inside {
		err = errors.Join(err, removeAll(filepath.Join(path, e.Name())))
	}
	if err == nil {
		err = os.Remove(path)
	}
	return err
}

// rename is os.Rename for names in one folder. It is done through os.Root, which replaces open files.
func rename(from, to string) error {
	dir := filepath.Dir(from)
	if dir != filepath.Dir(to) {
		return os.Rename(from, to)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return root.Rename(filepath.Base(from), filepath.Base(to))
}

// SyncFolder does nothing: Windows has no call for it. NTFS keeps names in order by its journal; after a power cut, a FAT or
// exFAT file system may have lost the newest ones.
func SyncFolder(string) error { return nil }
