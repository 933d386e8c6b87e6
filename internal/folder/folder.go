// Package folder is the data folder: the paths in it, how a file is
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

	"relais/internal/system"
)

// A Dir is a data folder.
type Dir string

// ManifestName is the file below Sources that lists the kept files.
const ManifestName = "manifest.json"

// UpdateName is the file below Sources that records the versions of the files that were
// downloaded, and of those that were refused.
const UpdateName = "update.json"

// FeedsName is the file below Sources that records the same for the files of
// unavailable sites, which are not kept.
const FeedsName = "feeds.json"

// LostAndFound is a folder of the file system, and always root's, where the data folder is a mount.
const LostAndFound = "lost+found"

// MeasuresName, DaysName and MapsName are the files below Sources that record the same for the files of measurements, for
// the daily files of unavailable sites, and for coverage maps.
const (
	MeasuresName = "measures.json"
	DaysName     = "days.json"
	MapsName     = "coverage.json"
)

// ChoiceName is the file that records what an update fetches in addition.
const ChoiceName = "choice.json"

// Choice returns the path of that file.
func (d Dir) Choice() string { return filepath.Join(string(d), "sources", ChoiceName) }

const lockSuffix = ".lock"

// Snapshots is the folder of the snapshots, one file for each market.
func (d Dir) Snapshots() string { return filepath.Join(string(d), "snapshots") }

// Snapshot is the file of one market's snapshot.
func (d Dir) Snapshot(market string) string {
	return filepath.Join(d.Snapshots(), market+".snap")
}

// Sources is the folder of the last good inputs of a market.
func (d Dir) Sources(market string) string {
	return filepath.Join(string(d), "sources", market)
}

// AddressesName is the name of AddressesDir.
const AddressesName = "addresses"

// AddressesDir is the folder of the streets of registers of addresses.
func (d Dir) AddressesDir() string { return filepath.Join(string(d), AddressesName) }

// Addresses is the file of the streets of a market, and of those that share its register of addresses.
func (d Dir) Addresses(market string) string {
	return filepath.Join(d.AddressesDir(), market+".streets")
}

// CoverageName is the name of Coverage.
const CoverageName = "coverage"

// Coverage is the folder of official coverage maps.
func (d Dir) Coverage() string { return filepath.Join(string(d), CoverageName) }

// Downloads is the folder of files until they are ingested.
func (d Dir) Downloads() string { return filepath.Join(string(d), "downloads") }

// Photos is the folder of the photos' images, one file for each month.
func (d Dir) Photos() string { return filepath.Join(string(d), "photos") }

// Basemap is the file with streets for the map.
func (d Dir) Basemap() string { return filepath.Join(string(d), BasemapName) }

// BasemapName is the file with streets for the map. Files whose names begin with it are parts of one that is being
// fetched.
const BasemapName = "basemap.pmtiles"

// PackName is the file that makes a folder a pack.
const PackName = "pack.json"

// IsPack reports whether the folder is a pack: the data of an area, to be read only.
func (d Dir) IsPack() bool {
	_, err := os.Stat(filepath.Join(string(d), PackName))
	return err == nil
}

// Unused reports whether the folder is missing, or has only the leftovers
// of an ingest that was ended before it wrote anything.
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

// ReadOnly reports whether err says that the file system or folder cannot be written to.
func ReadOnly(err error) bool {
	return system.WriteProtected(err) || errors.Is(err, fs.ErrPermission) || system.Full(err)
}

// Replace writes a file so that a crash or an error at any point leaves either
// the old file or the new one, complete. A missing folder is created.
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

// A Staged file is on disk under a temporary name, ready to
// replace the file at its path.
type Staged struct{ path, temporary string }

// tempMark is part of the names of temporary files.
const tempMark = ".tmp-"

// Stage writes a file next to path. Commit or Discard must follow.
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
			os.Remove(f.Name()) // SweepTemporary removes it otherwise
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

// Path is where the file will be.
func (s *Staged) Path() string { return s.path }

// Temporary is where the file is until it is committed.
func (s *Staged) Temporary() string { return s.temporary }

// Commit replaces the file at the path and syncs the folder.
func (s *Staged) Commit() error { return CommitAll([]*Staged{s}) }

// CommitAll replaces several files one right after the other. Others see
// all of them old or all new, except for an instant.
func CommitAll(staged []*Staged) error {
	for _, s := range staged { // check all before the first is replaced
		if info, err := os.Lstat(s.path); err == nil && info.IsDir() {
			return fmt.Errorf("%s is a folder where a file belongs", s.path)
		}
	}
	for _, s := range staged {
		if err := system.Rename(s.temporary, s.path); err != nil {
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

// Discard removes the staged file unless it was committed.
func (s *Staged) Discard() {
	if s.temporary != "" {
		os.Remove(s.temporary) // SweepTemporary removes it otherwise
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

// IsTemporary reports whether a file is one of Stage that was neither committed nor discarded.
func IsTemporary(e fs.DirEntry) bool {
	return strings.HasPrefix(e.Name(), ".") && strings.Contains(e.Name(), tempMark) && e.Type().IsRegular()
}

// MakeDir creates a folder and its parents, and syncs their names to disk.
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

// MakePrivateDir is MakeDir for a folder that only its owner may read. An existing folder is
// closed to others, unless the file system has no modes.
func MakePrivateDir(dir string) error {
	if err := MakeDir(dir); err != nil {
		return err
	}
	if info, err := os.Stat(dir); err == nil && info.IsDir() && info.Mode().Perm()&0o077 != 0 {
		_ = os.Chmod(dir, 0o700)
	}
	return nil
}

// SyncDir syncs the names in a folder to disk.
func SyncDir(dir string) error { return system.SyncFolder(dir) }
