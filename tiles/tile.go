// Package tiles makes vector tiles of the sites and places of an index, in the format Mapbox
// Vector Tile 2.1. It decides what a tile shows at which zoom. It knows no transport, and keeps
// nothing.
package tiles

import (
	"math"

	"relais/geo"
)

// Extent is the number of units along a side of a tile.
const Extent = 1 << extentBits

const extentBits = 12

// A Tile is a square of the Mercator map of the Web. At zoom Z the world has 2^Z columns, counted
// from the west, and as many rows, counted from the north. Z is at most 22: positions have a
// resolution of one centimetre, and larger zooms would show nothing more.
type Tile struct{ Z, X, Y uint32 }

// Box returns a box that contains the tile. It is a little larger than the tile. The boxes of the
// first and the last row reach the poles, because sites beyond the map are moved to its edge.
func (t Tile) Box() geo.Box {
	const margin = 1e-6 // degrees
	side := float64(uint64(1) << t.Z)
	b := geo.Box{
		West: math.Max(360*float64(t.X)/side-180-margin, -180), East: math.Min(360*float64(t.X+1)/side-180+margin, 180),
		North: latitude(float64(t.Y)/side) + margin, South: latitude(float64(t.Y+1)/side) - margin,
	}
	if t.Y == 0 {
		b.North = 90
	}
	if t.Y == 1<<t.Z-1 {
		b.South = -90
	}
	return b
}

// latitude returns the latitude of a place that is a fraction of the world south of its northern edge.
func latitude(south float64) float64 {
	return math.Atan(math.Sinh(math.Pi*(1-2*south))) * 180 / math.Pi
}

// has reports whether a spot is on the tile. Each spot is on exactly one tile of a zoom.
func (t Tile) has(s geo.Spot) bool {
	return uint64(s.X)<<t.Z>>32 == uint64(t.X) && uint64(s.Y)<<t.Z>>32 == uint64(t.Y)
}

// within returns the first bits, after those of the tile, of a spot's coordinates.
func (t Tile) within(s geo.Spot, bits uint32) (x, y uint32) {
	return s.X << t.Z >> (32 - bits), s.Y << t.Z >> (32 - bits)
}
