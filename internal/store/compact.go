package store

import (
	"errors"
	"math"
	"os"
	"path/filepath"

	bolt "go.etcd.io/bbolt"

	"relais/internal/folder"
)

// deletedBucket is in a file whose free space still has the bytes of deleted records. The mark is in the file itself, so
// that it survives a crash and a backup.
const deletedBucket = "relais:deleted"

// MarkDeleted notes, in the transaction that deletes something, that its bytes stay
// in the file until the next Compact.
func MarkDeleted(tx *Tx) error {
	if tx.shared { // also if it is marked here: other replicas may have been compacted since
		tx.changed, tx.ops = true, append(tx.ops, Op{Kind: OpDeleted})
	}
	if tx.bolt.Bucket([]byte(deletedBucket)) != nil {
		return nil
	}
	tx.changed = true
	_, err := tx.bolt.CreateBucket([]byte(deletedBucket))
	return err
}

// HasDeleted reports whether MarkDeleted was called since the last Compact, by this
// process or an earlier one. Errors: those of View.
func (db *DB) HasDeleted() (has bool, err error) {
	err = db.View(func(tx *Tx) error {
		has = tx.bolt.Bucket([]byte(deletedBucket)) != nil
		return nil
	})
	return has, err
}

// errNoGain says that a compacted file would be larger.
var errNoGain = errors.New("nothing to gain")

// Compact rewrites the file without unused space and deleted records, and
// returns its size in bytes before and after. A file in which nothing was deleted stays as
// it is if the new one would be larger. There must be space for both. Updates
// wait until it is done. Views do not: those that have begun go on with the old
// file, whose space is given back when the last of them ends. On Windows a View that begins then waits for those,
// and Compact fails when they take longer than a second: the file stays as it is. After a crash at any
// point there is the old file or the new one, whole. Errors: ErrDamaged,
// fs.ErrPermission for a file that is opened read-only, those of writing; the file
// is then as it was, unless only the name of the new one could not be made to last.
func (db *DB) Compact() (before, after int64, err error) {
	if db.readOnly {
		return 0, 0, refused(db.name)
	}
	db.writing.Lock()
	defer db.writing.Unlock()
	before, after, err = db.compact()
	if err != nil {
		return 0, 0, failed("compact", db.name, err)
	}
	return before, after, nil
}

// compact is Compact for a caller that holds db.writing.
func (db *DB) compact() (before, after int64, err error) {
	if err := db.certain(); err != nil {
		return 0, 0, err
	}
	deleted, err := db.HasDeleted()
	if err != nil {
		return 0, 0, err
	}
	old, err := db.current.verify()
	if err != nil {
		return 0, 0, err
	}
	before, after, err = db.swap(old, db.current.copyTo, func(next *file) error {
		if info, err := next.osFile.Stat(); err != nil || deleted || info.Size() <= old.Size() {
			return err
		}
		return errNoGain
	})
	if errors.Is(err, errNoGain) {
		return old.Size(), old.Size(), nil
	}
	return before, after, err
}

// swap puts a new file, filled by fill, in the place of this one. show gets it before it has the name, and an error
// of show keeps the old one. old is the state of the old file. The caller holds db.writing.
func (db *DB) swap(old os.FileInfo, fill func(*bolt.DB) error, show func(next *file) error,
) (before, after int64, err error) {
	temporary, err := stage(db.path, func(dst *bolt.DB) error {
		return errors.Join(fill(dst), keepOwner(dst.Path(), old))
	})
	if err != nil {
		return 0, 0, err
	}
	defer os.Remove(temporary) // gone already when all went well
	// It is locked before it has its name, so that no other process opens it in between.
	next, err := openFile(temporary, db.name, os.O_RDWR, math.MaxInt64)
	if err != nil {
		return 0, 0, err
	}
	info, err := next.osFile.Stat()
	if err == nil {
		err = show(next)
	}
	if err != nil {
		return 0, 0, errors.Join(err, next.close())
	}
	if err := db.install(next, temporary); err != nil {
		return 0, 0, err
	}
	return old.Size(), info.Size(), folder.SyncDir(filepath.Dir(db.path))
}

// replace puts another file in use, and closes the old one when its last reader has ended. The readers of a file
// that was opened again are those of old and of all that it replaced, so the channels are closed in that order.
func (db *DB) replace(next *file) {
	db.mu.Lock()
	old := db.current
	db.current = next
	db.mu.Unlock()
	olderReaders := old.oldReaders // writable may set it to nil meanwhile
	db.replaced.Go(func() {
		if old.users.Wait(); olderReaders != nil {
			<-olderReaders
		}
		old.close() // nothing is written to it and it has no name: an error loses nothing
		if next.oldReaders != nil {
			close(next.oldReaders)
		}
	})
}
