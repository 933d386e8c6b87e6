package admin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"relais/auth/access"
	"relais/internal/folder"
	"relais/internal/store"
)

// compactEvery bounds how long deleted data stays on the disk: less than a day. A deletion marks
// its store, and a server compacts marked stores when it starts and then twice a day. The mark is
// in the store itself, so that it survives a restart and a backup. Without a server, the command
// that deletes compacts at once. Other free space is reused and needs no compaction.
const compactEvery = 12 * time.Hour

// Compacted has the sizes of one store before and after, in bytes.
type Compacted struct {
	Path   string `json:"path"` // below the folder
	Before int64  `json:"before"`
	After  int64  `json:"after"`
}

func errReadOnly(dir folder.Dir) error { return fmt.Errorf("%s: %w", dir, access.ErrReadOnly) }

// CompactStores rewrites the stores without deleted records. Of the monthly files of photos it
// rewrites only those with deletions, because the others have no free space. The answer is a list
// of Compacted. Requests are answered meanwhile, and changes wait.
type CompactStores struct{}

func (CompactStores) run(_ context.Context, s *Stores) (any, error) {
	if s.lock == nil {
		return nil, errReadOnly(s.Dir)
	}
	list := []Compacted{}
	err := s.eachDatabase(func(d database, db *store.DB, deleted bool) error {
		if d.month != "" && !deleted {
			return nil
		}
		before, after, err := db.Compact()
		list = append(list, Compacted{d.file, before, after})
		return err
	})
	if err != nil {
		return nil, err
	}
	before, after, err := s.counts.Compact()
	return append(list, Compacted{quotaFile, before, after}), err
}

// compactDeleted compacts the stores that have deletions.
func (s *Stores) compactDeleted() error {
	if s.lock == nil { // read-only: the next that can write does it
		return nil
	}
	return s.eachDatabase(func(d database, db *store.DB, deleted bool) error {
		if !deleted {
			return nil
		}
		// The counts come first, because compacting the store removes the mark.
		_, _, err := s.counts.Compact()
		if err == nil {
			_, _, err = db.Compact()
		}
		return err
	})
}

// compactHere compacts if this process or an earlier one deleted something. It need not open the
// monthly files to know: a deletion marks photos.db as well.
func (s *Stores) compactHere() error {
	for _, db := range s.opened() {
		deleted, err := db.HasDeleted()
		if err != nil {
			return err
		}
		if deleted {
			return s.compactDeleted()
		}
	}
	return nil
}

// eachDatabase first removes images that belong to no photo and expired contributions of people, which marks their
// stores. Then it calls do for each database, also after an error of another one.
func (s *Stores) eachDatabase(do func(d database, db *store.DB, deleted bool) error) error {
	errs := []error{s.Photos.Sweep(), s.retainReports()}
	all, err := databasesOf(s.Dir)
	errs = append(errs, err)
	for _, d := range all {
		db, err := s.database(d)
		if s.failed[d.file] != nil || db == nil && err == nil { // it failed, which is in the log, or is missing
			continue
		}
		var deleted bool
		if err == nil {
			deleted, err = db.HasDeleted()
		}
		if err == nil {
			err = do(d, db, deleted)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
