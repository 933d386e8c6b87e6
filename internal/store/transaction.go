package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
)

// View runs fn on the file as it is at this moment. Keys, values and buckets
// are valid until fn returns: fn copies those that it keeps. It must not call
// Update, which may wait for the end of fn, and must be short: the file cannot reuse space while it runs.
// The error is that of fn unchanged, ErrDamaged, or ErrUnreadable.
func (db *DB) View(fn func(*Tx) error) error {
	db.recover()
	f := db.use()
	defer f.done()
	err := f.run(f.bolt.View, fn)
	if errors.Is(err, errFault) && db.writing.TryLock() { // the pages that an Update writes cannot be verified
		defer db.writing.Unlock()
		err = db.explain(f, err)
	}
	return err
}

// ViewCertain is View of the state on the disk. After a commit whose outcome is not known it opens
// the file again first, since View may still show a commit that the system is about to drop. It waits for
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
// order: for a copy of them with Tx.WriteTo, which may take long if the files need no space
// meanwhile. Each transaction shows its file as it was when it began: the caller makes sure that nothing changes in
// between.
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

// Update runs fn, alone, and writes its changes: all of them are on disk when
// Update returns nil, nothing is written when fn returns an error or panics. When fn
// changes nothing, nothing is written.
// fn copies the values that it keeps, as for View. The error is that of fn unchanged,
// or of writing the file (whether the file has the change is then known only after
// it is opened again, which the next Update does), ErrDamaged, ErrUnreadable, or, for a
// file that is opened read-only, fs.ErrPermission. In a replica also those of Turn.Commit, and
// ErrRewound.
func (db *DB) Update(fn func(*Tx) error) error {
	if db.readOnly {
		return refused(db.name)
	}
	if db.rebuilding.Load() { // which holds db.writing, for minutes if the store is large
		return fmt.Errorf("%s is being copied from the cluster: %w", db.name, ErrAway)
	}
	// For a replica: the wait for the lock counts, in which turns of this machine queue.
	ctx, cancel := context.WithTimeout(context.Background(), turnTime)
	defer cancel()
	// Not bolt's own lock: a transaction that cannot be rolled back keeps it for ever.
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

// commit runs fn and writes its changes. Just before that it calls agree, and writes the mark
// that agree returns, nil for none: mark and changes are in one commit, so that a replica never has one without the
// other. The caller holds db.writing.
func (db *DB) commit(fn func(*Tx) error, agree func(*Tx) (*Mark, error)) error {
	f, commits, committing := db.current, db.commits.Load()+1, false
	var changes []Change
	var mark *Mark
	err := db.explained(f, f.bolt.Update, func(tx *Tx) (err error) {
		tx.db, tx.shared = db, db.log != nil
		if news := db.journal.news.Load(); news != nil {
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
	f.doubtful = err != nil && committing // an error before that left the file as it was
	switch {
	case err == errUnchanged:
		return nil
	case err == nil:
		db.followers.publish(changes)
		// After memory: a caller that reads the version first may then have newer content for an older version, which
		// costs an answer, and never older content for a newer version, which would stay in caches.
		db.commits.Store(commits)
		if mark != nil {
			db.mark.Store(mark)
		}
	case f.doubtful:
		db.failedCommits.Add(1)
	}
	return err
}

// errUnchanged ends a transaction that changed nothing, so that nothing is written.
var errUnchanged = errors.New("nothing was changed")

// Commits returns how many Updates have changed the file since it was made, those of earlier
// processes and of the file that it was restored or compacted from included.
func (db *DB) Commits() uint64 { return db.commits.Load() }

// refused returns the error of writing to a file that is opened read-only.
func refused(name string) error {
	return fmt.Errorf("%s is open for reading only: %w", name, fs.ErrPermission)
}
