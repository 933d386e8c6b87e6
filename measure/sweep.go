package measure

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"relais/internal/folder"
	"relais/internal/store"
)

// sweep removes files that a killed process left: temporary files, and files without a row whose
// measurements are all in files that count. Other files without a row stay for Repair: they may
// have the only copy of their measurements.
func (s *Store) sweep() error { return s.sweepBefore(time.Time{}) }

// sweepBefore is sweep. It may also remove files whose other measurements are all older than
// before.
func (s *Store) sweepBefore(before time.Time) error {
	s.viewMu.Lock()
	copying := s.copies > 0
	s.viewMu.Unlock()
	if copying || s.writing > 0 {
		return nil
	}
	// Only during an Update the rows in memory are certainly those on disk.
	var err error
	_ = s.db.Update(func(*store.Tx) error { // which fails where nothing can be written: then all stays
		err = s.removeSpare(before)
		return nil
	})
	return err
}

// removeSpare removes the files that sweepBefore may remove.
func (s *Store) removeSpare(before time.Time) error {
	v := s.view()
	if len(v.problems) > 0 && s.blobs == nil {
		return nil
	}
	names, err := s.uncounted()
	errs := []error{err, folder.SweepTemporary(s.dir)}
	replaced := map[string]bool{} // by files that count: a corrected campaign has not all rows of the former one
	for _, seg := range v.segments {
		for _, file := range seg.Replaces {
			replaced[file] = true
		}
	}
	for _, name := range names {
		path := filepath.Join(s.dir, name)
		if s.blobs != nil { // they were another machine's, or were not acknowledged
			errs = append(errs, os.Remove(path))
			continue
		}
		seg, err := readSegment(path)
		if err == nil && (replaced[name] || seg.isRedundant(v.segments, before)) {
			errs = append(errs, os.Remove(path))
		}
	}
	return errors.Join(errs...)
}

// uncounted returns the files of segments without a row.
func (s *Store) uncounted() (names []string, err error) {
	rows := s.counted()
	all, err := segmentFiles(s.dir)
	for _, name := range all {
		if !isOf(name, rows) {
			names = append(names, name)
		}
	}
	return names, err
}

// isRedundant reports whether each row that is not older than before is in one of the segments.
func (s *segment) isRedundant(segments []*segment, before time.Time) bool {
	b := s.builder()
	kept := b.entries[:0]
	for _, e := range b.entries {
		if s.age(int(e.row)) >= before.Unix() {
			kept = append(kept, e)
		}
	}
	b.entries = kept
	b.sort(segments)
	return len(b.entries) == 0
}

// builder returns the rows of a segment.
func (s *segment) builder() *builder {
	b := &builder{meta: s.meta, columns: s.columns, entries: make([]entry, s.rows)}
	for i := range b.entries {
		b.entries[i] = entry{hilbert(s.lat[i], s.lng[i]), s.id(uint32(i)), s.time[i], uint32(i)}
	}
	return b
}
