//go:build unix

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

// OwnerAdvice adds advice to an error about missing permissions in the folder, or of a path outside of it:
// the owner, the caller, and the command that helps. Any other error is returned unchanged.
func (d Dir) OwnerAdvice(err error) error {
	if !errors.Is(err, fs.ErrPermission) || os.Geteuid() == 0 {
		return err
	}
	return d.ownerAdvice(err, os.Geteuid())
}

func (d Dir) ownerAdvice(err error, euid int) error {
	dir, absErr := filepath.Abs(string(d))
	denied := dir
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		path := wholePath(dir, of.Path)
		if name, relErr := filepath.Rel(dir, path); relErr != nil || !filepath.IsLocal(name) {
			denied = path
		}
	}
	if absErr != nil || d == "" && denied == dir {
		return err
	}
	if text := advice(denied, denied == dir, euid); text != "" {
		return fmt.Errorf("%w: %s", err, text)
	}
	return err
}

// wholePath returns the path of an error: some name a file of the folder without the folder, and some a
// temporary file instead of the one that it will be.
func wholePath(dir, path string) string {
	above, name := filepath.Split(path)
	if at := strings.Index(name, tempMark); at > 0 && strings.HasPrefix(name, ".") {
		path = filepath.Join(above, name[1:at])
	}
	if inside := filepath.Join(dir, path); !filepath.IsAbs(path) && exists(inside) {
		return inside
	}
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}

// advice says what forbids a user to use a path, which may be a data folder, and which command helps; "" if
// that is not known. It knows no groups.
func advice(path string, data bool, euid int) string {
	me := userName(euid)
	belongs := func(path string, info fs.FileInfo) string {
		return fmt.Sprintf("%s belongs to %s, and relais runs as %s; ", path, userName(ownerOf(info)), me)
	}
	there := path // or the nearest folder above that exists
	for above := filepath.Dir(path); ; above = filepath.Dir(above) {
		if info, err := os.Lstat(above); err == nil && info.Mode().Perm()&0o011 == 0 && ownerOf(info) != euid {
			return fmt.Sprintf("%s belongs to %s and lets nobody else in, and relais runs as %s; name another folder, or let "+
				"others through with: sudo chmod o+x %s", above, userName(ownerOf(info)), me, shellWord(above))
		}
		if !exists(there) {
			there = above
		}
		if above == filepath.Dir(above) {
			break
		}
	}
	if there != path {
		info, err := os.Lstat(there)
		if err != nil || ownerOf(info) == euid {
			return ""
		}
		return belongs(there, info) + fmt.Sprintf("make the folder with: sudo install -d -o %s %s", me, shellWord(path))
	}
	if foreign, info := find(path, ownedByOther(euid)); foreign != "" {
		text := belongs(foreign, info)
		if owner := ownerOf(info); owner != 0 {
			text += fmt.Sprintf("run it as %s with: sudo -u %[1]s relais …, or ", userName(owner))
		}
		if !data {
			return text + fmt.Sprintf("give it to %s with: sudo chown %s: %s", me, me, shellWord(foreign))
		}
		return text + fmt.Sprintf("give the folder to %s with: sudo chown -R %s: %s", me, me, shellWord(path))
	}
	if weak, info := find(path, closedToOwner); weak != "" {
		return fmt.Sprintf("%s has the mode %04o; mend it with: chmod -R u+rwX %s", weak, info.Mode().Perm(), shellWord(path))
	}
	return ""
}

// Foreign returns the first path of the folder that does not belong to the folder's owner, the owner and the
// command that helps, or "".
func (d Dir) Foreign() (path, owner, command string) {
	dir, err := filepath.Abs(string(d))
	if err != nil {
		return "", "", ""
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return "", "", ""
	}
	foreign, other := find(dir, ownedByOther(ownerOf(info)))
	if foreign == "" {
		return "", "", ""
	}
	return foreign, userName(ownerOf(other)), fmt.Sprintf("sudo chown -R %s: %s", userName(ownerOf(info)), shellWord(dir))
}

// Owner returns the name of the folder's owner, and whether it is the user who asks.
func (d Dir) Owner() (name string, own bool) {
	info, err := os.Lstat(string(d))
	if err != nil {
		return "", true
	}
	return userName(ownerOf(info)), mine(info)
}

// exists reports whether a path exists, as far as the caller may know.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// find returns the first path of a folder, the folder itself first, that is wrong, or "".
func find(dir string, wrong func(info fs.FileInfo) bool) (found string, of fs.FileInfo) {
	_ = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if filepath.Base(path) == LostAndFound {
			return fs.SkipDir
		}
		if info, err := os.Lstat(path); err == nil && wrong(info) {
			found, of = path, info
			return fs.SkipAll
		}
		if err != nil {
			return fs.SkipDir // a folder that cannot be read
		}
		return nil
	})
	return found, of
}

func ownedByOther(uid int) func(fs.FileInfo) bool {
	return func(info fs.FileInfo) bool { return ownerOf(info) != uid }
}

// closedToOwner reports whether a file or folder has a mode that keeps its owner out.
func closedToOwner(info fs.FileInfo) bool {
	mode := info.Mode().Perm()
	return info.IsDir() && mode&0o700 != 0o700 || info.Mode().IsRegular() && mode&0o600 != 0o600
}

// ownerOf returns the id of an owner, or that of the caller where files have none.
func ownerOf(info fs.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid)
	}
	return os.Geteuid()
}

// mine reports whether a file belongs to the caller.
func mine(info fs.FileInfo) bool { return ownerOf(info) == os.Geteuid() }

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
