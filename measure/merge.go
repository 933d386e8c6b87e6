package measure

import (
	"errors"
	"math/bits"
	"slices"
	"strings"

	"relais/market"
)

// Small segments are merged, so that the number of files stays bounded: when mergeFan segments of a
// kind have about as many rows, they become one. So each row is rewritten once for each factor of
// mergeFan, and there are fewer than mergeFan files of each size. The limits bound the memory and
// the time of a step.
const (
	mergeFan     = 16
	mergeInputs  = 4 * mergeFan
	mergeRows    = 1 << 18
	mergeOrigins = 1 << 14
)

// Grew returns a channel that receives when there may be segments to merge.
func (s *Store) Grew() <-chan struct{} { return s.changed }

// Merge merges some small segments into one, and reports whether it did: then there may be
// more to merge. Queries and imports can run meanwhile. The content and the age of measurements
// do not change.
func (s *Store) Merge() (merged bool, err error) {
	s.merging.Lock()
	defer s.merging.Unlock()
	inputs, err := s.beginMerge()
	if err != nil || inputs == nil {
		return false, err
	}
	row, seg, err := s.write(combine(inputs)) // without mu: speedtests are added meanwhile
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writing--
	if err != nil {
		return false, err
	}
	segments := map[string]*segment{row.File: seg}
	c := change{put: []SegmentInfo{row}, drop: seg.Replaces}
	c.put[0].order = inputs[0].order // so that the order of imports stays
	present, base := 0, s.view()
	for _, r := range base.rows {
		if slices.Contains(c.drop, r.File) {
			present++
		}
	}
	if present < len(inputs) { // Retain removed some of them meanwhile: their rows must not come back
		return true, s.abandon(nil, segments)
	}
	switch err := s.replace(&c, base, segments); {
	case errors.Is(err, errMoved): // another machine merged or removed some of them
		return true, nil
	case err != nil:
		return false, err
	}
	return true, s.clean()
}

// MergeAll merges until no segments can be merged.
func (s *Store) MergeAll() error {
	for {
		if merged, err := s.Merge(); err != nil || !merged {
			return err
		}
	}
}

// beginMerge returns the segments to merge next, nil for none.
func (s *Store) beginMerge() ([]*segment, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.viewMu.Lock()
	stale := s.viewErr != nil // segments in memory may have lost their rows
	s.viewMu.Unlock()
	if s.readOnly || stale {
		return nil, nil
	}
	inputs := s.mergeable()
	if inputs != nil {
		s.writing++
	}
	return inputs, nil
}

// A mergeKey has the properties that segments must share to be merged.
type mergeKey struct {
	market           market.Code
	campaign         string // its id
	kind             Kind
	synthetic, added bool
	size             int // by factors of mergeFan
}

// mergeable returns segments to merge, in their order, nil if there are too few.
func (s *Store) mergeable() []*segment {
	limit := min(mergeRows, s.rowLimit)
	groups := map[mergeKey][]*segment{}
	for _, seg := range s.view().segments {
		if seg.rows <= limit/2 { // two larger ones never fit into one
			k := mergeKey{seg.Market, seg.Campaign.ID, seg.Kind, seg.Synthetic, seg.Added,
				(bits.Len(uint(seg.rows)) - 1) / bits.Len(mergeFan-1)}
			groups[k] = append(groups[k], seg)
		}
	}
	for _, list := range groups {
		if len(list) < mergeFan {
			continue
		}
		for from := range list {
			if inputs := fittingPrefix(list[from:], limit); len(inputs) > 1 {
				return inputs
			}
		}
	}
	return nil
}

// fittingPrefix returns the first segments that fit into one.
func fittingPrefix(list []*segment, limit int) []*segment {
	rows, networks, origins := 0, 0, 0
	for i, seg := range list {
		rows, networks, origins = rows+seg.rows, networks+len(seg.Networks), origins+max(len(seg.Origins), 1)
		if i == mergeInputs || rows > limit || networks > maxNetworks || origins > mergeOrigins {
			return list[:i]
		}
	}
	return list
}

// combine returns a builder with the rows of segments with the same mergeKey.
func combine(inputs []*segment) *builder {
	b := newBuilder(inputs[0].meta)
	b.Networks, b.Origins, b.Replaces = nil, nil, nil
	for _, seg := range inputs {
		b.Replaces = append(b.Replaces, seg.file)
		first := len(b.Origins)
		if !b.Added { // added speedtests always have a time, and are one session
			b.Origins = append(b.Origins, seg.origins()...)
		}
		for i := range seg.rows {
			r := seg.columns.row(seg.Kind, uint32(i))
			r.network, _ = b.number(seg.Networks[r.network]) // fittingPrefix bounds their number
			r.origin += uint16(first)
			b.add(&r)
		}
	}
	b.sort(nil)
	return b
}

// origins returns the imports of a segment's rows.
func (s *segment) origins() []origin {
	if len(s.Origins) > 0 {
		return s.Origins
	}
	return []origin{{strings.TrimSuffix(s.file, ".seg"), s.order, s.Imported}}
}
