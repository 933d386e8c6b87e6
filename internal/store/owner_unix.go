//go:build unix

package store

import (
	"os"
	"syscall"
)

// keepOwner gives a file the mode and owner of another: an operator, or root, may compact
// a file that belongs to the account that serves.
func keepOwner(path string, of os.FileInfo) error {
	if err := os.Chmod(path, of.Mode().Perm()); err != nil {
		return err
	}
	st, ok := of.Sys().(*syscall.Stat_t)
	if !ok || int(st.Uid) == os.Geteuid() && int(st.Gid) == os.Getegid() {
		return nil
	}
	return os.Chown(path, int(st.Uid), int(st.Gid))
}
