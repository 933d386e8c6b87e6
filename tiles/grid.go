package tiles

import (
	"sort"

	"relais/geo"
)

// A grid finds the squares of a tile by comparing degrees: projecting a million positions takes ten
// times as long.
type grid struct{ rows, columns axis }

// newGrid returns the grid of a tile with 2^bits columns and rows.
func newGrid(t Tile, bits uint32) grid {
	const north, east = 90e7, 180e7
	side, n := uint64(1)<<(32-t.Z), 1<<bits
	g := grid{make(axis, n+1), make(axis, n+1)}
	for k := range g.rows {
		south := uint64(t.Y)*side + uint64(n-k)*side>>bits // the southern edge of square k from the south
		g.rows[k] = first(-north, north, func(lat int32) bool { return uint64(geo.Mercator(lat, 0).Y) < south })
		west := uint64(t.X)*side + uint64(k)*side>>bits
		g.columns[k] = first(-east, east, func(lng int32) bool { return uint64(geo.Mercator(0, lng).X) >= west })
	}
	return g
}

// first returns the first number from from to to for which f is true, or to+1. f must not be true
// before a number for which it is false.
func first(from, to int32, f func(int32) bool) int32 {
	start, n := int(from), int(to)-int(from)+1
	return int32(start + sort.Search(n, func(i int) bool { return f(int32(start + i)) }))
}

// square returns the number of the square of a position in 1e-7 degrees, row by row, or -1 outside of the
// tile.
func (g *grid) square(lat, lng int32) int {
	row, column := g.rows.find(lat), g.columns.find(lng)
	if row < 0 || column < 0 {
		return -1
	}
	return row*(len(g.columns)-1) + column
}

// An axis is the edges of intervals, ascending. An interval has its lower edge.
type axis []int32

// find returns the number of the interval of v, or -1 outside.
func (a axis) find(v int32) int {
	n := len(a) - 1
	if v < a[0] || v >= a[n] {
		return -1
	}
	k := int((int64(v) - int64(a[0])) * int64(n) / (int64(a[n]) - int64(a[0]))) // near, as they are about equal
	for v < a[k] {
		k--
	}
	for v >= a[k+1] {
		k++
	}
	return k
}
