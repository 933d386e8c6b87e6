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
	"time"

	"relais/internal/store"
)

// newName returns a random name that no file ever had. A counter could give a name twice if the
// commit that counted it is undone, and on several machines.
func newName() string {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:]) + ".seg"
}

// errMoved says that the rows have changed since a change was prepared, so that it must be prepared
// again.
var errMoved = errors.New("the measures changed meanwhile: try again")

// attempts bounds how often a change is prepared while other machines change the rows too.
const attempts = 10

// retried calls try, which prepares a change and commits it. If other machines share the rows, it
// calls it again after errMoved; on one machine mu keeps the rows as they are, and a second try would
// find the same.
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
	s.viewMu.Lock()
	defer s.viewMu.Unlock()
	if slices.Equal(list, s.rows) {
		return nil
	}
	if s.blobs == nil {
		// The database was opened again after an error. On one machine only a commit is certain: until the
		// next one, no file is removed.
		s.show(list)
		return nil
	}
	s.addUncounted(list)
	s.show(list)
	_ = s.removeFiles() // what stays is tried again after the next change
	return nil
}

// apply updates the current view after a commit.
func (s *Store) apply(changes []store.Change) {
	s.viewMu.Lock()
	defer s.viewMu.Unlock()
	list := slices.Clone(s.rows)
	for _, c := range changes {
		order := binary.BigEndian.Uint64(c.Key)
		list = slices.DeleteFunc(list, func(r SegmentInfo) bool { return r.order == order })
		if row, err := parseRow(c.Key, c.Value); err == nil { // else it is deleted
			list = append(list, row)
		}
	}
	slices.SortFunc(list, func(a, b SegmentInfo) int { return cmp.Compare(a.order, b.order) })
	s.addUncounted(list) // before show, which forgets the former rows
	s.show(list)
	s.pendingSegments = nil
	if s.blobs != nil {
		_ = s.removeFiles() // what stays is tried again after the next change
	}
	select {
	case s.changed <- struct{}{}:
	default: // the waiting signal is for this change too
	}
}

// addUncounted makes the files removable that have a row now and none among rows. The caller holds
// s.viewMu.
func (s *Store) addUncounted(rows []SegmentInfo) {
	counts := map[string]bool{}
	for _, row := range rows {
		counts[row.File] = true
	}
	for _, row := range s.rows {
		if !counts[row.File] {
			s.addRemovable(row.File)
		}
	}
}

// addRemovable makes removeFiles remove a file that does not count. The caller holds s.viewMu.
func (s *Store) addRemovable(file string) {
	if !slices.Contains(s.removable, file) {
		s.removable = append(s.removable, file)
	}
}

func isOf(file string, rows []SegmentInfo) bool {
	return slices.ContainsFunc(rows, func(r SegmentInfo) bool { return r.File == file })
}

// replace commits a change that was made for a view. segments are those of its files by name.
// Files that no longer count are removed later, and only after a commit without an error: after an
// error the commit may be done or not. Error: errMoved, after which it is not done.
func (s *Store) replace(c *change, base *view, segments map[string]*segment) error {
	began := s.now()
	if err := s.share(c, segments); err != nil { // before the commit, which makes other machines fetch them
		return s.abandon(err, segments)
	}
	var refused error
	err := s.update(func(tx *store.Tx) error {
		s.viewMu.Lock()
		defer s.viewMu.Unlock()
		// Only here are the rows certainly those that the commit changes: another machine may have
		// committed since the change was prepared.
		if refused = s.mayReplace(c, base, segments, began); refused != nil {
			return refused
		}
		s.pendingSegments = segments
		return c.write(tx, s.rows)
	})
	if refused != nil {
		return s.abandon(refused, segments)
	}
	if err != nil {
		_ = s.db.Problem() // which finds out whether it is done; the files stay, since they may count
	}
	return err
}

// mayReplace returns why a change that began some time ago must not be made now. The caller holds
// s.viewMu.
func (s *Store) mayReplace(c *change, base *view, segments map[string]*segment, began time.Time) error {
	if s.blobs == nil {
		if s.view() != base {
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
	case s.now().Sub(began) > store.ChangeTime: // Unused may be about to return its files
		return errors.New("the change of the measures took too long: try again")
	case len(c.drop) > 0 && !c.adds: // it only moves or removes measurements, so it cannot add one twice
		return nil
	case s.viewErr != nil:
		return s.notFetched()
	}
	// base is free of duplicates of the change. Only segments that other machines added since can have
	// some.
	for _, seg := range s.view().segments {
		if slices.Contains(base.segments, seg) {
			continue
		}
		for _, own := range segments {
			if own.mayHave(seg) && own.builder().sort([]*segment{seg}) > 0 {
				return errMoved
			}
		}
	}
	return nil
}

// notFetched returns the error of a view that lacks what another machine added. The caller holds s.viewMu.
func (s *Store) notFetched() error {
	return fmt.Errorf("what another machine added cannot be read: %w: %w", store.ErrAway, s.viewErr)
}

// clean removes the files that no longer count, unless they are being copied. It tries again at the
// next call.
func (s *Store) clean() error {
	s.viewMu.Lock()
	defer s.viewMu.Unlock()
	return s.removeFiles()
}

// removeFiles is clean. The caller holds s.viewMu.
func (s *Store) removeFiles() error {
	if s.copies > 0 {
		return nil
	}
	var errs []error
	s.removable = slices.DeleteFunc(s.removable, func(name string) bool {
		if isOf(name, s.rows) { // it counts again: the commit that removed its row was undone
			return true
		}
		err := os.Remove(filepath.Join(s.dir, name))
		if err == nil || errors.Is(err, fs.ErrNotExist) {
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

// abandon removes the files of a change whose commit was not begun. It returns cause, and errors of the
// removals.
func (s *Store) abandon(cause error, segments map[string]*segment) error {
	for name := range segments {
		if err := os.Remove(filepath.Join(s.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			cause = errors.Join(cause, err)
		}
	}
	return cause
}
