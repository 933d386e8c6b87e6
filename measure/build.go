package measure

import (
	"cmp"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"relais/internal/folder"
)

// An entry is a row of a builder with its sort keys.
type entry struct {
	key, id   uint64 // position on the Hilbert curve, and hash of the content
	time, row uint32
}

// compareEntries defines the order of a segment's rows.
func compareEntries(a, b entry) int {
	return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.time, b.time), cmp.Compare(a.id, b.id))
}

// A builder collects the rows of one segment.
type builder struct {
	meta
	columns
	entries []entry
	numbers map[network]uint16
}

func newBuilder(m meta) *builder { return &builder{meta: m, numbers: map[network]uint16{}} }

// number returns the position of a network among those of the segment, false if there are
// too many.
func (b *builder) number(n network) (uint16, bool) {
	i, ok := b.numbers[n]
	if !ok {
		if len(b.Networks) >= maxNetworks {
			return 0, false
		}
		i = uint16(len(b.Networks))
		b.Networks, b.numbers[n] = append(b.Networks, n), i
	}
	return i, true
}

// maxNetworks is the most networks of a segment.
const maxNetworks = 4096

func (b *builder) add(r *row) {
	b.entries = append(b.entries,
		entry{hilbert(r.lat, r.lng), r.id(b.Kind, &b.Networks[r.network]), r.time, uint32(len(b.entries))})
	b.columns.add(b.Kind, r)
	if len(b.Origins) > 0 {
		b.columns.origin = append(b.columns.origin, r.origin)
	}
}

// mayHave reports whether rows of a segment are duplicates of equal rows of the builder. Those of a campaign have no
// duplicates elsewhere, so that each campaign is whole.
func (m *meta) mayHave(s *segment) bool {
	return s.Market == m.Market && s.Kind == m.Kind && (m.Campaign.ID == "" || m.Campaign.ID == s.Campaign.ID)
}

// sort sorts the entries into the order of the file, and removes duplicates of other entries
// and of rows of the segments. It returns how many it removed.
func (b *builder) sort(segments []*segment) int {
	all := len(b.entries)
	slices.SortFunc(b.entries, compareEntries)
	b.entries = slices.CompactFunc(b.entries, func(x, y entry) bool { return compareEntries(x, y) == 0 })
	for _, s := range segments {
		if b.mayHave(s) {
			b.removeAllOf(s)
		}
	}
	return all - len(b.entries)
}

// removeAllOf removes the entries that a segment has. Both are in the same order, so that it reads
// each block of the segment once.
func (b *builder) removeAllOf(s *segment) {
	k := 0
	b.entries = slices.DeleteFunc(b.entries, func(e entry) bool {
		for k+1 < len(s.blocks) && compareEntries(s.blocks[k+1].first, e) <= 0 {
			k++
		}
		return s.blockHas(k, &b.columns, e)
	})
}

// blockHas reports whether a block has the row of an entry.
func (s *segment) blockHas(k int, c *columns, e entry) bool {
	if k >= len(s.blocks) {
		return false
	}
	b, lat, lng := &s.blocks[k], c.lat[e.row], c.lng[e.row]
	if lat < b.south || lat > b.north || lng < b.west || lng > b.east || e.time < b.oldest || e.time > b.newest {
		return false
	}
	for i := k * blockRows; i < min((k+1)*blockRows, s.rows); i++ {
		if s.lat[i] == lat && s.lng[i] == lng && s.time[i] == e.time && s.id(uint32(i)) == e.id {
			return true
		}
	}
	return false
}

// reset empties the builder and keeps its memory.
func (b *builder) reset() {
	for _, col := range b.columns.ofKind(b.Kind) {
		col.clip()
	}
	b.entries, b.Networks = b.entries[:0], nil
	clear(b.numbers)
}

// write writes the sorted rows of a builder to a file that does not count yet, and loads it.
func (s *Store) write(b *builder) (SegmentInfo, *segment, error) {
	if err := folder.MakePrivateDir(s.dir); err != nil {
		return SegmentInfo{}, nil, err
	}
	path := filepath.Join(s.dir, newName())
	err := folder.Replace(path, func(w io.Writer) error {
		_, _, err := writeSegment(w, &b.meta, &b.columns, b.entries)
		return err
	})
	var seg *segment
	if err == nil {
		seg, err = readSegment(path)
	}
	if err != nil {
		os.Remove(path) // a file that stays is removed by a later sweep
		return SegmentInfo{}, nil, err
	}
	return infoOf(seg), seg, nil
}

// infoOf returns the row of a segment.
func infoOf(seg *segment) SegmentInfo {
	oldest, newest := seg.ages()
	return SegmentInfo{
		File: seg.file, Market: seg.Market, Kind: seg.Kind, Rows: seg.rows, Bytes: seg.bytes,
		Checksum: sumText(seg.checksum),
		Imported: unix(seg.Imported), Oldest: unix(oldest), Newest: unix(newest), Campaign: seg.Campaign,
	}
}

// ages returns the times of the oldest and the newest row. A row of unknown age is as old as
// its import.
func (s *segment) ages() (oldest, newest int64) {
	for i := range s.time {
		t := s.age(i)
		if i == 0 || t < oldest {
			oldest = t
		}
		newest = max(newest, t)
	}
	return oldest, newest
}

func (s *segment) age(i int) int64 {
	switch {
	case s.time[i] == 0 && s.origin != nil:
		return s.Origins[s.origin[i]].Imported
	case s.time[i] == 0:
		return s.Imported
	}
	return int64(s.time[i])
}

func unix(t int64) time.Time { return time.Unix(t, 0).UTC() }
