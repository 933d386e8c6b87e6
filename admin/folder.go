// Package admin administers a data folder. A Folder is open by one process; Stores are its
// content. Jobs keep it in order while a server runs. Commands come from the command line, moderators
// and the socket of a running server: the same commands run in the server and, if none
// runs, in the command line. The package also checks everything in a folder. A check changes
// nothing: the folder may be served, damaged or read-only.
package admin

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"relais/admin/inventory"
	"relais/auth/access"
	"relais/internal/folder"
	"relais/internal/store"
	"relais/photos"
)

// A Folder is a data folder that is open: its lock, its databases, and the list of the stores that it had. One
// process at a time has it.
type Folder struct {
	Dir     folder.Dir
	lock    *folder.Holder // nil for a read-only folder
	log     *slog.Logger
	now     func() time.Time
	opening sync.RWMutex         // of open, which the first hook changes
	open    map[string]*store.DB // by file; a read-only folder may lack some
	failed  map[string]error     // by file: why it cannot be used
	months  *photos.Store        // opens the files of months
	node    *node                // nil for an ordinary folder

	inventoryLock sync.Mutex
	lastInventory *inventory.File // the content of stores.json, under inventoryLock
	evidence      string          // the file that shows which stores the folder had
}

// Files of the stores in the folder.
const (
	ClientsFile   = "clients.db"
	PhotosFile    = "photos.db"
	CommunityFile = "community.db"
	UsersFile     = "users.db"
	HooksFile     = "hooks.db"
	ArchivesFile  = "archives.db"
	OutagesFile   = "outages.db"
	quotaFile     = "quota.db"
	sealFile      = "secret.key"
)

// openFolder locks the folder, or finds it to be read-only, and opens its databases. The inventory comes before them: it
// says which of them must not be made. A node joins its cluster before them, because they are its replicas.
func (f *Folder) openFolder(node Node, what string) error {
	readOnly, err := f.lockFolder(what)
	if err != nil {
		return err
	}
	none, err := f.readInventory()
	if err != nil {
		return err
	}
	if err := f.join(node); err != nil {
		return err
	}
	// Before the stores are made: a process that is killed after the first of them would leave a folder that seems to
	// have lost stores.json and the other stores.
	if none && !readOnly {
		if err := f.lastInventory.Write(f.Dir); err != nil {
			return err
		}
	}
	return f.openDatabases(readOnly)
}

// lockFolder locks the folder and removes the temporary files of killed processes: with the lock they are nobody's. It
// reports whether the folder cannot be written to: such a folder has no lock, and several processes may read it.
func (f *Folder) lockFolder(what string) (readOnly bool, err error) {
	f.lock, err = f.Dir.Lock("serve", what, time.Now())
	if errors.Is(err, fs.ErrPermission) && !f.Dir.IsPack() {
		level := slog.LevelInfo // a command that needs more fails with the same advice
		if strings.HasPrefix(what, "relais serve") {
			level = slog.LevelWarn
		}
		f.log.Log(context.Background(), level, "the folder cannot be written to: it is served read-only, and quota counts "+
			"will not be saved", "data", string(f.Dir), "error", f.Dir.OwnerAdvice(err))
		return true, nil
	}
	if folder.ReadOnly(err) {
		f.log.Info("the folder is read-only or full: it is served without a lock, and quota counts will not be saved",
			"data", string(f.Dir))
		return true, nil
	}
	if err != nil {
		return false, err
	}
	// A compaction that was killed leaves a copy of data that may be deleted by now.
	if err := errors.Join(folder.SweepTemporary(string(f.Dir)), folder.SweepTemporary(f.Dir.Photos()),
		sweepSockets(f.Dir)); err != nil {
		f.log.Warn("removing files that a killed process left failed", "error", err)
	}
	return false, nil
}

func (f *Folder) path(name string) string { return filepath.Join(string(f.Dir), name) }

// Key returns a key for a purpose, derived from secret.key: the same on every server that has the
// file. It is nil while the folder has none.
func (f *Folder) Key(purpose string) []byte {
	return access.OpenSealer(f.path(sealFile)).Derive(purpose)
}

// closeFolder closes the databases and then releases the lock: the next process must find them closed.
func (f *Folder) closeFolder() error {
	errs := []error{f.closeDatabases()}
	if f.node != nil {
		f.node.engine.Close()
	}
	if f.lock != nil {
		errs = append(errs, f.lock.Unlock())
	}
	return errors.Join(errs...)
}
