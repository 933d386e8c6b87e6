package tiles

import (
	"google.golang.org/protobuf/encoding/protowire"

	"relais/coverage"
	"relais/geo"
	"relais/market"
)

// mapBits says how many places of a tile have a value of their own: 2^mapBits columns and rows.
const mapBits = 8

// Keys of the layer of coverage maps. level is the best that an operator is expected to have: 1 limited, 2 good, 3 very
// good, 0 where no source states one. ops are bits as in the layer sites, of the operators that are expected there; n is
// their number, or the source's, where it names none and states it.
const (
	mapLevel = iota
	mapOps
	mapN
)

var coverageMapKeys = []string{"level", "ops", "n"}

// A mapPlace is what a place has. The zero place has nothing.
type mapPlace struct {
	covered bool
	level   uint8
	n       uint8
	ops     uint32
}

// CoverageMap returns the layer coverage-map of some layers of a market. A feature is all places that are alike, as
// rectangles.
func CoverageMap(m *market.Market, layers []*coverage.Layer, t Tile) ([]byte, error) {
	const side = 1 << mapBits
	positions := map[string]int{}
	for i, o := range m.Operators {
		positions[o.Key] = i
	}
	places := make([]mapPlace, side*side)
	world := float64(uint64(1) << t.Z)
	err := coverage.Picture(layers, side, func(x, y float64) geo.Point {
		return geo.Point{Lat: latitude((float64(t.Y) + y) / world), Lng: 360*(float64(t.X)+x)/world - 180}
	}, func(i int, l *coverage.Layer, w *coverage.Word) {
		if w.Level == coverage.LevelNone {
			return
		}
		p := &places[i]
		p.covered = true
		if w.Level != coverage.LevelCovered {
			p.level = max(p.level, uint8(coverage.Rank(w.Level)))
		}
		if at, ok := positions[l.Operator]; ok && p.ops>>at&1 == 0 {
			p.ops |= 1 << at
			p.n++
		}
		if w.Operators == coverage.Three {
			p.n = 3
		}
	})
	if err != nil {
		return nil, err
	}
	return appendMap(places), nil
}

// appendMap makes the layer of the places.
func appendMap(places []mapPlace) []byte {
	const side, wide = 1 << mapBits, Extent >> mapBits
	l := newLayer(CoverageMapLayer, coverageMapKeys...)
	shapes, order := map[mapPlace]*rectangles{}, []mapPlace(nil)
	for y := range side {
		for x := 0; x < side; {
			p, from := places[y*side+x], x
			for x < side && places[y*side+x] == p {
				x++
			}
			if !p.covered {
				continue
			}
			high := 1
			for y+high < side && like(places[(y+high)*side:], p, from, x) {
				clear(places[(y+high)*side+from : (y+high)*side+x])
				high++
			}
			if shapes[p] == nil {
				shapes[p], order = &rectangles{}, append(order, p)
			}
			shapes[p].add(int64(from*wide), int64(y*wide), int64((x-from)*wide), int64(high*wide))
		}
	}
	for _, p := range order {
		l.number(mapLevel, uint64(p.level))
		if p.ops > 0 {
			l.number(mapOps, uint64(p.ops))
		}
		if p.n > 0 {
			l.number(mapN, uint64(p.n))
		}
		l.end(0, typePolygon, shapes[p].g)
	}
	return l.appendTo(nil)
}

// like reports whether the places of a row from one column to before another are all p.
func like(row []mapPlace, p mapPlace, from, to int) bool {
	for _, q := range row[from:to] {
		if q != p {
			return false
		}
	}
	return true
}

// rectangles are the geometry of a feature.
type rectangles struct {
	g    []byte
	x, y int64 // where the pen is
}

func (r *rectangles) add(x, y, wide, high int64) {
	step := func(dx, dy int64) {
		r.g = protowire.AppendVarint(protowire.AppendVarint(r.g, protowire.EncodeZigZag(dx)), protowire.EncodeZigZag(dy))
	}
	r.g = append(r.g, moveTo|1<<3)
	step(x-r.x, y-r.y)
	r.g = append(r.g, lineTo|3<<3)
	step(wide, 0)
	step(0, high)
	step(-wide, 0)
	r.g = append(r.g, closePath)
	r.x, r.y = x, y+high
}
