package measure

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"relais/store"
)

// newName returns a name for a file that no file ever had. A number that is counted up
// would come again when what counted it is taken back.
func newName() string {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:]) + ".seg"
}

// commit makes a change of the rows. After an error it may be done or not: the rows are
// then what the database says, and no file may be removed because of them.
func (s *Store) commit(c *change) error {
	if s.uncertain {
		if err := s.reread(); err != nil {
			return err
		}
		return errMoved // the change was made for other rows
	}
	var after state
	err := s.update(func(tx *store.Tx) (err error) {
		after, err = c.apply(tx, s.rows)
		return err
	})
	if err != nil {
		s.uncertain = true
		return errors.Join(err, s.reread())
	}
	s.rows = after
	return nil
}

// reread takes the rows from the database.
func (s *Store) reread() error {
	r, err := readRows(s.db)
	if err != nil {
		return err
	}
	s.rows, s.uncertain = r, false
	return nil
}

// replace commits a change and shows the rows after it, with what was loaded of them
// already. The files that no longer count are removed, but only after a commit without an
// error.
func (s *Store) replace(c *change, fresh map[string]*segment) error {
	err := s.commit(c)
	known := s.loaded()
	for name, seg := range fresh {
		known[name] = seg
	}
	s.show(known)
	if err != nil {
		return err
	}
	s.spent = append(s.spent, c.drop...)
	select {
	case s.grew <- struct{}{}:
	default:
	}
	return nil
}

// clean removes the files that no longer count, unless a copy is being made of them. What
// cannot be removed is tried again the next time.
func (s *Store) clean() error {
	if s.holds > 0 {
		return nil
	}
	var errs []error
	s.spent = slices.DeleteFunc(s.spent, func(name string) bool {
		err := os.Remove(filepath.Join(s.dir, name))
		if gone := err == nil || errors.Is(err, fs.ErrNotExist); gone {
			return true
		}
		errs = append(errs, err)
		return false
	})
	if len(errs) > 0 {
		return fmt.Errorf("files of measures that no longer count are still there: %w", errors.Join(errs...))
	}
	return nil
}

// abandon removes files of a change whose commit was not begun, and returns why.
func (s *Store) abandon(why error, fresh map[string]*segment) error {
	for name := range fresh {
		if err := os.Remove(filepath.Join(s.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			why = errors.Join(why, err)
		}
	}
	return why
}
