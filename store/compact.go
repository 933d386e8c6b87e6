package store

import (
	"errors"
	"math"
	"os"
	"syscall"

	bolt "go.etcd.io/bbolt"
)

// Compact writes the file anew without its unused space, and answers its size in
// bytes before and after. Nobody may have it open, and there must be space for
// both. With an error the file is as it was. Errors: fs.ErrNotExist, ErrHeld
// after a second, ErrDamaged, those of writing.
func Compact(path string) (before, after int64, err error) {
	db, err := open(path, os.O_RDWR, math.MaxInt64)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	old, err := db.file.Stat()
	if err != nil {
		return 0, 0, err
	}
	err = replace(path, func(dst *bolt.DB) error {
		const most = 1 << 20 // bytes of a transaction
		err := guard(db.name, func() error { return bolt.Compact(dst, db.bolt, most) })
		if err != nil {
			return err
		}
		return keepOwner(dst.Path(), old)
	})
	if err != nil {
		return 0, 0, failed("compact", db.name, err)
	}
	now, err := os.Stat(path)
	if err != nil {
		return 0, 0, err
	}
	return old.Size(), now.Size(), nil
}

// keepOwner gives a file the mode and owner of another: an operator may compact
// what belongs to the account that serves.
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
