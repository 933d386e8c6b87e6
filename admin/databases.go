package admin

import (
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"relais/archive"
	"relais/auth/access"
	"relais/auth/account"
	"relais/cluster"
	"relais/community"
	"relais/hook"
	"relais/internal/folder"
	"relais/internal/store"
	"relais/measure"
	"relais/outage"
	"relais/outage/history"
	"relais/photos"
)

// A database is a store in a bbolt file.
type database struct {
	file    string // below the folder
	buckets []string
	month   string // of photos, whose store opens the file; else ""
	// openIn opens the file; nil means store.Open.
	openIn func(dir folder.Dir, readOnly bool) (*store.DB, error)
	// nodeOnly says that only a node of a cluster has it.
	nodeOnly bool
	// onDemand says that an ordinary folder has it from its first use on.
	onDemand bool
	// optional says that no error of opening the file, except store.ErrHeld, keeps the rest from being served.
	optional bool
	// advice returns the remedy of an error.
	advice func(err error) string
	// holds reads every record and counts them by kind, in words. The error names the records
	// that cannot be used.
	holds func(s *Stores, db *store.DB) (string, error)
}

// databases are the stores that are one bbolt file. A new line here is enough for a new store to be
// opened, backed up, restored, checked and compacted.
var databases = []database{
	{file: ClientsFile, buckets: []string{access.Bucket}, holds: holdsClients},
	{file: PhotosFile, buckets: photos.Buckets, holds: holdsPhotos},
	{file: CommunityFile, buckets: slices.Concat(outage.Buckets, community.Buckets), holds: holdsCommunity},
	{file: UsersFile, buckets: account.Buckets, holds: holdsUsers},
	{file: ArchivesFile, buckets: archive.Buckets, holds: holdsArchives},
	{file: OutagesFile, buckets: history.Buckets, holds: holdsOutages},
	{file: measure.DatabaseName, buckets: measure.Buckets, openIn: measure.OpenDatabase, optional: true,
		advice: measuresAdvice, holds: holdsMeasures},
	{file: HooksFile, buckets: hook.Buckets, onDemand: true, holds: holdsHooks},
	{file: filesFile, buckets: cluster.Buckets, nodeOnly: true, holds: holdsFiles},
}

// databasesOf returns databases and the monthly files of a folder.
func databasesOf(dir folder.Dir) ([]database, error) {
	months, err := photos.Months(dir)
	all := slices.Clone(databases)
	for _, m := range months {
		all = append(all, database{file: photos.FileOf(m), month: m,
			holds: func(s *Stores, _ *store.DB) (string, error) {
				n, err := s.Photos.CheckMonth(m)
				return "the images of " + Number(n, "photo"), err
			}})
	}
	return all, err
}

// isDatabase reports whether a file can be copied only by the process that has the stores open: a copy of its bytes,
// while commits go on, is damaged.
func isDatabase(name string) bool {
	return photos.MonthOf(name) != "" || slices.ContainsFunc(databases, func(d database) bool { return d.file == name })
}

// openDatabases opens the databases, and makes missing ones. A damaged store is taken out of use and the rest is
// served. Not on a node: openReplica has tried to copy the store again, so that an error is not the file's.
func (f *Folder) openDatabases(readOnly bool) error {
	for _, d := range databases {
		if f.node == nil && (d.nodeOnly || d.onDemand && !d.existsIn(f.Dir) && f.lost(d) == nil) {
			continue
		}
		switch err := f.openDatabase(d, readOnly); {
		case err == nil:
		case f.node != nil, errors.Is(err, store.ErrHeld), fatal(err) && !d.optional:
			return err
		case d.optional:
			f.failed[d.file] = err // commands that need it return the error
		default:
			f.fail(d.file, err)
		}
	}
	return nil
}

// openDatabase opens a store, or makes it unless the folder had it or a newer one: an empty or old store would be
// served as if it were complete, and backups of it would replace good ones.
func (f *Folder) openDatabase(d database, readOnly bool) error {
	if f.node != nil {
		return f.openReplica(d)
	}
	if err := f.lost(d); err != nil {
		return err
	}
	var db *store.DB
	var err error
	if d.openIn != nil {
		db, err = d.openIn(f.Dir, readOnly)
	} else if readOnly {
		db, err = store.OpenReadOnly(f.path(d.file))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	} else {
		db, err = store.Open(f.path(d.file), d.buckets...)
	}
	if err != nil {
		return err
	}
	if db == nil {
		return nil
	}
	if err := older(f.lastInventory, d.file, db.Commits()); err != nil {
		return errors.Join(err, db.Close())
	}
	db.SetHistory(f.lastInventory.History) // before the store is used
	f.setOpen(d.file, db)
	return nil
}

// setOpen notes that a store is open, or with nil that it is not. A server makes hooks.db while it serves, when other
// goroutines read the map.
func (f *Folder) setOpen(file string, db *store.DB) {
	f.opening.Lock()
	defer f.opening.Unlock()
	if db == nil {
		delete(f.open, file)
		return
	}
	f.open[file] = db
}

// opened returns the open databases by file.
func (f *Folder) opened() map[string]*store.DB {
	f.opening.RLock()
	defer f.opening.RUnlock()
	return maps.Clone(f.open)
}

// database returns an open database, nil when a read-only folder lacks it.
func (f *Folder) database(d database) (*store.DB, error) {
	if d.month != "" {
		return f.months.Month(d.month)
	}
	return f.opened()[d.file], f.failed[d.file]
}

// closeDatabases closes all databases, also after an error of one.
func (f *Folder) closeDatabases() error {
	var errs []error
	if f.months != nil {
		errs = append(errs, f.months.Close())
	}
	for _, db := range f.opened() {
		errs = append(errs, db.Close())
	}
	return errors.Join(errs...)
}

func holdsClients(s *Stores, db *store.DB) (string, error) {
	n, err := access.CheckClients(db, access.OpenSealer(filepath.Join(string(s.Dir), sealFile)))
	return Number(n, "client"), err
}

func holdsPhotos(s *Stores, _ *store.DB) (string, error) {
	n, reports, err := s.Photos.CheckRecords()
	return Number(n, "photo") + ", " + Number(reports, "report"), err
}

func holdsCommunity(_ *Stores, db *store.DB) (string, error) {
	n, err1 := outage.Check(db)
	reports, validations, bugs, err2 := community.Check(db)
	return strings.Join([]string{Number(n, "unavailable site"), Number(reports, "outage report"),
		Number(validations, "validation"), Number(bugs, "bug")}, ", "), errors.Join(err1, err2)
}

func holdsUsers(_ *Stores, db *store.DB) (string, error) {
	n, facts, err := account.Check(db)
	return Number(n, "account") + ", " + Number(facts, "fact"), err
}

func holdsMeasures(_ *Stores, db *store.DB) (string, error) {
	n, err := measure.CountRows(db)
	return Number(n, "file") + " of measures", err
}

func holdsFiles(_ *Stores, db *store.DB) (string, error) {
	n, err := cluster.CountFiles(db)
	return Number(n, "file"), err
}

func holdsArchives(_ *Stores, db *store.DB) (string, error) {
	n, rows, editions, err := archive.Open(db, time.Now).CheckRecords()
	what := Number(n, "archive") + ", " + Number(rows, "row")
	if editions > 0 {
		what += ", " + Number(editions, "edition") + " of other markets"
	}
	return what, err
}

func holdsOutages(_ *Stores, db *store.DB) (string, error) {
	days, rows, err := history.Check(db)
	return Number(days, "day") + " of unavailable sites, " + Number(rows, "row"), err
}

func holdsHooks(s *Stores, db *store.DB) (string, error) {
	n, pending, err := hook.Check(db, access.OpenSealer(s.path(sealFile)))
	return Number(n, "hook") + ", " + Number(pending, "message") + " to deliver", err
}
