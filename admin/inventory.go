package admin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"syscall"
	"time"

	"relais/admin/inventory"
	"relais/cluster"
	"relais/internal/folder"
	"relais/internal/store"
	"relais/market"
	"relais/photos"
)

// noteEvery is how often stores.json is brought up to date.
const noteEvery = time.Minute

// errNotAsNoted is wrapped by the errors of stores that are missing or older than they were.
var errNotAsNoted = errors.New("restore it from a backup, or accept the folder as it is with relais check --accept")

// readInventory reads stores.json. It reports whether the folder has no stores.json that can be read.
func (f *Folder) readInventory() (none bool, err error) {
	f.lastInventory, f.evidence, err = inventoryOf(f.Dir)
	switch {
	case errors.Is(err, inventory.ErrDamaged): // the stores may be well: this must not keep them from being served
		f.log.Error("reading stores.json failed: it is put aside and written again", "error", err)
		if f.lock == nil {
			break
		}
		if err := os.Rename(f.path(inventory.Name), f.path(inventory.Name)+".damaged"); err != nil {
			return false, err
		}
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return false, err
	}
	if err != nil && f.lock == nil { // the new history cannot be written
		f.lastInventory.History = "" // each process that reads the folder would name another
	}
	return err != nil, nil
}

// inventoryOf returns the content of stores.json, and the file that shows it. In a folder that lost
// stores.json, any other file of a store shows that there were all stores: stores.json is written before the first
// store is made, so that only a new folder has neither. A node's replicas can be copied again, so that none of them
// must be there. Errors: those of inventory.Read, with an inventory after ErrDamaged and fs.ErrNotExist.
func inventoryOf(dir folder.Dir) (known *inventory.File, shownBy string, err error) {
	if known, err = inventory.Read(dir); err == nil {
		return known, inventory.Name, nil
	}
	known, shownBy = inventory.New(), evidence(dir)
	node, _ := cluster.IsMember(dir)
	for _, d := range databases {
		if shownBy != "" && !node && !d.onDemand && !d.nodeOnly {
			known.Stores[d.file] = inventory.Store{}
		}
	}
	return known, shownBy, err
}

// evidence names a file that a folder has only if it had all stores, "" for none.
func evidence(dir folder.Dir) string {
	names := []string{sealFile}
	for _, d := range databases {
		names = append(names, d.file)
	}
	if months, err := photos.Months(dir); err == nil && len(months) > 0 {
		names = append(names, photos.FileOf(months[0]))
	}
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(string(dir), name)); err == nil {
			return name
		}
	}
	return ""
}

// lost returns why a missing store must not be made: the folder had it.
func (f *Folder) lost(d database) error {
	if d.existsIn(f.Dir) {
		return nil
	}
	if d.openIn != nil { // it fails when there are files of measurements without their store
		if _, err := d.openIn(f.Dir, true); err != nil {
			return err
		}
	}
	if _, known := f.lastInventory.Stores[d.file]; !known { // it is new to this version, or its loss was accepted
		return nil
	}
	return fmt.Errorf("%s is missing, and the folder had it, as %s shows: %w", d.file, f.evidence, errNotAsNoted)
}

// older returns why an open store is not the one that the folder had. The number of commits only grows, also over a
// restart and in a copy, so that fewer commits are those of an older file that was put in its place.
func older(known *inventory.File, file string, commits uint64) error {
	if had := known.Stores[file].Commits; commits < had {
		return fmt.Errorf("%s is older than it was: it has %s, and had %d: %w", file, Number(int(commits), "commit"),
			had, errNotAsNoted)
	}
	return nil
}

// note updates stores.json. Stores that are missing or failed keep their entry, so that the next start misses them,
// too. The file is behind the stores by up to noteEvery after a kill, and never ahead: a store with more commits is
// fine.
func (f *Folder) note() error {
	if f.lock == nil || f.lastInventory == nil { // read-only, or never opened
		return nil
	}
	f.inventoryLock.Lock()
	defer f.inventoryLock.Unlock()
	next := *f.lastInventory
	next.Stores = maps.Clone(f.lastInventory.Stores)
	for file, db := range f.opened() {
		if f.node != nil {
			delete(next.Stores, file) // what a replica has lost, the cluster has
			continue
		}
		next.Stores[file] = inventory.Store{Commits: db.Commits()}
	}
	months, err := photos.Months(f.Dir)
	if err != nil && !errors.Is(err, syscall.ENOTDIR) { // relais check reports that photos is not a folder
		return err
	}
	commits := f.months.Commits()
	for _, m := range months { // a month that was never opened is known to exist, with 0 commits
		if n, open := commits[m]; open || f.lastInventory.Stores[photos.FileOf(m)].Commits == 0 {
			next.Stores[photos.FileOf(m)] = inventory.Store{Commits: n}
		}
	}
	next.Files = f.otherFiles(next.Files)
	if reflect.DeepEqual(next, *f.lastInventory) {
		return nil
	}
	if err := next.Write(f.Dir); err != nil {
		return err
	}
	f.lastInventory = &next
	return nil
}

// inventory returns the content that stores.json would have now. It is never changed.
func (f *Folder) inventory() *inventory.File {
	f.inventoryLock.Lock()
	defer f.inventoryLock.Unlock()
	return f.lastInventory
}

// otherFiles returns had and the other files that the folder needs now.
func (f *Folder) otherFiles(had []string) []string {
	all := slices.Clone(had)
	names := []string{sealFile}
	for _, m := range market.All {
		names = append(names, "snapshots/"+filepath.Base(f.Dir.Snapshot(string(m.Code))))
	}
	for _, name := range names {
		if _, err := os.Stat(f.path(name)); err == nil && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

// loseMonths prevents that missing monthly files, which the folder had, are made again: an upload would make an empty
// one, and the loss would go unnoticed.
func (f *Folder) loseMonths() {
	for _, file := range slices.Sorted(maps.Keys(f.lastInventory.Stores)) {
		month := photos.MonthOf(file)
		if month == "" || (database{file: file}).existsIn(f.Dir) {
			continue
		}
		f.months.Lose(month)
		f.fail(file, fmt.Errorf("%s is missing, and the folder had it: %w", file, errNotAsNoted))
	}
}

// Accept trusts the folder as it is, because an operator says so: stores and files may be missing or
// older than they were.
type Accept struct{}

func (Accept) run(_ context.Context, s *Stores) (any, error) {
	if s.lock == nil {
		return nil, errReadOnly(s.Dir)
	}
	answer := Accepted{Files: []string{}}
	s.inventoryLock.Lock()
	defer s.inventoryLock.Unlock()
	next := *s.lastInventory
	next.Stores, next.Files = maps.Clone(next.Stores), nil
	for file, err := range s.failed {
		if errors.Is(err, errNotAsNoted) {
			delete(next.Stores, file)
			answer.Files = append(answer.Files, file)
		}
	}
	for _, name := range s.lastInventory.Files {
		if _, err := os.Stat(s.path(name)); errors.Is(err, fs.ErrNotExist) {
			answer.Files = append(answer.Files, name)
		} else {
			next.Files = append(next.Files, name)
		}
	}
	next.History = inventory.NewHistory() // versions with the old one may name other content
	slices.Sort(answer.Files)
	if err := next.Write(s.Dir); err != nil {
		return nil, err
	}
	s.lastInventory = &next
	return answer, nil
}

// Accepted is the answer of Accept.
type Accepted struct {
	// Files are accepted although they are missing or older. A server makes or opens them at its
	// next start.
	Files []string `json:"files"`
}

// noteCopy writes stores.json of a copy that no process has open. It has a new history: the copy and the folder go on
// from the same commits to different content.
func noteCopy(dir folder.Dir) error {
	if _, err := inventory.Read(dir); errors.Is(err, inventory.ErrNewer) {
		return err
	}
	f := &Folder{Dir: dir}
	next := inventory.New()
	next.Files = f.otherFiles(nil)
	all, err := databasesOf(dir)
	for _, d := range all {
		if err != nil || !d.existsIn(dir) {
			continue
		}
		var db *store.DB
		if db, err = store.OpenReadOnly(f.path(d.file)); err == nil {
			next.Stores[d.file] = inventory.Store{Commits: db.Commits()}
			err = db.Close()
		}
	}
	if err != nil {
		return err
	}
	return next.Write(dir)
}

// forget removes a store that was made again from stores.json of a folder that no process has open.
func forget(dir folder.Dir, file string) error {
	known, err := inventory.Read(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	delete(known.Stores, file)
	return known.Write(dir)
}
