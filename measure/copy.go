package measure

import (
	"context"
	"errors"
	"slices"

	"relais/geo"
	"relais/internal/folder"
	"relais/market"
)

// CopyTo copies the measurements that keep chooses, by their market and position, into a folder without
// measurements. It returns how many it copied of each kind, and the campaigns that some of them are of. Queries and imports can run meanwhile: the
// measurements are those of one moment. Errors: those of ctx and of writing.
func (s *Store) CopyTo(ctx context.Context, dir folder.Dir, keep func(market.Code, geo.Point) bool) (
	n map[Kind]int, campaigns []Edition, err error) {
	db, err := OpenDatabase(dir, false)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	to, err := New(dir, db, s.now)
	if err != nil {
		return nil, nil, err
	}
	n = map[Kind]int{}
	// Segments of a view do not change, so s needs no lock. to needs none either: nobody else has it.
	for _, seg := range s.view().segments {
		b := seg.chosen(keep)
		if len(b.entries) == 0 {
			continue
		}
		n[seg.Kind] += len(b.entries)
		row, written, err := to.write(b)
		if err == nil {
			err = to.replace(&change{put: []SegmentInfo{row}}, to.view(), map[string]*segment{row.File: written})
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return nil, nil, err
		}
	}
	for _, m := range market.All {
		for _, e := range to.Editions(m.Code) {
			if e.Campaign.ID != "" {
				campaigns = append(campaigns, e)
			}
		}
	}
	return n, campaigns, nil
}

// chosen returns a builder with rows of the segment.
func (s *segment) chosen(keep func(market.Code, geo.Point) bool) *builder {
	b := newBuilder(s.meta)
	b.Networks, b.Replaces, b.Origins = nil, nil, nil
	if !b.Added {
		b.Origins = slices.Clone(s.origins())
	}
	for i := range s.rows {
		r := s.columns.row(s.Kind, uint32(i))
		if keep(s.Market, r.position()) {
			r.network, _ = b.number(s.Networks[r.network]) // there are no more than in the segment
			b.add(&r)
		}
	}
	b.sort(nil)
	return b
}
