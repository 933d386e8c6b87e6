package admin

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"relais/admin/inventory"
	"relais/cluster"
	"relais/internal/folder"
	"relais/internal/store"
	"relais/measure"
	"relais/photos"
)

// CheckStores reads the stores and every record in them; the answer is a list of
// File.
type CheckStores struct{}

func (CheckStores) run(_ context.Context, s *Stores) (any, error) {
	files, _, err := s.check(true)
	if err != nil {
		return nil, err
	}
	m, err := s.Measures()
	if err != nil {
		return noMeasures(files, err), nil
	}
	return append(files, measureFiles(m.Check())...), nil
}

// check reads the databases that exist, or if deep is false only looks whether they can be opened. held
// reports that another process has one of them open.
func (s *Stores) check(deep bool) (files []File, held bool, err error) {
	files = []File{}
	all, err := databasesOf(s.Dir)
	switch {
	case errors.Is(err, syscall.ENOTDIR):
		files = append(files, File{Path: "photos", Kind: "store",
			Problem: "it is not a folder: move it away, and restore the folder from a backup where photos were sent"})
	case err != nil:
		return nil, false, err
	}
	known := s.inventory()
	for _, file := range slices.Sorted(maps.Keys(known.Stores)) {
		if photos.MonthOf(file) != "" && !(database{file: file}).existsIn(s.Dir) {
			files = append(files, File{Path: file, Kind: "store",
				Problem: fmt.Sprintf("it is missing, and the folder had it: %v", errNotAsNoted)})
		}
	}
	for _, d := range all {
		db, err := s.database(d)
		switch {
		case err != nil || db == nil:
		case !d.existsIn(s.Dir):
			err = errors.New("it was removed while the server has it open: make a backup now, which still copies it, and restore that")
		case d.month != "":
			err = older(known, d.file, db.Commits()) // of the other stores, opening them has compared it
		}
		if db == nil && err == nil {
			continue
		}
		held = held || errors.Is(err, store.ErrHeld)
		files = append(files, d.check(s, db, err, deep))
	}
	return files, held, nil
}

// checkStores has the server check the stores, or checks them if none runs. A server that starts
// has the stores open before it can be reached, so it is asked again.
func checkStores(ctx context.Context, dir folder.Dir) (files []File, err error) {
	for again := true; ; again = false {
		text, err := call(ctx, dir, CheckStores{})
		var unreachable *net.OpError
		if errors.As(err, &unreachable) {
			files, held, err := checkClosed(dir, true)
			if held && again { // the wait for the lock was the time that the server needed
				continue
			}
			return files, err
		}
		if err != nil {
			return nil, err
		}
		err = json.Unmarshal(text, &files)
		return files, err
	}
}

// checkClosed is check if no server has the stores open. It takes no lock of the folder and changes nothing, so that a
// read-only or damaged folder can be checked. held reports that a process has a store open, after the second for
// which package store waits.
func checkClosed(dir folder.Dir, deep bool) (files []File, held bool, err error) {
	s := &Stores{Folder: &Folder{Dir: dir, open: map[string]*store.DB{}, failed: map[string]error{}}}
	var unread error
	if s.lastInventory, s.evidence, unread = inventoryOf(dir); unread != nil && !errors.Is(unread, fs.ErrNotExist) {
		f := File{Path: inventory.Name, Kind: "inventory", Problem: oneLine(dir.OwnerAdvice(unread))}
		if errors.Is(unread, inventory.ErrNewer) {
			f.remedy = "use that version, or restore a backup that this one made"
		}
		files = append(files, f)
	}
	for _, d := range databases {
		if err := s.openDatabase(d, true); err != nil {
			held = held || errors.Is(err, store.ErrHeld)
			s.failed[d.file] = err
		}
	}
	s.Photos = photos.Open(s.opened()[PhotosFile], dir, time.Now)
	s.months = s.Photos
	if node, err := cluster.IsMember(dir); err == nil && node {
		s.Photos.IgnoreImages() // the cluster has them
	}
	checked, heldToo, err := s.check(deep)
	files = append(files, checked...)
	if deep && s.failed[measure.DatabaseName] == nil {
		list, unreadable := measure.Check(dir, s.opened()[measure.DatabaseName])
		files = append(files, measureFiles(list)...)
		if unreadable != nil {
			files = noMeasures(files, unreadable)
		}
	}
	s.closeDatabases() // they were only read
	return files, held || heldToo, err
}

// check reads every page of a store, and then every record; if deep is false, neither. err is the error of
// opening the store.
func (d database) check(s *Stores, db *store.DB, err error, deep bool) File {
	f := File{Path: d.file, Kind: "store"}
	if info, err := os.Stat(s.path(d.file)); err == nil {
		f.Bytes = info.Size()
	}
	if err == nil && deep {
		err = db.Check()
	}
	if deep && (err == nil || errors.Is(err, store.ErrRecord)) {
		var which error
		f.Detail, which = d.holds(s, db)
		err = cmp.Or(which, err) // which names the records, and err only counts them
	}
	if err != nil {
		f.Problem = oneLine(s.Dir.OwnerAdvice(err))
		if d.advice != nil && !errors.Is(err, fs.ErrPermission) {
			f.Problem += d.advice(err)
		}
	}
	return f
}

func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }
