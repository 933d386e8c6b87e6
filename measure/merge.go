package measure

import (
	"math/bits"
	"slices"
	"strings"

	"relais/market"
)

// Small segments are put together, so that neither imports nor additions make files without
// end: as soon as mergeFan segments of a kind have about as many rows, they become
// one. Each row is then written again once for each factor of mergeFan, and of each size
// there are fewer than mergeFan files. The limits bound the memory and the time of a step.
const (
	mergeFan     = 16
	mergeInputs  = 4 * mergeFan
	mergeRows    = 1 << 18
	mergeOrigins = 1 << 14
)

// Grew receives when there may be something to merge.
func (s *Store) Grew() <-chan struct{} { return s.grew }

// Merge puts some small segments together, and reports whether it did: then there may be
// more. Questions are answered meanwhile, and imports go on. What measures say stays as it
// is, their age included.
func (s *Store) Merge() (merged bool, err error) {
	s.merging.Lock()
	defer s.merging.Unlock()
	inputs, err := s.beginMerge()
	if err != nil || inputs == nil {
		return false, err
	}
	row, seg, err := s.write(combine(inputs))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writing--
	if err != nil {
		return false, err
	}
	fresh := map[string]*segment{row.File: seg}
	c := change{put: []SegmentInfo{row}, drop: seg.Replaces}
	c.put[0].order = inputs[0].order
	counts, before := 0, s.view()
	for _, r := range before.rows {
		if slices.Contains(c.drop, r.File) {
			counts++
		}
	}
	if counts < len(inputs) { // something of it was removed meanwhile
		return true, s.abandon(nil, fresh)
	}
	if err := s.replace(&c, before, fresh); err != nil {
		return false, err
	}
	return true, s.clean()
}

// MergeAll merges until nothing is left to merge.
func (s *Store) MergeAll() error {
	for {
		if merged, err := s.Merge(); err != nil || !merged {
			return err
		}
	}
}

// beginMerge returns what to put together, nil for nothing.
func (s *Store) beginMerge() ([]*segment, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.readOnly {
		return nil, nil
	}
	inputs := s.mergeable()
	if inputs != nil {
		s.writing++
	}
	return inputs, nil
}

// A likeness is what segments that are put together have in common.
type mergeKey struct {
	market           market.Code
	kind             Kind
	synthetic, added bool
	size             int // by factors of mergeFan
}

// mergeable returns segments to put together, in their order, nil when there are too few.
func (s *Store) mergeable() []*segment {
	most := min(mergeRows, s.most)
	groups := map[mergeKey][]*segment{}
	for _, seg := range s.view().segments {
		if seg.rows <= most/2 {
			k := mergeKey{seg.Market, seg.Kind, seg.Synthetic, seg.Added,
				(bits.Len(uint(seg.rows)) - 1) / bits.Len(mergeFan-1)}
			groups[k] = append(groups[k], seg)
		}
	}
	for _, list := range groups {
		if len(list) < mergeFan {
			continue
		}
		for from := range list {
			if inputs := fittingPrefix(list[from:], most); len(inputs) > 1 {
				return inputs
			}
		}
	}
	return nil
}

// fitting returns the first segments that fit into one.
func fittingPrefix(list []*segment, most int) []*segment {
	rows, networks, origins := 0, 0, 0
	for i, seg := range list {
		rows, networks, origins = rows+seg.rows, networks+len(seg.Networks), origins+max(len(seg.Origins), 1)
		if i == mergeInputs || rows > most || networks > maxNetworks || origins > mergeOrigins {
			return list[:i]
		}
	}
	return list
}

// together gathers the rows of segments that are alike.
func combine(inputs []*segment) *builder {
	b := newBuilder(inputs[0].meta)
	b.Networks, b.Origins, b.Replaces = nil, nil, nil
	for _, seg := range inputs {
		b.Replaces = append(b.Replaces, seg.file)
		first := len(b.Origins)
		if !b.Added { // those that are added always have a time, and are one session
			b.Origins = append(b.Origins, seg.origins()...)
		}
		for i := range seg.rows {
			r := seg.columns.row(seg.Kind, uint32(i))
			r.network, _ = b.number(seg.Networks[r.network]) // fitting has made sure
			r.origin += uint16(first)
			b.add(&r)
		}
	}
	b.sort(nil)
	return b
}

// origins are the imports that a segment has rows of.
func (s *segment) origins() []origin {
	if len(s.Origins) > 0 {
		return s.Origins
	}
	return []origin{{strings.TrimSuffix(s.file, ".seg"), s.order, s.Imported}}
}
