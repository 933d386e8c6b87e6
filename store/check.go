package store

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	bolt "go.etcd.io/bbolt"
)

// maxProblems bounds what Check tells.
const maxProblems = 10

// Check reads the whole file, which nobody may have open for writing, and
// answers ErrDamaged with the first problems that it finds, ErrHeld after a
// second, or fs.ErrNotExist. It takes about 100 bytes of memory a page.
func Check(path string) (err error) {
	db, err := open(path, os.O_RDONLY, math.MaxInt64)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	// A sector that cannot be read is an error here, and a fault in mapped memory.
	if _, err := io.Copy(io.Discard, io.NewSectionReader(db.file, 0, math.MaxInt64)); err != nil {
		return damaged(db.name, err)
	}
	var problems []error
	more := 0
	err = db.View(func(tx *bolt.Tx) error {
		for p := range tx.Check(bolt.WithKVStringer(hidden{})) { // to the end: it reads until then
			if len(problems) < maxProblems {
				problems = append(problems, p)
			} else {
				more++
			}
		}
		return nil
	})
	if err != nil || problems == nil {
		return err
	}
	if more > 0 {
		problems = append(problems, fmt.Errorf("and %d more", more))
	}
	return damaged(db.name, errors.Join(problems...))
}

// hidden keeps what is stored out of messages.
type hidden struct{}

func (hidden) KeyToString([]byte) string   { return "…" }
func (hidden) ValueToString([]byte) string { return "…" }
