package measure

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Retain removes the measurements that are older than d from the store and from the disk. It
// removes a segment whose rows are all old, and rewrites one with some old rows. The newest campaign
// of each source stays, whatever its age. It returns the number of removed rows. Measurements of unknown age are as old as their import. After an
// error of the disk, they may be removed or not.
func (s *Store) Retain(d time.Duration) (removed int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.readOnly {
		return 0, ErrReadOnly
	}
	if d <= 0 {
		return 0, fmt.Errorf("measures cannot be kept for %v", d)
	}
	err = s.retried(func() (err error) {
		removed, err = s.removeBefore(s.now().Add(-d))
		return err
	})
	return removed, err
}

// removeBefore removes the measurements before a time; see Retain. Error: errMoved.
func (s *Store) removeBefore(before time.Time) (removed int, err error) {
	var c change
	base := s.view()
	known, segments := s.loaded(), map[string]*segment{}
	newest := newestCampaigns(base.rows)
	for _, row := range base.rows {
		seg := known[row.File]
		switch {
		case newest[editionKey{row.Market, row.Campaign.ID}]:
			continue
		case row.Newest.Before(before):
			removed += row.Rows
		case !row.Oldest.Before(before), seg == nil: // a damaged file is for its owner to see
			continue
		default:
			kept, file, err := s.rewrite(seg, before.Unix())
			if err != nil {
				return 0, s.abandon(err, segments)
			}
			kept.order = row.order
			removed += row.Rows - kept.Rows
			c.put, segments[kept.File] = append(c.put, kept), file
		}
		c.drop = append(c.drop, row.File)
	}
	if removed > 0 {
		if err := s.replace(&c, base, segments); err != nil {
			return 0, err
		}
	}
	// Files of a killed import or Retain have no row, but their old measurements must go too.
	return removed, errors.Join(s.clean(), s.sweepBefore(before))
}

// rewrite writes a new segment with the rows that are not older than before.
func (s *Store) rewrite(old *segment, before int64) (SegmentInfo, *segment, error) {
	b := newBuilder(old.meta)
	b.Networks, b.Replaces = nil, []string{old.file}
	if !b.Added { // an import keeps its name
		b.Origins = slices.Clone(old.origins())
	}
	for i := range old.rows {
		if old.age(i) < before {
			continue
		}
		r := old.columns.row(old.Kind, uint32(i))
		r.network, _ = b.number(old.Networks[r.network]) // no more than the old one has
		b.add(&r)
	}
	b.sort(nil)
	return s.write(b)
}
