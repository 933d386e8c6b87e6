package measure

import (
	"fmt"
	"runtime"
	"time"
)

// Retain removes the measures that are older than d from the store and from the disk:
// a segment whole when all of it is old, else by writing it again. It returns how many
// rows it removed. Measures of unknown age are as old as their import. When it removed none
// and fails, the store is as it was.
func (s *Store) Retain(d time.Duration) (removed int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.readOnly {
		return 0, ErrReadOnly
	}
	if d <= 0 {
		return 0, fmt.Errorf("measures cannot be kept for %v", d)
	}
	before := s.now().Add(-d)
	next := s.manifest
	next.Segments = nil
	known, fresh := s.loaded(), map[string]*segment{}
	for _, row := range s.manifest.Segments {
		seg := known[row.File]
		switch {
		case row.Newest.Before(before):
			removed += row.Rows
			continue
		case !row.Oldest.Before(before), seg == nil: // a damaged file is for its owner to see
			next.Segments = append(next.Segments, row)
			continue
		}
		kept, file, err := s.rewrite(seg, before.Unix(), next.name())
		if err != nil {
			return 0, s.abandon(err)
		}
		removed += row.Rows - kept.Rows
		next.Segments, fresh[kept.File] = append(next.Segments, kept), file
	}
	if removed == 0 {
		return 0, nil
	}
	if err := s.replace(next, fresh); err != nil {
		return 0, s.abandon(err)
	}
	return removed, s.manifest.sweep(s.dir)
}

// rewrite writes the rows of a segment that are not older than before.
func (s *Store) rewrite(old *segment, before int64, name string) (Segment, *segment, error) {
	defer runtime.KeepAlive(old)
	b := newBuilder(old.meta)
	b.Networks = nil
	for i := range old.rows {
		if old.age(i) < before {
			continue
		}
		r := old.columns.row(old.Kind, uint32(i))
		r.network, _ = b.number(old.Networks[r.network]) // no more than the old one has
		b.add(&r)
	}
	b.sort(nil)
	return b.write(s.dir, name)
}
