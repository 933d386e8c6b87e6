package store

import (
	"errors"
	"os"

	"relais/internal/system"
)

// install gives a new file the name of the one in use, and puts it in use. Windows does not replace a file that is
// mapped. So the new one is used before it has its name, and the old one is closed, when its readers have ended. Nothing
// is written meanwhile: the caller holds db.writing.
func (db *DB) install(next *file, temporary string) error {
	db.replace(next)
	db.replaced.Wait()
	err := system.Rename(temporary, db.path)
	if err == nil {
		return nil
	}
	again, openErr := openFile(db.path, db.name, os.O_RDWR, walkable)
	if openErr != nil {
		next.stuck.Store(&openErr) // its file has the wrong name: certain opens the right one
		return errors.Join(err, openErr)
	}
	db.replace(again)
	return err
}

// keepOwner does nothing: a new file gets its permissions from the folder.
func keepOwner(string, os.FileInfo) error { return nil }
