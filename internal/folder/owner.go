package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// OwnerAdvice adds advice to an error about missing permissions in the folder: the owner, the
// caller, and the command that helps. Any other error, and one in a folder of the
// caller's own, is returned unchanged.
func (d Dir) OwnerAdvice(err error) error {
	if d == "" || !errors.Is(err, fs.ErrPermission) || os.Geteuid() == 0 {
		return err
	}
	return d.ownerAdvice(err, os.Geteuid())
}

func (d Dir) ownerAdvice(err error, euid int) error {
	path, absErr := filepath.Abs(string(d))
	if absErr != nil {
		path = string(d)
	}
	me := userName(euid)
	if above := existing(path); above != path {
		owner, ok := ownerOf(above)
		if !ok || owner == euid {
			return err
		}
		return fmt.Errorf("%w: %s belongs to %s, and this process runs as %s; make the folder with: sudo install -d -o %s %s",
			err, above, userName(owner), me, me, shellWord(path))
	}
	foreign, owner := foreignPath(path, euid)
	if foreign == "" {
		return err
	}
	return fmt.Errorf("%w: %s belongs to %s, and this process runs as %s; run it as %s, or give the folder to %s with: sudo chown -R %s: %s",
		err, foreign, userName(owner), me, userName(owner), me, me, shellWord(path))
}

// existing returns the path, or the nearest folder above it that exists.
func existing(path string) string {
	for {
		_, err := os.Lstat(path)
		above := filepath.Dir(path)
		if !errors.Is(err, fs.ErrNotExist) || above == path {
			return path
		}
		path = above
	}
}

// foreignPath returns the first path of a folder, the folder itself first, that belongs
// to somebody else, or "".
func foreignPath(dir string, euid int) (foreign string, owner int) {
	_ = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if id, ok := ownerOf(path); ok && id != euid {
			foreign, owner = path, id
			return fs.SkipAll
		}
		if err != nil {
			return fs.SkipDir // a folder that cannot be read is the caller's own
		}
		return nil
	})
	return foreign, owner
}

func ownerOf(path string) (uid int, ok bool) {
	info, err := os.Lstat(path)
	if err != nil {
		return 0, false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(st.Uid), true
}

// userName returns the name of a user, or else the number.
func userName(uid int) string {
	id := strconv.Itoa(uid)
	if u, err := user.LookupId(id); err == nil {
		return u.Username
	}
	return id
}

// shellWord quotes a text for a shell.
func shellWord(text string) string {
	if strings.Trim(text, "/._-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
