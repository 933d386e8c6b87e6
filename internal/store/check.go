package store

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"

	bolt "go.etcd.io/bbolt"
)

// Check reads the whole file, which no process may have open for writing, and
// returns ErrDamaged with the first problems that it finds, ErrHeld after a
// second, or fs.ErrNotExist. It takes about 100 bytes of memory a page.
func Check(path string) (err error) {
	db, err := open(path, os.O_RDONLY, math.MaxInt64)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return db.Check()
}

// Check reads the whole file and returns ErrDamaged with the first problems that it
// finds, and ErrRecord too when these are records alone. Views go on meanwhile; Updates wait
// while the tree is walked, which takes about 0.1 s for 64 MiB. It takes about 100 bytes of
// memory a page.
func (db *DB) Check() error {
	f := db.use()
	err := f.readAll(math.MaxInt64)
	f.done()
	if err != nil {
		return err
	}
	db.writing.Lock() // bolt's check reads the list of free pages, which an Update changes
	defer db.writing.Unlock()
	if err := db.certain(); err != nil {
		return err
	}
	// bolt's check runs on a goroutine of its own, where no panic can be caught.
	if _, err := db.current.verify(); err != nil {
		return err
	}
	if err := lostHeader(db.current.osFile, db.current.bolt.Info().PageSize); err != nil {
		return unsound(db.name, err)
	}
	var pages, records Problems
	var missing error
	err = db.explained(db.current, db.current.bolt.View, func(tx *Tx) error {
		for p := range tx.bolt.Check(bolt.WithKVStringer(hidden{})) { // to the end: it reads until then
			pages.Add(p)
		}
		missing = tx.checkRecords(&records)
		return nil
	})
	if err != nil {
		return err
	}
	if err := cmp.Or(pages.Err(), missing, records.Err()); err != nil {
		return damaged(db.name, err)
	}
	return nil
}

// hidden keeps stored values out of messages.
type hidden struct{}

func (hidden) KeyToString([]byte) string   { return "…" }
func (hidden) ValueToString([]byte) string { return "…" }

// checkRecords reads every record and says how many of each kind are damaged.
func (tx *Tx) checkRecords(records *Problems) error {
	return tx.bolt.ForEach(func(stored []byte, b *bolt.Bucket) error {
		name, ok := bytes.CutPrefix(stored, []byte(sealedPrefix))
		if !ok {
			return nil
		}
		n := 0
		tx.LeaveOut(func(error) { n++ })
		err := checkBucket(outermostBucket(tx, name, b))
		if n > 0 {
			records.Add(fmt.Errorf("%d of %q: %w", n, name, ErrRecord))
		}
		return err
	})
}

func checkBucket(b *Bucket) error {
	return b.ForEach(func(k, v []byte) error {
		if v != nil {
			return nil
		}
		inner := b.Bucket(k)
		if inner == nil {
			return fmt.Errorf("a bucket of %q is not found", b.kind)
		}
		return checkBucket(inner)
	})
}
