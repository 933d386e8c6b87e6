package store

import (
	"fmt"
	"io/fs"

	bolt "go.etcd.io/bbolt"
)

// View runs fn on the file as it is at this moment. Keys, values and buckets
// are valid until fn returns: what is kept must be copied. It must not call
// Update, and must be short: the file cannot reuse space while it runs.
// The error is that of fn as it is, or ErrDamaged.
func (db *DB) View(fn func(*bolt.Tx) error) error { return db.run(db.bolt.View, fn) }

// Update runs fn, alone, and writes what it changed: all of it is on disk when
// Update returns nil, nothing of it is done when fn returns an error or panics.
// What fn keeps must be copied, as for View. The error is that of fn as it is,
// or of writing the file (whether the change is there is then known only after
// it is opened again), ErrDamaged, or, for a file that is opened read-only,
// fs.ErrPermission.
func (db *DB) Update(fn func(*bolt.Tx) error) error {
	if db.readOnly {
		return fmt.Errorf("%s is open for reading only: %w", db.name, fs.ErrPermission)
	}
	// Before bolt's own lock, that a transaction which cannot be rolled back keeps.
	db.writing.Lock()
	defer db.writing.Unlock()
	return db.run(db.bolt.Update, fn)
}

// run runs fn in one of bolt's managed transactions.
func (db *DB) run(managed func(func(*bolt.Tx) error) error, fn func(*bolt.Tx) error) error {
	if err := db.stuck.Load(); err != nil {
		return *err
	}
	var (
		tx    *bolt.Tx
		own   error // what fn answered
		ended bool  // without a panic
	)
	err := guard(db.name, func() error {
		err := managed(func(t *bolt.Tx) error {
			tx = t
			own = fn(t)
			return own
		})
		ended = true
		return err
	})
	switch {
	case !ended:
		if tx == nil || tx.DB() != nil {
			db.stuck.Store(&err)
		}
		return err
	case own != nil:
		return own
	case err != nil:
		return fmt.Errorf("%s: %w", db.name, err)
	}
	return nil
}
