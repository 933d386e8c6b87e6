package measure

import (
	"slices"
	"sort"
	"unsafe"
)

// A tile is rows that follow each other, as they are counted and sampled: by network and
// technology, those of both by time. Of a tile that lies in a place as a whole nothing is
// looked at but where a window of time begins, and what is sampled or kept.
type tile struct {
	extent
	runs, endRuns uint32 // where its runs begin and end in the tiling's
	notches       uint32 // the place of the first in the tiling's notches
	marks         uint32 // and in its marks
}

// A run is the rows of a tile that have a network and a technology: from the end of the
// run before, in byTime.
type run struct {
	network           uint16
	technology, group uint8 // the group in a census
	end               uint32
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
	// marks are of one of each markRows rows of a run, here of the first and there of the last:
	// a sample of very many rows reads what lies still closer.
	marks []notch
}

// A notch is what a row of a tile says.
type notch struct {
	time   uint32
	values [3]int32 // in the order of Group.Values
}

const notchRows, markRows = 8, 64

// tileBlocks are the sizes of tiles, each a multiple of the next: the large ones for what
// lies deep in a place, the others for what its rim leaves of these.
var tileBlocks = [...]int{1 << tileBits / blockRows, 8, 1}

// tileBits number the rows of a tile: at most 16, and so few that the order of a row fits
// into a number.
const tileBits = 14

// newTilings makes the tilings, the one of the largest tiles first.
func (s *segment) newTilings() (err error) {
	groups := make([]uint8, s.rows)
	for i := range groups {
		groups[i] = s.group(s.network[i], s.technology[i])
	}
	size := padded(s.rows)
	for i, blocks := range tileBlocks {
		s.tilings[i] = s.newTiling(blocks)
		size += s.tilings[i].bytes()
	}
	if s.tiled, err = newMemory(size); err != nil {
		return err
	}
	rest := s.tiled.bytes
	s.groups, rest = moved(groups, rest)
	for i := range s.tilings {
		g := &s.tilings[i]
		g.byTime, rest = moved(g.byTime, rest)
		g.notches, rest = moved(g.notches, rest)
		g.marks, rest = moved(g.marks, rest)
	}
	return nil
}

// bytes is how much memory outside the heap the tiling takes.
func (g *tiling) bytes() int {
	const n = int(unsafe.Sizeof(notch{}))
	return padded(2*len(g.byTime)) + padded(n*len(g.notches)) + padded(n*len(g.marks))
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
		t := tile{runs: uint32(len(g.runs)), notches: uint32(len(g.notches)), marks: uint32(len(g.marks))}
		t.extent = extentOf(s.blocks[from/blockRows : min(from/blockRows+blocks, len(s.blocks))])
		first := 0 // of a run
		for k, o := range order {
			i := int(o & (1<<tileBits - 1))
			if k == 0 || o>>(tileBits+32) != order[k-1]>>(tileBits+32) {
				network, technology := s.network[from+i], s.technology[from+i]
				g.runs, first = append(g.runs, run{network: network, technology: technology, group: s.group(network, technology)}), k
			}
			if (k-first)%notchRows == 0 && blocks > 1 {
				g.notches = append(g.notches, s.notch(from+i))
			}
			g.byTime = append(g.byTime, uint16(i))
			g.runs[len(g.runs)-1].end = uint32(len(g.byTime))
		}
		t.endRuns = uint32(len(g.runs))
		g.mark(s, from, g.runsOf(&t))
		g.tiles = append(g.tiles, t)
	}
	g.runs = slices.Clone(g.runs) // no larger than it must be
	return g
}

// mark adds the marks of the runs of the tile that begins at a row.
func (g *tiling) mark(s *segment, from int, runs []run) {
	begin := uint32(from)
	for _, r := range runs {
		for ; begin < r.end; begin += min(markRows, r.end-begin) {
			chance := uint32(len(g.marks)) * 0x9e3779b9 >> 16 // even, and the same each time
			g.marks = append(g.marks, s.notch(from+int(g.byTime[begin+chance%min(markRows, r.end-begin)])))
		}
	}
}

// notchesOf are the notches of a run of so many rows that begin there, none where the tiling
// has none.
func (g *tiling) notchesOf(at, rows int) []notch {
	if len(g.notches) == 0 {
		return nil
	}
	return g.notches[at : at+in(rows, notchRows)]
}

// in is how many of something there are in so many rows of which each of so many has one.
func in(rows, each int) int { return (rows + each - 1) / each }

func (s *segment) notch(row int) notch { return notch{s.time[row], s.values(row)} }

// group is that of a census of which rows of a network and a technology are.
func (s *segment) group(network uint16, technology uint8) uint8 {
	return uint8((s.operators[network]+1)*generations + int(technologies[technology].generation))
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
