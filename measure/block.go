package measure

import (
	"math"
	"slices"

	"relais/geo"
)

// A block is the directory's line on blockRows rows that follow each other: where and
// when they were measured. Above blocks are the tiles.
type block struct {
	extent
	first entry // its first row
}

// An extent is where and when rows were measured.
type extent struct {
	rectangle
	oldest, newest uint32
}

// extentOf is that of blocks: of none, one that meets nothing.
func extentOf(blocks []block) extent {
	e := extent{nowhere, math.MaxUint32, 0}
	for i := range blocks {
		b := &blocks[i]
		e.south, e.north, e.west, e.east = min(e.south, b.south), max(e.north, b.north), min(e.west, b.west), max(e.east, b.east)
		e.oldest, e.newest = min(e.oldest, b.oldest), max(e.newest, b.newest)
	}
	return e
}

const blockRows = 256

func (s *segment) newBlocks() []block {
	blocks := make([]block, 0, (s.rows+blockRows-1)/blockRows)
	for from := 0; from < s.rows; from += blockRows {
		b := block{extent: extent{rectangle: s.bounds(from, min(from+blockRows, s.rows)), oldest: math.MaxUint32}}
		b.first = entry{hilbert(s.lat[from], s.lng[from]), s.id(uint32(from)), s.time[from], uint32(from)}
		for i := from; i < min(from+blockRows, s.rows); i++ {
			b.oldest, b.newest = min(b.oldest, s.time[i]), max(b.newest, s.time[i])
		}
		blocks = append(blocks, b)
	}
	return blocks
}

// partRows are the rows of a part of a block, which tells where they are: at the rim of a
// place, most parts lie inside or outside as a whole.
const partRows = 32

func (s *segment) newParts() []rectangle {
	parts := make([]rectangle, 0, (s.rows+partRows-1)/partRows)
	for from := 0; from < s.rows; from += partRows {
		parts = append(parts, s.bounds(from, min(from+partRows, s.rows)))
	}
	return parts
}

// bounds returns the least rectangle that holds the rows from to to-1.
func (s *segment) bounds(from, to int) rectangle {
	return rectangle{slices.Min(s.lat[from:to]), slices.Min(s.lng[from:to]), slices.Max(s.lat[from:to]), slices.Max(s.lng[from:to])}
}

func hilbert(lat, lng int32) uint64 {
	return geo.Hilbert(geo.Point{Lat: geo.Degrees(lat), Lng: geo.Degrees(lng)})
}

// A rectangle is a box in fixed point, edges included, that does not cross the
// antimeridian.
type rectangle struct{ south, west, north, east int32 } // 1e-7 degrees

// world holds every point, nowhere none.
var (
	world   = rectangle{-90e7, -180e7, 90e7, 180e7}
	nowhere = rectangle{math.MaxInt32, math.MaxInt32, math.MinInt32, math.MinInt32}
)

// fixed returns the rectangles that hold the fixed points of a box and no others.
func fixed(b geo.Box) (list []rectangle) {
	for _, h := range b.Split() {
		r := rectangle{least(h.South), least(h.West), -least(-h.North), -least(-h.East)}
		if r.south <= r.north && r.west <= r.east {
			list = append(list, r)
		}
	}
	return list
}

// least returns the least fixed point that is not below so many degrees.
func least(degrees float64) int32 {
	degrees = min(max(degrees, -200), 200)
	v := int32(math.Ceil(degrees * geo.Scale))
	for geo.Degrees(v-1) >= degrees {
		v--
	}
	for geo.Degrees(v) < degrees {
		v++
	}
	return v
}

func (r *rectangle) meets(b *rectangle) bool {
	return b.south <= r.north && b.north >= r.south && b.west <= r.east && b.east >= r.west
}

// meetsAny tells whether one of the rectangles meets another.
func meetsAny(list []rectangle, b *rectangle) bool {
	for i := range list {
		if list[i].meets(b) {
			return true
		}
	}
	return false
}

func (r *rectangle) covers(b *rectangle) bool {
	return r.south <= b.south && b.north <= r.north && r.west <= b.west && b.east <= r.east
}

func (r *rectangle) holds(lat, lng int32) bool {
	return r.south <= lat && lat <= r.north && r.west <= lng && lng <= r.east
}
