package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	bolt "go.etcd.io/bbolt"
)

// View runs fn on the file as it is at this moment. Keys, values and buckets
// are valid until fn returns: fn copies those that it keeps. It must not call
// Update, and must be short: the file cannot reuse space while it runs.
// The error is that of fn unchanged, ErrDamaged, or ErrUnreadable.
func (db *DB) View(fn func(*Tx) error) error {
	db.recover()
	f := db.use()
	defer f.users.Done()
	err := db.run(f, f.bolt.View, fn)
	if errors.Is(err, errFault) && db.writing.TryLock() { // what an Update writes meanwhile cannot be verified
		defer db.writing.Unlock()
		err = db.explain(f, err)
	}
	return err
}

// ViewCertain is View of the state on the disk. After a commit whose outcome is not known it opens
// the file again first, since View may still show what the system is about to drop. It waits for
// an Update that runs, so it must not be called from one of the same file.
func (db *DB) ViewCertain(fn func(*Tx) error) error {
	db.writing.Lock()
	err := db.certain()
	db.writing.Unlock()
	if err != nil {
		return err
	}
	return db.View(fn)
}

// ViewAll is View of several files at once, whose transactions come in the same
// order: for a copy of them with Tx.WriteTo, which may take as long as it
// takes if the files need no space meanwhile. They are as they were when each was
// begun; that nothing changes in between is up to the caller.
func ViewAll(dbs []*DB, fn func([]*Tx) error) error {
	txs := make([]*Tx, 0, len(dbs))
	var next func() error
	next = func() error {
		if len(txs) == len(dbs) {
			return fn(txs)
		}
		return dbs[len(txs)].View(func(tx *Tx) error {
			txs = append(txs, tx)
			return next()
		})
	}
	return next()
}

// Update runs fn, alone, and writes what it changed: all of it is on disk when
// Update returns nil, nothing is written when fn returns an error or panics. When fn
// changes nothing, nothing is written.
// fn copies the values that it keeps, as for View. The error is that of fn unchanged,
// or of writing the file (whether the change is there is then known only after
// it is opened again, which the next Update does), ErrDamaged, ErrUnreadable, or, for a
// file that is opened read-only, fs.ErrPermission. In a replica also those of Turn.Commit, and
// ErrRewound.
func (db *DB) Update(fn func(*Tx) error) error {
	if db.readOnly {
		return db.refused()
	}
	if db.rebuilding.Load() {
		return fmt.Errorf("%s is being copied from the cluster: %w", db.name, ErrAway)
	}
	ctx, cancel := context.WithTimeout(context.Background(), turnTime) // of a replica: it may wait here
	defer cancel()
	// Before bolt's own lock, that a transaction which cannot be rolled back keeps.
	db.writing.Lock()
	defer db.writing.Unlock()
	if db.log != nil {
		return db.turn(ctx, fn)
	}
	if err := db.writable(); err != nil {
		return err
	}
	return db.commit(fn, func(*Tx) (*Mark, error) { return nil, nil })
}

// commit runs fn and writes what it changed. Just before that it calls agree, and writes the mark
// that it returns, nil for none. The caller holds db.writing.
func (db *DB) commit(fn func(*Tx) error, agree func(*Tx) (*Mark, error)) error {
	f, commits, committing := db.current, db.commits.Load()+1, false
	var changes []Change
	var mark *Mark
	err := db.explained(f, f.bolt.Update, func(tx *Tx) (err error) {
		tx.db, tx.shared = db, db.log != nil
		if news := db.news.Load(); news != nil {
			tx.news = *news
		}
		if err := fn(tx); err != nil {
			return err
		}
		if !tx.changed {
			return errUnchanged
		}
		if tx.damage != nil { // the transaction ends with it
			return tx.damage
		}
		if mark, err = agree(tx); err != nil {
			return err
		}
		if mark != nil {
			if err := putMark(tx.bolt, *mark); err != nil {
				return err
			}
		}
		committing, changes = true, tx.changes
		return putCommits(tx.bolt, commits)
	})
	f.doubtful = err != nil && committing
	switch {
	case err == errUnchanged:
		return nil
	case err == nil:
		db.publish(changes)
		db.commits.Store(commits) // behind what is in memory, see Version
		if mark != nil {
			db.mark.Store(mark)
		}
	case f.doubtful:
		db.doubts.Add(1)
	}
	return err
}

// errUnchanged ends a transaction that changed nothing, so that nothing is written.
var errUnchanged = errors.New("nothing was changed")

// Commits is how many Updates have changed the file since it was made, those of earlier
// processes and of the file that it was restored or compacted from included.
func (db *DB) Commits() uint64 { return db.commits.Load() }

// refused is the error of writing to a file that is opened read-only.
func (db *DB) refused() error {
	return fmt.Errorf("%s is open for reading only: %w", db.name, fs.ErrPermission)
}

// run runs fn in one of bolt's managed transactions of f.
func (db *DB) run(f *file, managed func(func(*bolt.Tx) error) error, fn func(*Tx) error) error {
	if err := f.stuck.Load(); err != nil {
		return *err
	}
	var (
		tx    *bolt.Tx
		own   error // the error of fn
		ended bool  // without a panic
	)
	err := guard(db.name, func() error {
		err := managed(func(t *bolt.Tx) error {
			tx = t
			sealed := &Tx{bolt: t, name: db.name}
			if own = fn(sealed); sealed.damage != nil {
				own = sealed.damage
			}
			return own
		})
		ended = true
		return err
	})
	switch {
	case !ended:
		if errors.Is(err, errFault) {
			f.failed.Store(true)
		}
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
