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

// LostAndFound is a folder of the file system, and always root's, where the data folder is a mount.
const LostAndFound = "lost+found"

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
	if absErr != nil {
		dir = string(d)
	}
	denied := dir
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		if path := wholePath(dir, of.Path); !below(dir, path) {
			denied = path
		}
	}
	if d == "" && denied == dir {
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
	name := filepath.Base(path)
	if at := strings.Index(name, tempMark); at > 0 && strings.HasPrefix(name, ".") {
		path = filepath.Join(filepath.Dir(path), name[1:at])
	}
	if filepath.IsAbs(path) {
		return path
	}
	if _, err := os.Lstat(filepath.Join(dir, path)); err == nil {
		return filepath.Join(dir, path)
	}
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}

// below reports whether a path is dir or in it.
func below(dir, path string) bool {
	name, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(name)
}

// advice says what forbids a user to use a path, which may be a data folder, and which command helps; "" if
// that is not known.
func advice(path string, data bool, euid int) string {
	me := userName(euid)
	if shut, owner, ok := shutAbove(path, euid); ok {
		return fmt.Sprintf("%s belongs to %s and lets nobody else in, and relais runs as %s; name another folder, or let "+
			"others through with: sudo chmod o+x %s", shut, userName(owner), me, shellWord(shut))
	}
	if above := existing(path); above != path {
		owner, ok := ownerOf(above)
		if !ok || owner == euid {
			return ""
		}
		return fmt.Sprintf("%s belongs to %s, and relais runs as %s; make the folder with: sudo install -d -o %s %s",
			above, userName(owner), me, me, shellWord(path))
	}
	foreign, owner := foreignPath(path, euid)
	if foreign == "" {
		return ownMode(path)
	}
	text := fmt.Sprintf("%s belongs to %s, and relais runs as %s; ", foreign, userName(owner), me)
	if owner != 0 {
		text += fmt.Sprintf("run it as %s with: sudo -u %[1]s relais …, or ", userName(owner))
	}
	if !data {
		return text + fmt.Sprintf("give it to %s with: sudo chown %s: %s", me, me, shellWord(foreign))
	}
	return text + fmt.Sprintf("give the folder to %s with: sudo chown -R %s: %s", me, me, shellWord(path))
}

// ownMode says how to mend a path of the caller's own that the caller may not write to.
func ownMode(path string) string {
	denied := ""
	_ = filepath.WalkDir(path, func(path string, e fs.DirEntry, err error) error {
		info, statErr := os.Lstat(path)
		if statErr == nil && (err != nil || info.IsDir() && info.Mode().Perm()&0o700 != 0o700 ||
			info.Mode().IsRegular() && info.Mode().Perm()&0o600 != 0o600) {
			denied = fmt.Sprintf("%s has the mode %04o", path, info.Mode().Perm())
			return fs.SkipAll
		}
		return nil
	})
	if denied == "" {
		return ""
	}
	return fmt.Sprintf("%s; mend it with: chmod -R u+rwX %s", denied, shellWord(path))
}

// shutAbove returns the first folder above a path that a user who does not own it may not enter. It knows
// no groups: a folder that a group may enter is not taken for shut.
func shutAbove(path string, euid int) (shut string, owner int, ok bool) {
	for above := filepath.Dir(path); ; above = filepath.Dir(above) {
		info, err := os.Lstat(above)
		if err == nil && info.IsDir() && info.Mode().Perm()&0o011 == 0 {
			if owner, ok := ownerOf(above); ok && owner != euid {
				return above, owner, true
			}
		}
		if above == filepath.Dir(above) {
			return "", 0, false
		}
	}
}

// Foreign returns the first path of the folder that does not belong to the folder's owner, the owner and the
// command that helps, or "".
func (d Dir) Foreign() (path, owner, command string) {
	dir, err := filepath.Abs(string(d))
	if err != nil {
		return "", "", ""
	}
	uid, ok := ownerOf(dir)
	if !ok {
		return "", "", ""
	}
	foreign, other := foreignPath(dir, uid)
	if foreign == "" {
		return "", "", ""
	}
	return foreign, userName(other), fmt.Sprintf("sudo chown -R %s: %s", userName(uid), shellWord(dir))
}

// Owner returns the name of the folder's owner, and whether it is the user who asks.
func (d Dir) Owner() (name string, mine bool) {
	uid, ok := ownerOf(string(d))
	return userName(uid), !ok || uid == os.Geteuid()
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
		if filepath.Base(path) == LostAndFound {
			return fs.SkipDir
		}
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
