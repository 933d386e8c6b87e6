package store

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/windows"

	"relais/internal/system"
)

// install gives a new file the name of the one in use, and puts it in use, or closes it. Windows does not replace a file
// that is mapped. So the new one is used before it has its name, and the old one is closed. A file that somebody reads
// for long, such as a client of a backup that takes nothing, is not replaced: the caller holds db.writing, and Updates
// would wait as long.
func (db *DB) install(next *file, temporary string) error {
	old := db.current
	err := old.alone()
	if err == nil {
		err = db.replaceUnread(next)
	}
	if err != nil {
		return errors.Join(err, next.close())
	}
	old.close() // nothing is written to it: an error loses nothing
	if err = system.Rename(temporary, db.path); err == nil {
		return nil
	}
	// From here on next may be read, and is closed by who replaces it.
	again, openErr := openFile(db.path, db.name, os.O_RDWR, walkable)
	if openErr != nil {
		next.stuck.Store(&openErr) // its file has the wrong name: certain opens the right one
		return errors.Join(err, openErr)
	}
	db.replace(again)
	return err
}

// errRead says that a file cannot be replaced yet.
var errRead = errors.New("it is being read, and Windows replaces no such file: try again later")

// replaceUnread puts another file in use at a moment at which nobody reads the old one. It waits for that no longer than
// patience, and a View that begins meanwhile waits too: with many of them the moment would never come.
func (db *DB) replaceUnread(next *file) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	for end := time.Now().Add(patience); db.current.reading.Load() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			return errRead
		}
	}
	db.current = next
	return nil
}

// notLocked reports whether bolt could not end a lock because there was none. The second code is that of wine.
func notLocked(err error) bool {
	return errors.Is(err, windows.ERROR_NOT_LOCKED) || errors.Is(err, windows.ERROR_LOCK_VIOLATION)
}

// keepOwner does nothing: a new file gets its permissions from the folder.
func keepOwner(string, os.FileInfo) error { return nil }
