//go:build unix

package store

import (
	"errors"
	"os"
	"syscall"
)

// install gives a new file the name of the one in use, and puts it in use, or closes it.
func (db *DB) install(next *file, temporary string) error {
	if err := os.Rename(temporary, db.path); err != nil {
		return errors.Join(err, next.close())
	}
	db.replace(next) // the old file has no name any more, and writes to it would be lost
	return nil
}

// notLocked returns false: here, unlocking twice succeeds.
func notLocked(error) bool { return false }

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
