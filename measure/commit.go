package measure

import (
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"relais/internal/store"
)

// newName returns a name for a file that no file ever had. A number that is counted up
// would come again when what counted it is taken back.
func newName() string {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:]) + ".seg"
}

// errMoved says that the rows are not those that a change was made for.
var errMoved = errors.New("an earlier change of the measures ended otherwise than it seemed: try again")

// load makes the rows of a database what can be asked.
func (s *Store) load(tx *store.Tx) error {
	list, err := rowsIn(tx)
	if err == nil && !slices.Equal(list, s.view().rows) {
		s.show(list)
	}
	return err
}

// apply makes the rows after a commit what can be asked.
func (s *Store) apply(changes []store.Change) {
	list := slices.Clone(s.view().rows)
	for _, c := range changes {
		order := binary.BigEndian.Uint64(c.Key)
		list = slices.DeleteFunc(list, func(r SegmentInfo) bool { return r.order == order })
		if row, err := parseRow(c.Key, c.Value); err == nil { // else it is deleted
			list = append(list, row)
		}
	}
	slices.SortFunc(list, func(a, b SegmentInfo) int { return cmp.Compare(a.order, b.order) })
	s.show(list)
	s.fresh = nil
}

// replace commits a change that was made for a view. fresh are the segments of its files by
// name. The files that no longer count are removed later, but only after a commit without an
// error: else it may be done or not.
func (s *Store) replace(c *change, before *view, fresh map[string]*segment) error {
	err := s.update(func(tx *store.Tx) error {
		if s.view() != before {
			return errMoved
		}
		s.fresh = fresh
		return c.write(tx, before.rows)
	})
	if err != nil {
		_ = s.db.Problem() // which finds out whether it is done
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
