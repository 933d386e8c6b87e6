package store

import (
	"errors"
	"io"
	"math"
	"os"

	bolt "go.etcd.io/bbolt"
)

// Check reads the whole file, which nobody may have open for writing, and
// answers ErrDamaged with the first problems that it finds, ErrHeld after a
// second, or fs.ErrNotExist. It takes about 100 bytes of memory a page.
func Check(path string) (err error) {
	db, err := open(path, os.O_RDONLY, math.MaxInt64)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return db.Check()
}

// Check reads the whole file and answers ErrDamaged with the first problems that it
// finds. Views go on meanwhile; Updates wait while the tree is walked, which takes
// about 0.1 s for 64 MiB. It takes about 100 bytes of memory a page.
func (db *DB) Check() error {
	if err := db.readAll(); err != nil {
		return err
	}
	db.writing.Lock() // bolt's check reads the list of free pages, which an Update changes
	defer db.writing.Unlock()
	// bolt's check runs on a goroutine of its own, where no panic can be caught.
	if _, err := db.verify(); err != nil {
		return err
	}
	var found Problems
	err := db.run(db.current, db.current.bolt.View, func(tx *bolt.Tx) error {
		for p := range tx.Check(bolt.WithKVStringer(hidden{})) { // to the end: it reads until then
			found.Add(p)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := found.Err(); err != nil {
		return damaged(db.name, err)
	}
	return nil
}

// readAll reads every sector: one that cannot be read is an error here, and a fault
// in mapped memory.
func (db *DB) readAll() error {
	f := db.use()
	defer f.users.Done()
	if _, err := io.Copy(io.Discard, io.NewSectionReader(f.held, 0, math.MaxInt64)); errors.Is(err, os.ErrClosed) {
		return failed("check", db.name, err)
	} else if err != nil {
		return damaged(db.name, err)
	}
	return nil
}

// hidden keeps what is stored out of messages.
type hidden struct{}

func (hidden) KeyToString([]byte) string   { return "…" }
func (hidden) ValueToString([]byte) string { return "…" }
