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

	"relais/folder"
	"relais/measure"
	"relais/store"
)

// transient are files of the folder that no backup needs: locks, the socket,
// downloads that are under way, and the day's counts, which are worth a day.
func transient(name string) bool {
	return strings.HasPrefix(filepath.ToSlash(name), "downloads/") || strings.HasSuffix(name, ".lock") || name == socketFile || strings.HasPrefix(name, quotaFile)
}

// Backup copies a folder to dest, which must be missing or empty, while it is
// served or not. The stores are copied as they are at one moment. The copy has
// secret.key: whoever has it can open the signing secrets.
func Backup(ctx context.Context, dir folder.Dir, dest string, log *slog.Logger) error {
	if unused, err := folder.Dir(dest).Unused(); err != nil {
		return err
	} else if !unused {
		return fmt.Errorf("%s is not empty: name another folder", dest)
	}
	if within(string(dir), dest) {
		return fmt.Errorf("%s is in the folder that is to be copied: name one outside", dest)
	}
	_, err := os.Stat(dest)
	missing := errors.Is(err, fs.ErrNotExist)
	unlock, err := holdIngest(ctx, dir, log)
	if err != nil {
		return err
	}
	defer unlock()
	if err := backup(ctx, dir, dest, log); err != nil {
		if missing { // half a copy looks like one
			err = errors.Join(err, os.RemoveAll(dest))
		}
		return err
	}
	return nil
}

// within tells whether a path lies in a folder, or is it.
func within(dir, path string) bool {
	dir, err1 := filepath.Abs(dir)
	path, err2 := filepath.Abs(path)
	name, err := filepath.Rel(dir, path)
	return errors.Join(err1, err2, err) == nil && filepath.IsLocal(name)
}

func backup(ctx context.Context, dir folder.Dir, dest string, log *slog.Logger) error {
	if err := backupStores(ctx, dir, dest, log); err != nil {
		return fmt.Errorf("back up the stores: %w", err)
	}
	return copyTree(string(dir), dest, func(name string) bool {
		return isDatabase(name) || measure.IsFile(filepath.ToSlash(name)) || transient(name)
	})
}

// holdIngest keeps an ingest away, whose snapshots and sources belong together, and
// waits for one that runs.
func holdIngest(ctx context.Context, dir folder.Dir, log *slog.Logger) (unlock func(), err error) {
	if _, err := os.Stat(string(dir)); err != nil {
		return nil, fmt.Errorf("the data folder: %w", err)
	}
	for waiting := false; ; waiting = true {
		lock, err := dir.Lock("ingest", "relais backup", time.Now())
		var held *folder.HeldError
		switch {
		case folder.ReadOnly(err):
			return func() {}, nil
		case err == nil:
			return func() { lock.Unlock() }, nil
		case !errors.As(err, &held):
			return nil, err
		}
		if !waiting {
			log.Warn("waiting for who changes the folder", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(retry):
		}
	}
}

// Restore copies a backup into dir, which must be missing or empty, after it has
// looked whether the stores are whole.
func Restore(backup string, dir folder.Dir) error {
	if unused, err := dir.Unused(); err != nil {
		return err
	} else if !unused {
		return fmt.Errorf("%s is in use: restore into another folder, and then put it in its place", dir)
	}
	_, err1 := os.Stat(filepath.Join(backup, clientsFile))
	_, err2 := os.Stat(folder.Dir(backup).Snapshots())
	if err1 != nil && err2 != nil {
		return fmt.Errorf("%s is no backup: it has neither %s nor snapshots", backup, clientsFile)
	}
	all, err := databasesOf(folder.Dir(backup))
	if err != nil {
		return err
	}
	for _, d := range all {
		if err := store.Check(filepath.Join(backup, d.file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	list, err := measure.Check(folder.Dir(backup))
	for _, c := range list {
		if c.Err != nil {
			err = errors.Join(err, c.Err)
		}
	}
	if err != nil {
		return err
	}
	return copyTree(backup, string(dir), transient)
}

// copyTree copies the files below from to to, with the times of their last changes,
// but those that leave out says, by their path below from. Links and other special
// files are left out.
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
		return copyFile(path, filepath.Join(to, name))
	})
}

// copyFile copies a file with its owner's rights and the time of its last change.
func copyFile(from, to string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	replace := folder.Replace
	if info.Mode().Perm()&0o077 == 0 {
		replace = folder.ReplacePrivate
	}
	err = replace(to, func(w io.Writer) error {
		_, err := io.Copy(w, f)
		return err
	})
	if err != nil {
		return err
	}
	return os.Chtimes(to, time.Time{}, info.ModTime())
}
