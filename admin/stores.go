// Package admin administers a data folder. It has the commands that change who may call, and the
// unix socket over which the command line reaches a running server. The same commands run in the
// server, which has the stores open, and in the command line if no server runs. The package also
// checks everything in a folder. A check changes nothing: the folder may be served, damaged or
// read-only.
package admin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"relais/admin/inventory"
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
	"relais/photos"
)

// Stores are the open stores of a data folder. One process at a time has them.
type Stores struct {
	Dir       folder.Dir
	Clients   *access.Clients
	Answers   access.Answers
	Photos    *photos.Store
	Outages   *outage.Store
	Community *community.Store
	Accounts  *account.Store
	Archives  *archive.Store
	Audit     *audit.Log
	Hooks     *hook.Store
	// Measures opens the measurements at its first call: most commands do not need them, and they
	// may be large.
	Measures  func() (*measure.Store, error)
	importing struct{ total, read atomic.Int64 } // of the import that began last, in bytes
	merges    atomic.Bool                        // MergeMeasures runs
	// HookOptions say how hooks are reached. They are set before commands run.
	HookOptions hook.Options
	// Settings are those of the server, as Diagnose says them.
	Settings Settings
	sealer   *access.Sealer       // of secrets, with the key of the folder
	making   sync.Mutex           // of hooks.db
	opening  sync.RWMutex         // of open, which the first hook changes
	open     map[string]*store.DB // by file; a read-only folder may lack some
	failed   map[string]error     // by file: why it cannot be used
	counts   *access.Counts
	shared   *cluster.Counts       // of a node, instead of counts
	tell     func(context.Context) // of a node: tells the cluster what it counted
	lock     *folder.Holder        // nil for a read-only folder
	log      *slog.Logger
	now      func() time.Time
	clock    func() *retention.Clock // made when it is first asked for
	noting   sync.Mutex
	noted    *inventory.File   // what stores.json says, under noting
	shows    string            // the file that shows what the folder had
	engine   *cluster.Engine   // nil for an ordinary folder
	replicas *cluster.Replicas // of a node
	files    *cluster.Files    // of a node
	blobs    cluster.Blobs     // of a node
	cache    *cluster.Cache    // of blobs
}

// Files of the stores in the folder.
const (
	ClientsFile   = "clients.db"
	PhotosFile    = "photos.db"
	CommunityFile = "community.db"
	UsersFile     = "users.db"
	HooksFile     = "hooks.db"
	ArchivesFile  = "archives.db"
	quotaFile     = "quota.db"
	sealFile      = "secret.key"
)

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
	s := &Stores{Dir: dir, open: map[string]*store.DB{}, failed: map[string]error{}, log: log, now: now}
	if err := s.openAll(node, what, log); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Stores) openAll(node Node, what string, log *slog.Logger) error {
	readOnly, err := s.lockFolder(what, log)
	if err != nil {
		return err
	}
	none, err := s.readInventory()
	if err != nil {
		return err
	}
	if err := s.join(node); err != nil {
		return err
	}
	if none && !readOnly { // before the stores are made: one that goes later is missed
		if err := s.noted.Write(s.Dir); err != nil {
			return err
		}
	}
	if err := s.openDatabases(readOnly); err != nil {
		return err
	}
	if err := s.openDatasets(); err != nil {
		return err
	}
	for _, l := range s.leftOut() {
		for _, err := range l.problems {
			log.Error("a "+l.thing+" cannot be used: what it is about is refused, and the rest is served; "+
				"relais check says more", "file", l.file, "error", err)
		}
	}
	if text := s.sealed(); text != "" {
		log.Warn(text)
	}
	counts := s.path(quotaFile)
	if readOnly || s.engine != nil {
		counts = ""
	}
	if err := s.openCounts(counts, log); err != nil {
		return err
	}
	if err := s.note(); err != nil {
		log.Warn("writing stores.json", "error", err)
	}
	return nil
}

// lockFolder locks the folder and removes the temporary files of killed processes. It reports
// whether the folder cannot be written to: such a folder has no lock.
func (s *Stores) lockFolder(what string, log *slog.Logger) (readOnly bool, err error) {
	s.lock, err = s.Dir.Lock("serve", what, time.Now())
	if errors.Is(err, fs.ErrPermission) && !s.Dir.IsPack() {
		level := slog.LevelInfo // a command that needs more fails with the same advice
		if strings.HasPrefix(what, "relais serve") {
			level = slog.LevelWarn
		}
		log.Log(context.Background(), level, "the folder cannot be written to: it is only read, without a lock, and "+
			"quotas live in memory", "data", string(s.Dir), "error", s.Dir.OwnerAdvice(err))
		return true, nil
	}
	if folder.ReadOnly(err) {
		log.Info("the folder is read-only or full: it is served without a lock, and quotas live in memory", "data",
			string(s.Dir))
		return true, nil
	}
	if err != nil {
		return false, err
	}
	// A compaction that was killed leaves a copy of data that may be deleted by now.
	if err := errors.Join(folder.SweepTemporary(string(s.Dir)), folder.SweepTemporary(s.Dir.Photos()),
		sweepSockets(s.Dir)); err != nil {
		log.Warn("removing files that a killed process left", "error", err)
	}
	return false, nil
}

// openDatasets loads what the databases hold. Measurements are loaded when they are first asked for.
func (s *Stores) openDatasets() (err error) {
	if s.engine != nil {
		if s.files, err = cluster.OpenFiles(s.Dir, s.opened()[filesFile], s.blobs, s.log); err != nil {
			return err
		}
		s.replicas.Files = s.files
	}
	s.clock = sync.OnceValue(func() *retention.Clock { return retention.NewClock(s.newest(), s.now) })
	s.sealer = access.OpenSealer(s.path(sealFile))
	s.openClients()
	s.Photos = photos.Open(s.opened()[PhotosFile], s.Dir, s.now)
	if s.engine != nil {
		if err := s.Photos.UseBlobs(s.cache); err != nil {
			return err
		}
	}
	s.loseMonths()
	s.Archives = archive.Open(s.opened()[ArchivesFile], s.now)
	s.Measures = sync.OnceValues(func() (*measure.Store, error) {
		if err := s.failed[measure.DatabaseName]; err != nil {
			return nil, err
		}
		if s.engine != nil {
			return measure.NewShared(context.Background(), s.Dir, s.opened()[measure.DatabaseName], s.now, s.blobs)
		}
		return measure.New(s.Dir, s.opened()[measure.DatabaseName], s.now)
	})
	s.Outages, err = openOr(s, CommunityFile,
		func(db *store.DB) (*outage.Store, error) { return outage.Open(db, s.now) })
	if err != nil {
		return err
	}
	s.Community, err = openOr(s, CommunityFile,
		func(db *store.DB) (*community.Store, error) { return community.Open(db, s.Outages, s.now) })
	if err != nil {
		return err
	}
	s.Accounts, err = openOr(s, UsersFile,
		func(db *store.DB) (*account.Store, error) { return account.Open(db, s.now) })
	if err != nil {
		return err
	}
	s.openAudit()
	s.openHooks()
	return nil
}

func (s *Stores) openCounts(path string, log *slog.Logger) error {
	counts, aside, err := access.OpenCounts(path)
	if err != nil {
		return err
	}
	if aside != "" {
		log.Warn("quota.db was damaged: what could be read of it is kept, and the damaged file is put aside",
			"put aside", aside)
	}
	s.counts, s.Answers = counts, counts.Answers()
	if s.engine != nil {
		s.shareCounts()
		return nil
	}
	return counts.Restore(s.Clients)
}

func (s *Stores) path(name string) string { return filepath.Join(string(s.Dir), name) }

// saveEvery is how often counts are written: a killed process loses no more. Times of last use may
// be older.
const (
	saveEvery     = 500 * time.Millisecond
	syncEvery     = time.Second
	saveUsedEvery = time.Minute
	// saveUsedInCluster is longer because each node saves, and each save is a commit of all.
	saveUsedInCluster = 10 * time.Minute
	sweepEvery        = 10 * time.Minute
)

// Keep regularly saves what requests change, and compacts stores with deletions, until ctx ends.
func (s *Stores) Keep(ctx context.Context, log *slog.Logger) {
	var running sync.WaitGroup
	regularly := func(interval time.Duration, what string, do func() error) {
		running.Go(func() {
			tick := time.NewTicker(interval)
			defer tick.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
				}
				if err := do(); err != nil {
					log.Error(what, "error", err)
				}
			}
		})
	}
	if s.engine != nil {
		running.Go(func() { s.replicas.Run(ctx) })
		running.Go(func() { s.tell(ctx) })
		running.Go(func() { s.files.Run(ctx) })
		running.Go(func() { s.fetchMeasures(ctx, log) })
	}
	// Each runs by itself: a slow disk must not delay the counts.
	regularly(saveEvery, "saving quota counters", func() error { return s.counts.Save(s.Clients) })
	regularly(syncEvery, "syncing quota counters", s.counts.Sync)
	usedEvery := saveUsedEvery
	if s.engine != nil {
		usedEvery = saveUsedInCluster
	}
	regularly(usedEvery, "saving last-used times", s.saveUsed)
	regularly(watchEvery, "", s.watch(log))
	regularly(noteEvery, "writing stores.json", s.note)
	regularly(sweepEvery, "sweeping expired codes and tokens", s.sweepAccounts)
	const compacting = "compacting deleted records away"
	if err := s.compactDeleted(); err != nil {
		log.Error(compacting, "error", err)
	}
	regularly(compactEvery, compacting, s.compactDeleted)
	running.Wait()
}

func (s *Stores) sweepAccounts() error {
	if s.failed[UsersFile] != nil {
		return nil
	}
	return s.Accounts.Sweep()
}

func (s *Stores) saveUsed() error {
	if s.lock == nil || s.failed[ClientsFile] != nil { // read-only, or said already
		return nil
	}
	return s.Clients.SaveLastUsed()
}

// Close saves what requests changed and closes the stores.
func (s *Stores) Close() error {
	var errs []error
	if s.counts != nil {
		used := s.saveUsed()
		if s.engine != nil && errors.Is(used, store.ErrAway) {
			used = nil // times of last use are not worth an error
		}
		errs = append(errs, s.counts.Save(s.Clients), used, s.counts.Close(), s.note())
	}
	errs = append(errs, s.closeDatabases())
	if s.engine != nil {
		s.engine.Close()
	}
	if s.lock != nil {
		errs = append(errs, s.lock.Unlock())
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("close the stores: %w", err)
	}
	return nil
}
