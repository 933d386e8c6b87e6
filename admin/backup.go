package admin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"relais/admin/backup"
	"relais/cluster"
	"relais/internal/folder"
	"relais/internal/store"
	"relais/measure"
	"relais/photos"
)

// transient reports whether no backup needs a file: locks, the socket, downloads under way, the
// day's counts, which are of use for a day only, the map of streets, the streets of addresses and the official coverage
// maps, which are made again from public files, and the files that make a folder a node's: the copy is an ordinary folder.
func transient(name string) bool {
	return strings.HasPrefix(filepath.ToSlash(name), "downloads/") ||
		strings.HasPrefix(filepath.ToSlash(name), folder.AddressesName+"/") ||
		strings.HasPrefix(filepath.ToSlash(name), folder.CoverageName+"/") || strings.HasSuffix(name, ".lock") ||
		name == socketFile || strings.HasPrefix(name, quotaFile) || name == cluster.MemberName || name == cluster.ListName ||
		strings.HasPrefix(filepath.ToSlash(name), cacheFolder+"/") || strings.HasPrefix(name, folder.BasemapName)
}

// Backup copies a folder, served or not, to dest, which must be missing or empty. All stores are
// copied as they are at one moment. The copy has secret.key: anybody who has the copy can open the
// signing secrets. It is marked as unfinished until it is complete.
//
// The copy of a node's folder is an ordinary folder, with the images that the cluster has unless
// images is false. Other folders have their images in files.
func Backup(ctx context.Context, dir folder.Dir, dest string, images bool, log *slog.Logger) error {
	return fillBackup(ctx, dir, dest, images, log, func(string) error { return nil })
}

// fillBackup is Backup, and calls note with the complete copy before it gets its name.
func fillBackup(ctx context.Context, dir folder.Dir, dest string, images bool, log *slog.Logger,
	note func(to string) error) error {
	if err := refuseUnfinished(string(dir), dest); err != nil {
		return err
	}
	if unused, err := folder.Dir(dest).Unused(); err != nil {
		return err
	} else if !unused {
		return fmt.Errorf("%s is not empty: name another folder", dest)
	}
	if isInside(string(dir), dest) {
		return fmt.Errorf("%s is in the folder that is to be copied: name one outside", dest)
	}
	// Before anything is copied: the stores' editions, the snapshots and the sources are of the same ingest.
	unlock, err := holdIngest(ctx, dir, "relais backup", log)
	if err != nil {
		return err
	}
	defer unlock()
	return backup.Fill(dest, func(to string) error {
		if err := copyFolder(ctx, dir, to, images, log); err != nil {
			return err
		}
		if err := backup.Seal(ctx, to, time.Now()); err != nil { // the list, with the sum of each file
			return err
		}
		return note(to)
	})
}

// refuseUnfinished fails for folders that a copy or a restore has not finished.
func refuseUnfinished(dirs ...string) error {
	for _, dir := range dirs {
		if err := backup.Unfinished(dir); err != nil {
			return err
		}
	}
	return nil
}

// isInside reports whether a path is dir or in it. A copy there would be copied into itself.
func isInside(dir, path string) bool {
	dir, err1 := filepath.Abs(dir)
	path, err2 := filepath.Abs(path)
	name, err := filepath.Rel(dir, path)
	return errors.Join(err1, err2, err) == nil && filepath.IsLocal(name)
}

// copyFolder copies the folder and writes stores.json of the copy. Stores come from the process that has them open;
// the tree leaves them out. The images are read with the copied records, so that each record has its images.
func copyFolder(ctx context.Context, dir folder.Dir, dest string, images bool, log *slog.Logger) error {
	if err := backupStores(ctx, dir, dest, log); err != nil {
		return fmt.Errorf("back up the stores: %w", err)
	}
	err := copyTree(string(dir), dest, func(name string) bool {
		return isDatabase(name) || measure.IsFile(filepath.ToSlash(name)) || transient(name) || name == backup.Name
	})
	if err != nil {
		return err
	}
	node, err := cluster.IsMember(dir)
	if err == nil && node && images {
		err = copyImages(ctx, dir, folder.Dir(dest), log)
	}
	if err != nil {
		return fmt.Errorf("back up the images: %w", err)
	}
	return noteCopy(folder.Dir(dest))
}

// copyImages copies the images of the photos in dest's copy of a node's records.
func copyImages(ctx context.Context, dir, dest folder.Dir, log *slog.Logger) error {
	m, err := cluster.ReadMember(dir)
	if err != nil {
		return err
	}
	e, err := connect(ctx, dir, m, Node{}, log)
	if err != nil {
		return err
	}
	defer e.Close()
	blobs, err := e.OpenBlobs(ctx, "")
	if err != nil {
		return err
	}
	db, err := store.OpenReadOnly(filepath.Join(string(dest), PhotosFile))
	if err != nil {
		return err
	}
	defer db.Close()
	all := photos.Open(db, dest, time.Now)
	if err := all.UseBlobs(uncached{blobs}); err != nil {
		return err
	}
	_, lost, err := all.WriteMonths(ctx, dest)
	if lost != nil {
		log.Error("photos have no images in the cluster", "error", lost)
	}
	return err
}

// Uncached blobs keep no copies in the folder: a backup reads each image once, and would evict those that are asked for.
type uncached struct{ cluster.Blobs }

// Evict implements photos.Blobs.
func (uncached) Evict(...string) {}

// holdIngest waits for an ingest that runs and keeps others from starting: snapshots and sources
// belong together.
func holdIngest(ctx context.Context, dir folder.Dir, what string, log *slog.Logger) (unlock func(), err error) {
	if _, err := os.Stat(string(dir)); err != nil {
		return nil, fmt.Errorf("the data folder: %w", err)
	}
	for waiting := false; ; waiting = true {
		lock, err := dir.Lock("ingest", what, time.Now())
		var held *folder.HeldError
		switch {
		case folder.ReadOnly(err): // no ingest can run there either
			return func() {}, nil
		case err == nil:
			return func() { lock.Unlock() }, nil
		case !errors.As(err, &held):
			return nil, err
		}
		if !waiting {
			log.Warn("another process changes the folder: waiting for its end", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(retry):
		}
	}
}

// Restore copies a backup into dir, which must be missing or empty. It compares the backup with its
// list before anything is written, and the copy with it afterwards: a disk may have damaged either.
func Restore(ctx context.Context, from string, dir folder.Dir) error {
	if err := refuseUnfinished(from); err != nil {
		return err
	}
	if err := refuseUsed(dir); err != nil {
		return err
	}
	list, err := backup.Read(from)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s has no %s: it is not a backup, or some of it is missing; use another backup", from, backup.Name)
	}
	if err != nil {
		return err
	}
	if err := list.Check(ctx, from); err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	return fillRestored(ctx, dir, func(to string) error {
		for _, f := range append(list.Files, backup.File{Path: backup.Name}) { // the list last
			name := filepath.FromSlash(f.Path)
			if err := makePrivate(to, name); err != nil {
				return err
			}
			if err := copyFile(filepath.Join(from, name), filepath.Join(to, name)); err != nil {
				return err
			}
		}
		return nil
	})
}

// refuseUsed fails for a folder that has something already.
func refuseUsed(dir folder.Dir) error {
	if err := refuseUnfinished(string(dir)); err != nil {
		return err
	}
	unused, err := dir.Unused()
	if err == nil && !unused {
		err = fmt.Errorf("%s is not empty: restore into another folder, and then put it in its place", dir)
	}
	return err
}

// fillRestored makes a folder of the copy that fill writes, with its list. It compares the two, and checks the
// stores: a list made of damaged stores agrees with them.
func fillRestored(ctx context.Context, dir folder.Dir, fill func(to string) error) error {
	return backup.Fill(string(dir), func(to string) error {
		if err := fill(to); err != nil {
			return err
		}
		list, err := backup.Read(to)
		if err == nil {
			err = list.Check(ctx, to)
		}
		if err == nil {
			err = wholeStores(folder.Dir(to))
		}
		if err == nil {
			err = noteCopy(folder.Dir(to))
		}
		if err != nil {
			return err
		}
		return backup.Unseal(to)
	})
}

// wholeStores checks the stores of a folder that no process has open.
func wholeStores(dir folder.Dir) error {
	all, err := databasesOf(dir)
	if err != nil {
		return err
	}
	for _, d := range all {
		if err := store.Check(filepath.Join(string(dir), d.file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return checkMeasures(dir)
}

// checkMeasures reads the measurements of a backup.
func checkMeasures(backup folder.Dir) error {
	db, err := measure.OpenDatabase(backup, true)
	if err != nil {
		return err
	}
	list, err := measure.Check(backup, db)
	for _, c := range list {
		err = errors.Join(err, c.Err)
	}
	if db != nil {
		err = errors.Join(err, db.Close())
	}
	return err
}

// copyTree copies the files of a folder, with the times of their last changes. It leaves out links,
// other special files, and the files that leaveOut chooses by their path below the folder.
func copyTree(from, to string, leaveOut func(name string) bool) error {
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if !e.Type().IsRegular() || leaveOut(name) || folder.IsTemporary(e) {
			return nil
		}
		if err := makePrivate(to, name); err != nil {
			return err
		}
		return copyFile(path, filepath.Join(to, name))
	})
}

// makePrivate makes the folder of a file private in the copy if the file has measurements: they say
// what somebody measured, where and when.
func makePrivate(to, name string) error {
	if !measure.IsFile(filepath.ToSlash(name)) {
		return nil
	}
	return folder.MakePrivateDir(filepath.Join(to, measure.Dir))
}

// copyFile copies a file with the rights of its owner and the time of its last change.
func copyFile(from, to string) error {
	return readFile(from, func(f *os.File, info fs.FileInfo) error { return writeCopy(to, f, info) })
}

// writeCopy writes a copy of a file, which is private if the file is. It keeps the time of the last change, which may be
// the only sign of a source's age.
func writeCopy(to string, f io.Reader, info fs.FileInfo) error {
	replace := folder.Replace
	if info.Mode().Perm()&0o077 == 0 {
		replace = folder.ReplacePrivate
	}
	err := replace(to, func(w io.Writer) error {
		_, err := io.Copy(w, f)
		return err
	})
	if err != nil {
		return err
	}
	return os.Chtimes(to, time.Time{}, info.ModTime())
}
