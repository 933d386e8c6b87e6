package measure

import (
	"slices"
	"sort"
)

// A tile is rows that follow each other, as they are counted and sampled: by network and
// technology, those of both by time. Of a tile that lies in a place as a whole nothing is
// looked at but where a window of time begins.
type tile struct {
	extent
	runs, endRuns uint32 // where its runs begin and end in the tiling's
	notches       uint32 // the place of the first in the tiling's notches
}

// A run is the rows of a tile that have a network and a technology: from the end of the
// run before, in byTime.
type run struct {
	network    uint16
	technology uint8
	end        uint32
}

// A tiling is the tiles of a segment.
type tiling struct {
	blocks int // of a tile; the last one may have fewer
	tiles  []tile
	runs   []run    // of each tile
	byTime []uint16 // for each tile the numbers of its rows in their order, from its first
	// notches are of the first of each notchRows rows of a run, or of fewer at its end: what
	// is looked for by time, or sampled, is next to each other. nil where runs are short.
	notches []notch
}

// A notch is what a row of a tile says.
type notch struct {
	time   uint32
	values [3]int32 // in the order of Group.Values
}

const notchRows = 8

// tileBlocks are the sizes of tiles, each a multiple of the next: the large ones for what
// lies deep in a place, the others for what its rim leaves of these.
var tileBlocks = [...]int{1 << tileBits / blockRows, 8, 1}

// tileBits number the rows of a tile: at most 16, and so few that the order of a row fits
// into a number.
const tileBits = 14

// newTilings returns the tilings, the one of the largest tiles first.
func (s *segment) newTilings() (list [len(tileBlocks)]tiling) {
	for i, blocks := range tileBlocks {
		list[i] = s.newTiling(blocks)
	}
	return list
}

func (s *segment) newTiling(blocks int) tiling {
	size := blocks * blockRows
	g := tiling{blocks: blocks, tiles: make([]tile, 0, (s.rows+size-1)/size), byTime: make([]uint16, 0, s.rows)}
	order := make([]uint64, 0, size)
	for from := 0; from < s.rows; from += size {
		order = order[:0]
		for i := from; i < min(from+size, s.rows); i++ {
			order = append(order, s.kind(i)<<(tileBits+32)|uint64(s.time[i])<<tileBits|uint64(i-from))
		}
		slices.Sort(order)
		t := tile{extent: s.blocks[from/blockRows].extent, runs: uint32(len(g.runs)), notches: uint32(len(g.notches))}
		for _, b := range s.blocks[from/blockRows : min(from/blockRows+blocks, len(s.blocks))] {
			t.south, t.north, t.west, t.east = min(t.south, b.south), max(t.north, b.north), min(t.west, b.west), max(t.east, b.east)
			t.oldest, t.newest = min(t.oldest, b.oldest), max(t.newest, b.newest)
		}
		first := 0 // of a run
		for k, o := range order {
			i := int(o & (1<<tileBits - 1))
			if k == 0 || o>>(tileBits+32) != order[k-1]>>(tileBits+32) {
				g.runs, first = append(g.runs, run{network: s.network[from+i], technology: s.technology[from+i]}), k
			}
			if (k-first)%notchRows == 0 && blocks > 1 {
				g.notches = append(g.notches, notch{s.time[from+i], s.values(from + i)})
			}
			g.byTime = append(g.byTime, uint16(i))
			g.runs[len(g.runs)-1].end = uint32(len(g.byTime))
		}
		t.endRuns = uint32(len(g.runs))
		g.tiles = append(g.tiles, t)
	}
	g.notches, g.runs = slices.Clone(g.notches), slices.Clone(g.runs) // no larger than they must be
	return g
}

func (g *tiling) runsOf(t *tile) []run { return g.runs[t.runs:t.endRuns] }

// kind is the network and the technology of a row, in 12 bits (see maxNetworks) and 6.
func (s *segment) kind(i int) uint64 { return uint64(s.network[i])<<6 | uint64(s.technology[i]) }

// older is how many of the rows of a run, of the tile that begins at row from and has these
// notches there or none, are older than the filter lets pass.
func (f *filter) older(rows []uint16, from int, notches []notch) int {
	begin := 0
	if n := f.olderNotches(notches); len(notches) > 0 {
		begin = max(n-1, 0) * notchRows
		rows = rows[begin:min(n*notchRows, len(rows))]
	}
	return begin + sort.Search(len(rows), func(k int) bool { return f.time[from+int(rows[k])] >= f.since })
}

func (f *filter) olderNotches(notches []notch) int {
	return sort.Search(len(notches), func(k int) bool { return notches[k].time >= f.since })
}

// notchesOf is how many of the notches that are left of a tile are of its next run, which
// has so many rows.
func notchesOf(rows int, left []notch) int { return min((rows+notchRows-1)/notchRows, len(left)) }
