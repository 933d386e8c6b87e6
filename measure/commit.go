package measure

import (
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"relais/internal/store"
)

// newName returns a random name that no file ever had. A counter could give a name twice if the
// commit that counted it is undone.
func newName() string {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:]) + ".seg"
}

// errMoved says that the rows have changed since a change was prepared, so that it must be prepared
// again.
var errMoved = errors.New("the measures changed meanwhile: try again")

// attempts is how often a change is prepared where other machines change the rows too.
const attempts = 10

// retried calls try, which prepares a change and commits it, and calls it again after errMoved.
func (s *Store) retried(try func() error) (err error) {
	for range attempts {
		if err = try(); s.blobs == nil || !errors.Is(err, errMoved) {
			break
		}
	}
	return err
}

// load reads the rows of a database and makes them the current view.
func (s *Store) load(tx *store.Tx) error {
	list, err := rowsIn(tx)
	if err != nil {
		return err
	}
	s.seen.Lock()
	defer s.seen.Unlock()
	if slices.Equal(list, s.rows) {
		return nil
	}
	if s.blobs == nil {
		s.show(list)
		return nil
	}
	s.spendAll(list) // on one machine only a commit is certain
	s.show(list)
	_ = s.removeSpent() // what stays is tried again after the next change
	return nil
}

// apply updates the current view after a commit.
func (s *Store) apply(changes []store.Change) {
	s.seen.Lock()
	defer s.seen.Unlock()
	list := slices.Clone(s.rows)
	for _, c := range changes {
		order := binary.BigEndian.Uint64(c.Key)
		list = slices.DeleteFunc(list, func(r SegmentInfo) bool { return r.order == order })
		if row, err := parseRow(c.Key, c.Value); err == nil { // else it is deleted
			list = append(list, row)
		}
	}
	slices.SortFunc(list, func(a, b SegmentInfo) int { return cmp.Compare(a.order, b.order) })
	s.spendAll(list)
	s.show(list)
	s.fresh = nil
	if s.blobs != nil {
		_ = s.removeSpent() // what stays is tried again after the next change
	}
	select {
	case s.grew <- struct{}{}:
	default:
	}
}

// spendAll notes that the files which count now, and do not among rows, are to be removed. The caller
// holds s.seen.
func (s *Store) spendAll(rows []SegmentInfo) {
	counts := map[string]bool{}
	for _, row := range rows {
		counts[row.File] = true
	}
	for _, row := range s.rows {
		if !counts[row.File] {
			s.spend(row.File)
		}
	}
}

// spend notes that a file is to be removed if it does not count. The caller holds s.seen.
func (s *Store) spend(file string) {
	if !slices.Contains(s.spent, file) {
		s.spent = append(s.spent, file)
	}
}

func isOf(file string, rows []SegmentInfo) bool {
	return slices.ContainsFunc(rows, func(r SegmentInfo) bool { return r.File == file })
}

// replace commits a change that was made for a view. fresh are the segments of its files by name.
// Files that no longer count are removed later, and only after a commit without an error: after an
// error the commit may be done or not. Error: errMoved, after which it is not done.
func (s *Store) replace(c *change, before *view, fresh map[string]*segment) error {
	began := s.now()
	if err := s.share(c, fresh); err != nil {
		return s.abandon(err, fresh)
	}
	var refused error
	err := s.update(func(tx *store.Tx) error {
		s.seen.Lock()
		defer s.seen.Unlock()
		if refused = s.mayReplace(c, before, fresh, began); refused != nil {
			return refused
		}
		s.fresh = fresh
		return c.write(tx, s.rows)
	})
	if refused != nil {
		return s.abandon(refused, fresh)
	}
	if err != nil {
		_ = s.db.Problem() // which finds out whether it is done
	}
	return err
}

// mayReplace returns why a change that began some time ago must not be made now. The caller holds
// s.seen.
func (s *Store) mayReplace(c *change, before *view, fresh map[string]*segment, began time.Time) error {
	if s.blobs == nil {
		if s.view() != before {
			return errMoved
		}
		return nil
	}
	for _, file := range c.drop {
		if !isOf(file, s.rows) {
			return errMoved
		}
	}
	switch {
	case s.now().Sub(began) > changeTime:
		return errors.New("the change of the measures took too long: try again")
	case len(c.drop) > 0: // it adds nothing that was not there
		return nil
	case s.behind != nil:
		return fmt.Errorf("what another machine added cannot be read: %w: %w", store.ErrAway, s.behind)
	}
	own := slices.Collect(maps.Values(fresh))
	for _, seg := range s.view().segments {
		if !slices.Contains(before.segments, seg) && slices.ContainsFunc(own, seg.mayEqual) &&
			seg.builder().sort(own) > 0 {
			return errMoved
		}
	}
	return nil
}

// mayEqual reports whether rows of the segments may be equal.
func (s *segment) mayEqual(other *segment) bool {
	return s.Market == other.Market && s.Kind == other.Kind
}

// clean removes the files that no longer count, unless they are being copied. It tries again at the
// next call.
func (s *Store) clean() error {
	s.seen.Lock()
	defer s.seen.Unlock()
	return s.removeSpent()
}

// removeSpent is clean. The caller holds s.seen.
func (s *Store) removeSpent() error {
	if s.holds > 0 {
		return nil
	}
	var errs []error
	s.spent = slices.DeleteFunc(s.spent, func(name string) bool {
		if isOf(name, s.rows) { // again
			return true
		}
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
