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

// newName returns a random name that no file ever had. A counter could give a name twice if the
// commit that counted it is undone.
func newName() string {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:]) + ".seg"
}

// errMoved says that the rows have changed since a change was prepared.
var errMoved = errors.New("an earlier change of the measures ended otherwise than it seemed: try again")

// load reads the rows of a database and makes them the current view.
func (s *Store) load(tx *store.Tx) error {
	list, err := rowsIn(tx)
	if err == nil && !slices.Equal(list, s.view().rows) {
		s.show(list)
	}
	return err
}

// apply updates the current view after a commit.
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

// replace commits a change that was made for a view. fresh are the segments of its files by name.
// Files that no longer count are removed later, and only after a commit without an error: after an
// error the commit may be done or not.
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

// clean removes the files that no longer count, unless they are being copied. It tries again at the
// next call.
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

// abandon removes the files of a change whose commit was not begun, and returns why.
func (s *Store) abandon(why error, fresh map[string]*segment) error {
	for name := range fresh {
		if err := os.Remove(filepath.Join(s.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			why = errors.Join(why, err)
		}
	}
	return why
}
