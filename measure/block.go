package measure

import (
	"math"

	"relais/geo"
)

// A block is the directory's line on blockRows rows that follow each other: where and
// when they were measured. All lines of ten million rows are looked at in a fraction of
// a millisecond, so that there is no tree above them.
type block struct {
	south, west, north, east int32 // 1e-7 degrees
	oldest, newest           uint32
	first                    entry // its first row
}

const blockRows = 256

func (s *segment) newBlocks() []block {
	blocks := make([]block, 0, (s.rows+blockRows-1)/blockRows)
	for from := 0; from < s.rows; from += blockRows {
		b := block{south: math.MaxInt32, west: math.MaxInt32, north: math.MinInt32, east: math.MinInt32, oldest: math.MaxUint32}
		b.first = entry{hilbert(s.lat[from], s.lng[from]), s.id(uint32(from)), s.time[from], uint32(from)}
		for i := from; i < min(from+blockRows, s.rows); i++ {
			b.south, b.north = min(b.south, s.lat[i]), max(b.north, s.lat[i])
			b.west, b.east = min(b.west, s.lng[i]), max(b.east, s.lng[i])
			b.oldest, b.newest = min(b.oldest, s.time[i]), max(b.newest, s.time[i])
		}
		blocks = append(blocks, b)
	}
	return blocks
}

func hilbert(lat, lng int32) uint64 {
	return geo.Hilbert(geo.Point{Lat: geo.Degrees(lat), Lng: geo.Degrees(lng)})
}

// A rectangle is a box in fixed point, edges included, that does not cross the
// antimeridian.
type rectangle struct{ south, west, north, east int32 }

// world holds every point.
var world = rectangle{-90e7, -180e7, 90e7, 180e7}

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

func (r *rectangle) meets(b *block) bool {
	return b.south <= r.north && b.north >= r.south && b.west <= r.east && b.east >= r.west
}

// meetsAny tells whether one of the rectangles meets a block.
func meetsAny(list []rectangle, b *block) bool {
	for i := range list {
		if list[i].meets(b) {
			return true
		}
	}
	return false
}

func (r *rectangle) covers(b *block) bool {
	return r.south <= b.south && b.north <= r.north && r.west <= b.west && b.east <= r.east
}

func (r *rectangle) holds(lat, lng int32) bool {
	return r.south <= lat && lat <= r.north && r.west <= lng && lng <= r.east
}
