package admin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"relais/admin/backup"
	"relais/admin/inventory"
	"relais/internal/folder"
)

// KeptBackup is the outcome of BackupKeep.
type KeptBackup struct {
	Data    string   `json:"data"`
	Backup  string   `json:"backup"`
	Removed []string `json:"removed"` // older copies
	Kept    int      `json:"kept"`    // complete copies of the folder that are there now
}

// BackupKeep makes a copy with the date as its name in shelf, a folder of copies, and then removes older
// complete copies of the same folder until keep are left. Copies are ordered by their numbers, so that a
// wrong clock removes nothing that is newer. Copies of other folders, and incomplete ones, stay.
func BackupKeep(ctx context.Context, dir folder.Dir, shelf string, keep int, images bool, now time.Time,
	log *slog.Logger) (*KeptBackup, error) {
	if err := refuseUnfinished(string(dir), shelf); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(shelf, backup.Name)); err == nil {
		return nil, fmt.Errorf("%s is a copy itself: with --keep, name the folder of the copies", shelf)
	}
	if isInside(string(dir), shelf) {
		return nil, fmt.Errorf("%s is in the folder that is to be copied: name one outside", shelf)
	}
	if err := folder.MakeDir(shelf); err != nil {
		return nil, err
	}
	backup.Tidy(shelf)
	dest := backup.NewName(shelf, now)
	var source backup.Source
	err := fillBackup(ctx, dir, dest, images, log, func(to string) (err error) {
		if source, err = sourceOf(dir); err != nil { // after the stores were open: a new folder has no history before
			return err
		}
		copies, err := backup.Shelf(shelf, source)
		if err != nil {
			return err
		}
		number := 1
		if len(copies) > 0 {
			number = copies[0].Number + 1
		}
		return backup.Note(to, source, number)
	})
	if err != nil {
		return nil, err
	}
	r := &KeptBackup{Data: string(dir), Backup: dest, Removed: []string{}}
	copies, err := backup.Shelf(shelf, source)
	if err != nil {
		return nil, err
	}
	for i, c := range copies { // only now: until the new copy is complete, an old one may be the best
		if i < keep || c.Path == dest {
			r.Kept++
			continue
		}
		if err := c.Remove(); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s is made, but the old copy %s could not be removed: %w", dest, c.Path, err)
		}
		r.Removed = append(r.Removed, c.Path)
	}
	return r, nil
}

// sourceOf names a folder as the source of copies, by its path and its history: another folder may be at the path later,
// and its copies must not remove those of the first.
func sourceOf(dir folder.Dir) (s backup.Source, err error) {
	if s.Path, err = filepath.Abs(string(dir)); err != nil {
		return s, err
	}
	noted, err := inventory.Read(dir)
	switch {
	case err == nil:
		s.History = noted.History
	case !errors.Is(err, fs.ErrNotExist):
		return s, err
	}
	return s, nil
}
