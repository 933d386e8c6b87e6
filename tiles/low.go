package tiles

import (
	"cmp"
	"maps"
	"slices"

	"relais/index"
)

// Low returns the tiles up to a zoom that have sites of a market, by zoom, column and row.
func Low(m *index.Market, zoom uint32) []Tile {
	has := map[Tile]bool{}
	for _, s := range m.Spots() {
		has[Tile{zoom, uint32(uint64(s.X) << zoom >> 32), uint32(uint64(s.Y) << zoom >> 32)}] = true
	}
	for z := zoom; z > 0; z-- {
		for t := range has {
			if t.Z == z {
				has[Tile{z - 1, t.X / 2, t.Y / 2}] = true
			}
		}
	}
	return slices.SortedFunc(maps.Keys(has), func(a, b Tile) int {
		return cmp.Or(cmp.Compare(a.Z, b.Z), cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y))
	})
}
