package measure

import "slices"

// A tile is tileRows rows that follow each other, as they are counted and sampled: by
// network and technology, those of both by time. Of a tile that lies in a place as a
// whole nothing is looked at but where a window of time begins.
type tile struct {
	block
	runs []run
}

// A run is the rows of a tile that have a network and a technology: from the end of the
// run before, in byTime.
type run struct {
	network    uint16
	technology uint8
	end        uint32
}

// tileRows is blocks of rows that a uint16 numbers: at two bytes a row.
const (
	tileBlocks = 4
	tileRows   = tileBlocks * blockRows
)

// newTiles returns the tiles, and for each of them the numbers of its rows in their
// order.
func (s *segment) newTiles() (tiles []tile, byTime []uint16) {
	tiles, byTime = make([]tile, 0, (s.rows+tileRows-1)/tileRows), make([]uint16, 0, s.rows)
	order := make([]uint64, 0, tileRows)
	for from := 0; from < s.rows; from += tileRows {
		order = order[:0]
		for i := from; i < min(from+tileRows, s.rows); i++ {
			order = append(order, uint64(s.network[i])<<52|uint64(s.technology[i])<<44|uint64(s.time[i])<<12|uint64(i-from))
		}
		slices.Sort(order)
		t := tile{block: s.blocks[from/blockRows]}
		for _, b := range s.blocks[from/blockRows : min(from/blockRows+tileBlocks, len(s.blocks))] {
			t.south, t.north, t.west, t.east = min(t.south, b.south), max(t.north, b.north), min(t.west, b.west), max(t.east, b.east)
			t.oldest, t.newest = min(t.oldest, b.oldest), max(t.newest, b.newest)
		}
		for i, o := range order {
			if i == 0 || o>>44 != order[i-1]>>44 {
				t.runs = append(t.runs, run{network: uint16(o >> 52), technology: uint8(o >> 44)})
			}
			byTime = append(byTime, uint16(o&(tileRows-1)))
			t.runs[len(t.runs)-1].end = uint32(len(byTime))
		}
		tiles = append(tiles, t)
	}
	return tiles, byTime
}

// newer returns the rows of a run that are not older than since, of the tile that begins
// at row from.
func (s *segment) newer(rows []uint16, from int, since uint32) []uint16 {
	n, _ := slices.BinarySearchFunc(rows, since, func(i uint16, t uint32) int {
		if s.time[from+int(i)] < t {
			return -1
		}
		return 1
	})
	return rows[n:]
}
