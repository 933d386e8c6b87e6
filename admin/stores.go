package admin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"relais/archive"
	"relais/auth/access"
	"relais/auth/account"
	"relais/cluster"
	"relais/community"
	"relais/community/audit"
	"relais/hook"
	"relais/internal/folder"
	"relais/internal/retention"
	"relais/internal/store"
	"relais/measure"
	"relais/outage"
	"relais/outage/history"
	"relais/photos"
)

// Stores are what an open data folder holds.
type Stores struct {
	*Folder
	Clients   *access.Clients
	Answers   access.Answers
	Photos    *photos.Store
	Outages   *outage.Store
	History   *history.Store
	Community *community.Store
	Accounts  *account.Store
	Archives  *archive.Store
	Audit     *audit.Log
	Hooks     *hook.Store
	// Measures opens the measurements at its first call: most commands do not need them, and they
	// may be large.
	Measures func() (*measure.Store, error)
	// HookOptions say how hooks are reached. They are set before commands run.
	HookOptions hook.Options
	// Settings are those of the server, as Diagnose says them. They are set before commands run.
	Settings Settings

	sealer    *access.Sealer // of secrets, with the key of the folder
	hooksLock sync.Mutex     // held while hooks.db is made
	counts    *access.Counts
	clock     func() *retention.Clock            // made when it is first asked for
	importing struct{ total, read atomic.Int64 } // of the import that began last, in bytes
	merges    atomic.Bool                        // MergeMeasures runs

	clusterCounts *cluster.Counts       // of a node, instead of counts
	reportCounts  func(context.Context) // of a node: sends its counts to the cluster
}

// Open opens the stores and makes missing ones. what names this process in the errors of other
// processes that try to open them. A read-only folder is opened for reading: several processes may
// have it, changes fail, and counts stay in memory.
func Open(dir folder.Dir, what string, log *slog.Logger) (*Stores, error) {
	return openAt(dir, Node{}, what, log, time.Now)
}

// OpenNode is Open for a server that is, or becomes, a node of a cluster.
func OpenNode(dir folder.Dir, node Node, what string, log *slog.Logger) (*Stores, error) {
	return openAt(dir, node, what, log, time.Now)
}

// openAt is OpenNode with another clock.
func openAt(dir folder.Dir, node Node, what string, log *slog.Logger, now func() time.Time) (*Stores, error) {
	if err := refuseUnfinished(string(dir)); err != nil {
		return nil, err
	}
	s := &Stores{Folder: &Folder{Dir: dir, open: map[string]*store.DB{}, failed: map[string]error{}, log: log, now: now}}
	if err := s.openAll(node, what); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Stores) openAll(node Node, what string) error {
	if err := s.openFolder(node, what); err != nil {
		return err
	}
	if err := s.openDatasets(); err != nil {
		return err
	}
	for _, l := range s.damage() {
		for _, err := range l.problems {
			s.log.Error("damaged "+l.thing+": requests for it are refused; relais check says more", "file", l.file,
				"error", err)
		}
	}
	if text := s.sealed(); text != "" {
		s.log.Warn(text)
	}
	if err := s.openCounts(); err != nil {
		return err
	}
	if err := s.note(); err != nil { // a full disk must not keep the folder from being read
		s.log.Warn("writing stores.json failed", "error", err)
	}
	return nil
}

// openDatasets loads what the databases hold. Measurements are loaded when they are first asked for.
func (s *Stores) openDatasets() (err error) {
	if s.node != nil {
		if s.node.files, err = cluster.OpenFiles(s.Dir, s.opened()[filesFile], s.node.blobs, s.log); err != nil {
			return err
		}
		s.node.replicas.Files = s.node.files
	}
	s.clock = sync.OnceValue(func() *retention.Clock { return retention.NewClock(s.newest(), s.now) })
	s.sealer = access.OpenSealer(s.path(sealFile))
	s.openClients()
	s.Photos = photos.Open(s.opened()[PhotosFile], s.Dir, s.now)
	if s.node != nil {
		if err := s.Photos.UseBlobs(s.node.cache); err != nil {
			return err
		}
	}
	s.months = s.Photos
	s.loseMonths()
	s.Archives = archive.Open(s.opened()[ArchivesFile], s.now)
	s.History = history.Open(s.opened()[OutagesFile])
	s.Measures = sync.OnceValues(s.openMeasures)
	s.Outages, err = openOr(s.Folder, CommunityFile,
		func(db *store.DB) (*outage.Store, error) { return outage.Open(db, s.now) })
	if err != nil {
		return err
	}
	s.Community, err = openOr(s.Folder, CommunityFile,
		func(db *store.DB) (*community.Store, error) { return community.Open(db, s.Outages, s.now) })
	if err != nil {
		return err
	}
	s.Accounts, err = openOr(s.Folder, UsersFile,
		func(db *store.DB) (*account.Store, error) { return account.Open(db, s.now) })
	if err != nil {
		return err
	}
	s.Audit = audit.Open(s.opened()[CommunityFile], s.opened()[PhotosFile], s.opened()[UsersFile])
	s.collect()   // the decisions that a killed process left in other stores
	s.openHooks() // last: a store that failed is not among its sources
	return nil
}

// openClients reads the clients. If their file cannot be used, every key is refused.
func (s *Stores) openClients() {
	if s.failed[ClientsFile] == nil {
		var err error
		if s.Clients, err = access.OpenClients(s.opened()[ClientsFile], s.sealer, s.now); err == nil {
			return
		}
		s.fail(ClientsFile, err)
	}
	s.Clients = access.FailedClients(s.failed[ClientsFile], s.now)
}

// openMeasures is the function behind Measures, which calls it once.
func (s *Stores) openMeasures() (*measure.Store, error) {
	db := s.opened()[measure.DatabaseName]
	switch err := s.failed[measure.DatabaseName]; {
	case err != nil:
		return nil, err
	case s.node != nil:
		return measure.NewShared(context.Background(), s.Dir, db, s.now, s.node.blobs)
	}
	return measure.New(s.Dir, db, s.now)
}

// openOr calls open with a store, or with nil if the store cannot be used.
func openOr[T any](f *Folder, file string, open func(db *store.DB) (T, error)) (T, error) {
	if f.failed[file] == nil {
		v, err := open(f.opened()[file])
		if err == nil {
			return v, nil
		}
		f.fail(file, err)
	}
	return open(nil) // an empty dataset: Failed keeps requests from it
}

// A damage is the part of a store that cannot be used while the rest is served.
type damage struct {
	file, thing string
	problems    []error
}

// damage lists the damaged records of the stores that are in use.
func (s *Stores) damage() []damage {
	return []damage{
		{ClientsFile, "client", s.Clients.Locked()},
		{CommunityFile, "record", slices.Concat(s.Outages.Problems(), s.Community.Problems())},
		{UsersFile, "record", s.Accounts.Problems()},
		{HooksFile, "record", s.Hooks.Problems()},
	}
}

// Warnings returns what an operator should know although no request fails.
func (s *Stores) Warnings() (list []string) {
	if s.node != nil {
		list = append(list, s.node.replicas.Warnings()...)
	}
	for _, l := range s.damage() {
		if n := len(l.problems); n > 0 {
			list = append(list,
				fmt.Sprintf("%s: %s cannot be used; relais check says more", l.file, Number(n, l.thing)))
		}
	}
	if text := s.sealed(); text != "" {
		list = append(list, text)
	}
	return slices.Concat(list, s.hookWarnings(), s.failures(), s.troubles())
}

// Close saves counts and times of last use, notes the commits of the stores, and closes them. It goes on after errors,
// so that the lock is released.
func (s *Stores) Close() error {
	var errs []error
	if s.counts != nil {
		used := s.saveUsed()
		if s.node != nil && errors.Is(used, store.ErrAway) {
			used = nil // times of last use are not worth an error
		}
		errs = append(errs, s.counts.Save(s.Clients), used, s.counts.Close(), s.note())
	}
	if err := errors.Join(append(errs, s.closeFolder())...); err != nil {
		return fmt.Errorf("close the stores: %w", err)
	}
	return nil
}
