package store

import (
	"errors"
	"fmt"
	"os"
	"time"

	"relais/internal/system"
)

// openLocked opens the file at path and locks it: for all others with os.O_RDWR, for
// writers with os.O_RDONLY.
func openLocked(path string, flag int) (*os.File, error) {
	for start := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		f, err := system.OpenFile(path, flag, 0)
		if err != nil {
			return nil, err
		}
		held, err := lock(f, path, flag)
		if held {
			return f, nil
		}
		f.Close()
		if err != nil {
			return nil, err
		}
		if time.Since(start) > patience {
			return nil, ErrHeld
		}
	}
}

// release closes a file that openLocked has opened. It may be closed already, or mapped by a
// bolt that panicked: then closing it alone would not end its lock.
func release(f *os.File) {
	_ = system.Unlock(f)
	f.Close()
}

// lock reports whether it locked f, and f is still the file at path: between opening and locking, Compact may have put
// another in its place.
func lock(f *os.File, path string, flag int) (bool, error) {
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	if !info.Mode().IsRegular() {
		return false, fmt.Errorf("not a file")
	}
	if err := system.Lock(f, flag == os.O_RDONLY); err != nil {
		if errors.Is(err, system.ErrLocked) {
			return false, nil
		}
		return false, fmt.Errorf("lock: %w", err)
	}
	named, err := os.Stat(path)
	if err != nil {
		return false, err
	}
	return os.SameFile(info, named), nil
}
