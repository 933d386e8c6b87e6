// Package system is what differs between Linux, macOS and Windows: locks, free space, what an error of the system
// means, and files that are replaced while they are read. Each of them has its file.
package system

import "errors"

// ErrLocked says that another holds the lock.
var ErrLocked = errors.New("locked by another process")
