//go:build unix

package update

import (
	"io/fs"
	"syscall"
)

// identity is the number of a file.
func identity(info fs.FileInfo) uint64 { return info.Sys().(*syscall.Stat_t).Ino }
