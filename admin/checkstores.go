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
	"path/filepath"
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
	files, _, err := s.check()
	if err != nil {
		return nil, err
	}
	m, err := s.Measures()
	if err != nil {
		return noMeasures(files, err), nil
	}
	return append(files, measureFiles(m.Check())...), nil
}

// check checks the databases that exist. held reports that another process has one of them open.
func (s *Stores) check() (files []File, held bool, err error) {
	files = []File{}
	all, err := databasesOf(s.Dir)
	switch {
	case errors.Is(err, syscall.ENOTDIR):
		files = append(files, File{Path: "photos", Kind: "store",
			Problem: "it is not a folder: move it away, and restore the folder from a backup where photos were sent"})
	case err != nil:
		return nil, false, err
	}
	noted := s.inventory()
	for _, file := range slices.Sorted(maps.Keys(noted.Stores)) {
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
			err = older(noted, d.file, db.Commits())
		}
		if db == nil && err == nil {
			continue
		}
		held = held || errors.Is(err, store.ErrHeld)
		files = append(files, d.check(s, db, err))
	}
	return files, held, nil
}

// checkData checks the stores and the files that belong to them; a running server checks its own.
// It changes nothing, and a missing store is not an error. Errors: those of asking the server.
func checkData(ctx context.Context, dir folder.Dir) (files []File, err error) {
	if files, err = checkStores(ctx, dir); err != nil {
		return nil, err
	}
	files = append(files, missing(dir)...)
	for _, l := range loose {
		if f, there := l.check(dir); there {
			files = append(files, f)
		}
	}
	return files, nil
}

// missing returns the files next to the stores that the folder had and does not have any more.
func missing(dir folder.Dir) (files []File) {
	noted, err := inventory.Read(dir)
	if err != nil {
		return nil // it is missing, or the check of the stores reports it
	}
	for _, name := range noted.Files {
		if _, err := os.Stat(filepath.Join(string(dir), name)); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		what := "restore it from a backup: without it no signing secret can be opened"
		if name != sealFile {
			what = "relais ingest makes it again, from new files"
		}
		files = append(files, File{Path: name, Kind: "missing",
			Problem: "it is missing, and the folder had it: " + what + "; or accept that with relais check --accept"})
	}
	return files
}

// checkStores has the server check the stores, or checks them if none runs. A server that starts
// has the stores open before it can be reached, so it is asked again.
func checkStores(ctx context.Context, dir folder.Dir) (files []File, err error) {
	for again := true; ; again = false {
		text, err := call(ctx, dir, CheckStores{})
		var unreachable *net.OpError
		if errors.As(err, &unreachable) {
			files, held, err := checkClosed(dir)
			if held && again {
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

// checkClosed checks the stores if no server has them open. held reports that one has, after the
// second for which package store waits.
func checkClosed(dir folder.Dir) (files []File, held bool, err error) {
	s := &Stores{Folder: &Folder{Dir: dir, open: map[string]*store.DB{}, failed: map[string]error{}}}
	var damaged error
	if s.noted, s.shows, damaged = inventoryOf(dir); damaged != nil && !errors.Is(damaged, fs.ErrNotExist) {
		files = append(files, File{Path: inventory.Name, Kind: "inventory", Problem: oneLine(damaged)})
	}
	for _, there := range []bool{true, false} {
		for _, d := range databases {
			if d.existsIn(dir) != there {
				continue
			}
			if err := s.openDatabase(d, true); err != nil {
				held = held || errors.Is(err, store.ErrHeld)
				s.failed[d.file] = err
			}
		}
	}
	s.Photos = photos.Open(s.opened()[PhotosFile], dir, time.Now)
	s.months = s.Photos
	if node, err := cluster.IsMember(dir); err == nil && node {
		s.Photos.IgnoreImages() // the cluster has them
	}
	checked, heldToo, err := s.check()
	files = append(files, checked...)
	if s.failed[measure.DatabaseName] == nil {
		list, unreadable := measure.Check(dir, s.opened()[measure.DatabaseName])
		files = append(files, measureFiles(list)...)
		if unreadable != nil {
			files = noMeasures(files, unreadable)
		}
	}
	s.closeDatabases() // they were only read
	return files, held || heldToo, err
}

// check reads every page of a store, and then every record. err is the error of opening the store.
func (d database) check(s *Stores, db *store.DB, err error) File {
	f := File{Path: d.file, Kind: "store"}
	if info, err := os.Stat(s.path(d.file)); err == nil {
		f.Bytes = info.Size()
	}
	if err == nil {
		err = db.Check()
	}
	if err == nil || errors.Is(err, store.ErrRecord) {
		var which error
		f.Detail, which = d.holds(s, db)
		err = cmp.Or(which, err) // the first names the records
	}
	if err != nil {
		f.Problem = oneLine(err)
		if d.advice != nil {
			f.Problem += d.advice(err)
		}
	}
	return f
}

func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }
