//go:build lossfs

package lossfs

import (
	"regexp"
	"syscall"
)

// An Op is an operation that can be made to fail.
type Op string

// The operations. A path is that of the file or, for Rename, of the new name.
const (
	Read      Op = "read"
	Write     Op = "write"
	Truncate  Op = "truncate"
	Sync      Op = "fsync"
	SyncDir   Op = "fsyncdir"
	OpenFile  Op = "open"
	Create    Op = "create"
	MakeDir   Op = "mkdir"
	Rename    Op = "rename"
	Remove    Op = "unlink"
	unlimited    = -1
)

// A Fault makes operations fail.
type Fault struct {
	Op    Op
	Path  *regexp.Regexp // of the path below the mount, which has no slash at its beginning
	Errno syscall.Errno
	Skip  int // so many operations succeed before
	Count int // so many fail; below 0: all
	hits  int
}

// Inject makes operations fail from now on.
func (f *FS) Inject(fault *Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = append(f.faults, fault)
}

// Clear ends all faults.
func (f *FS) Clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = nil
}

// Hits returns how many operations a fault has let fail.
func (f *FS) Hits(fault *Fault) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return fault.hits
}

// fails returns the error of the first fault that is for an operation, 0 without one.
func (f *FS) fails(op Op, path string) syscall.Errno {
	for _, fault := range f.faults {
		switch {
		case fault.Op != op || fault.Count == 0 || !fault.Path.MatchString(path):
		case fault.Skip > 0:
			fault.Skip--
		default:
			if fault.Count != unlimited {
				fault.Count--
			}
			fault.hits++
			return fault.Errno
		}
	}
	return 0
}
