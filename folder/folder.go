// Package folder is the data folder: where each thing lies in it, how a file is
// replaced so that a crash leaves the old one or the new one, and which process
// holds it. It does not know what the files contain.
package folder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// A Dir is a data folder.
type Dir string

// ManifestName is the file below Sources that names what is kept there.
const ManifestName = "manifest.json"

// UpdateName is the file below Sources that remembers where what is kept there was
// downloaded, and in which version.
const UpdateName = "update.json"

// FeedsName is the file below Sources that remembers the same of the files of
// unavailable sites, which are not kept.
const FeedsName = "feeds.json"

const lockSuffix = ".lock"

// Snapshots is where the snapshots lie, one file a market.
func (d Dir) Snapshots() string { return filepath.Join(string(d), "snapshots") }

// Snapshot is the file of one market's snapshot.
func (d Dir) Snapshot(market string) string {
	return filepath.Join(d.Snapshots(), market+".snap")
}

// Sources is where the last good inputs of a market lie.
func (d Dir) Sources(market string) string {
	return filepath.Join(string(d), "sources", market)
}

// Downloads is where files lie until they are ingested.
func (d Dir) Downloads() string { return filepath.Join(string(d), "downloads") }

// Photos is where the images of photos lie, one file a month.
func (d Dir) Photos() string { return filepath.Join(string(d), "photos") }

// Unused tells whether the folder is missing, or holds nothing but what is left
// of an ingest that was ended before it had written anything.
func (d Dir) Unused() (bool, error) {
	unused := true
	err := filepath.WalkDir(string(d), func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		name, err := filepath.Rel(string(d), path)
		if err != nil {
			return err
		}
		first, _, below := strings.Cut(filepath.ToSlash(name), "/")
		switch {
		case e.IsDir() && name == ".", first == "downloads", e.IsDir() && (first == "snapshots" || first == "sources"):
		case !below && strings.HasSuffix(name, lockSuffix):
		case first == "snapshots" && IsTemporary(e), first == "sources" && e.Name() != ManifestName:
		default:
			unused = false
			return fs.SkipAll
		}
		return nil
	})
	return unused, err
}

// ReadOnly tells whether err says that nothing can be written here.
func ReadOnly(err error) bool {
	return errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOSPC)
}

// Replace writes a file so that a crash or an error at any point leaves either
// the old file or the new one, whole. The folder is made when it is missing.
func Replace(path string, write func(io.Writer) error) error {
	s, err := Stage(path, write)
	if err != nil {
		return err
	}
	return s.Commit()
}

// ReplacePrivate is Replace for a file that only its owner may read.
func ReplacePrivate(path string, write func(io.Writer) error) error {
	s, err := stage(path, 0o600, write)
	if err != nil {
		return err
	}
	return s.Commit()
}

// A Staged file is written and on disk under a temporary name, and waits to
// replace the file at its path.
type Staged struct{ path, temporary string }

// tempMark is in the names of temporary files.
const tempMark = ".tmp-"

// Stage writes a file beside path. It must be ended by Commit or Discard.
func Stage(path string, write func(io.Writer) error) (*Staged, error) {
	return stage(path, 0o644, write)
}

func stage(path string, mode fs.FileMode, write func(io.Writer) error) (s *Staged, err error) {
	dir, name := filepath.Dir(path), filepath.Base(path)
	if err := MakeDir(dir); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(dir, "."+name+tempMark+"*")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name()) // what stays is swept later
			err = fmt.Errorf("write %s: %w", path, err)
		}
	}()
	if err := write(f); err != nil {
		return nil, err
	}
	if err := f.Chmod(mode); err != nil {
		return nil, err
	}
	if err := f.Sync(); err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	return &Staged{path, f.Name()}, nil
}

// Commit replaces the file at the path and makes that last.
func (s *Staged) Commit() error { return CommitAll([]*Staged{s}) }

// CommitAll replaces several files one right after the other, so that who looks
// at the folder finds all of them or none new, but for an instant.
func CommitAll(staged []*Staged) error {
	for _, s := range staged { // what would fail must do so before the first
		if info, err := os.Lstat(s.path); err == nil && info.IsDir() {
			return fmt.Errorf("%s is a folder where a file belongs", s.path)
		}
	}
	for _, s := range staged {
		if err := os.Rename(s.temporary, s.path); err != nil {
			return err
		}
		s.temporary = ""
	}
	synced := map[string]bool{}
	for _, s := range staged {
		if dir := filepath.Dir(s.path); !synced[dir] {
			if err := SyncDir(dir); err != nil {
				return err
			}
			synced[dir] = true
		}
	}
	return nil
}

// Discard removes what was staged and not committed.
func (s *Staged) Discard() {
	if s.temporary != "" {
		os.Remove(s.temporary) // what stays is swept later
	}
}

// SweepTemporary removes the temporary files that a killed process left in dir.
// Nobody may be staging there.
func SweepTemporary(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if IsTemporary(e) {
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// IsTemporary tells whether a file is what Stage wrote and nobody ended.
func IsTemporary(e fs.DirEntry) bool {
	return strings.HasPrefix(e.Name(), ".") && strings.Contains(e.Name(), tempMark) && e.Type().IsRegular()
}

// MakeDir makes a folder and those above it, and makes that last.
func MakeDir(dir string) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	above := filepath.Dir(dir)
	if above != dir {
		if err := MakeDir(above); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return SyncDir(above)
}

// MakePrivateDir is MakeDir for a folder that only its owner may look into. One that is
// there is closed to others; some file systems have no modes, and leave it as it is.
func MakePrivateDir(dir string) error {
	if err := MakeDir(dir); err != nil {
		return err
	}
	if info, err := os.Stat(dir); err == nil && info.IsDir() && info.Mode().Perm()&0o077 != 0 {
		_ = os.Chmod(dir, 0o700)
	}
	return nil
}

// SyncDir makes the names in a folder last.
func SyncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	// Some file systems cannot sync a folder; there the rename is all there is.
	if err := f.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}
