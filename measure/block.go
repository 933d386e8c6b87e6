package measure

import (
	"math"
	"slices"

	"relais/geo"
)

// A block describes blockRows consecutive rows of a segment: where and when they were
// measured.
type block struct {
	rectangle
	oldest, newest uint32
	first          entry // the first row
}

const blockRows = 256

func (s *segment) newBlocks() []block {
	blocks := make([]block, 0, (s.rows+blockRows-1)/blockRows)
	for from := 0; from < s.rows; from += blockRows {
		to := min(from+blockRows, s.rows)
		lat, lng, at := s.lat[from:to], s.lng[from:to], s.time[from:to]
		blocks = append(blocks, block{
			rectangle: rectangle{slices.Min(lat), slices.Min(lng), slices.Max(lat), slices.Max(lng)},
			oldest:    slices.Min(at), newest: slices.Max(at),
			first: entry{hilbert(lat[0], lng[0]), s.id(uint32(from)), at[0], uint32(from)},
		})
	}
	return blocks
}

func hilbert(lat, lng int32) uint64 {
	return geo.Hilbert(geo.Point{Lat: geo.Degrees(lat), Lng: geo.Degrees(lng)})
}

// A rectangle is a box in fixed point, edges included, that does not cross the
// antimeridian.
type rectangle struct{ south, west, north, east int32 } // 1e-7 degrees

// world contains every point, noRectangle none.
var (
	world       = rectangle{-90e7, -180e7, 90e7, 180e7}
	noRectangle = rectangle{math.MaxInt32, math.MaxInt32, math.MinInt32, math.MinInt32}
)

// fixedBoxes returns the rectangles that together contain the same fixed points as a box.
func fixedBoxes(b geo.Box) (list []rectangle) {
	for _, h := range b.Split() {
		r := rectangle{ceilFixed(h.South), ceilFixed(h.West), -ceilFixed(-h.North), -ceilFixed(-h.East)}
		if r.south <= r.north && r.west <= r.east {
			list = append(list, r)
		}
	}
	return list
}

// ceilFixed returns degrees in fixed point, rounded up.
func ceilFixed(degrees float64) int32 {
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

// meetsAny reports whether one of the rectangles meets another.
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
