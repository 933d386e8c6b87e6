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
func (db *DB) View(fn func(*bolt.Tx) error) error {
	f := db.use()
	defer f.users.Done()
	return db.run(f, f.bolt.View, fn)
}

// ViewAll is View of several files at once, whose transactions come in the same
// order: for a copy of them with bbolt.Tx.WriteTo, which may take as long as it
// takes if the files need no space meanwhile. They are as they were when each was
// begun; that nothing changes in between is up to the caller.
func ViewAll(dbs []*DB, fn func([]*bolt.Tx) error) error {
	txs := make([]*bolt.Tx, 0, len(dbs))
	var next func() error
	next = func() error {
		if len(txs) == len(dbs) {
			return fn(txs)
		}
		return dbs[len(txs)].View(func(tx *bolt.Tx) error {
			txs = append(txs, tx)
			return next()
		})
	}
	return next()
}

// Update runs fn, alone, and writes what it changed: all of it is on disk when
// Update returns nil, nothing of it is done when fn returns an error or panics.
// What fn keeps must be copied, as for View. The error is that of fn as it is,
// or of writing the file (whether the change is there is then known only after
// it is opened again), ErrDamaged, or, for a file that is opened read-only,
// fs.ErrPermission.
func (db *DB) Update(fn func(*bolt.Tx) error) error {
	if db.readOnly {
		return db.refused()
	}
	// Before bolt's own lock, that a transaction which cannot be rolled back keeps.
	db.writing.Lock()
	defer db.writing.Unlock()
	return db.run(db.current, db.current.bolt.Update, fn)
}

// Each calls fn with every key and value of a bucket, and ends with its first error. A
// bucket that is missing has none.
func Each(tx *bolt.Tx, bucket string, fn func(k, v []byte) error) error {
	if b := tx.Bucket([]byte(bucket)); b != nil {
		return b.ForEach(fn)
	}
	return nil
}

// refused is the error of writing to a file that is opened read-only.
func (db *DB) refused() error {
	return fmt.Errorf("%s is open for reading only: %w", db.name, fs.ErrPermission)
}

// run runs fn in one of bolt's managed transactions of f.
func (db *DB) run(f *file, managed func(func(*bolt.Tx) error) error, fn func(*bolt.Tx) error) error {
	if err := f.stuck.Load(); err != nil {
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
			f.stuck.Store(&err)
		}
		return err
	case own != nil:
		return own
	case err != nil:
		return fmt.Errorf("%s: %w", db.name, err)
	}
	return nil
}
