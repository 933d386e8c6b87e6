package pmtiles

import (
	"cmp"
	"slices"

	"relais/geo"
)

// A span is the tiles from one to another, which it does not have.
type span struct{ from, to uint64 }

// firstOf returns the number of tiles below a zoom: the id of its first tile.
func firstOf(zoom int) uint64 { return (1<<(2*zoom) - 1) / 3 }

// tileID returns the id of a tile: tiles are counted zoom after zoom, along a Hilbert curve from the north-west.
func tileID(zoom int, x, y uint32) uint64 { return firstOf(zoom) + hilbert(zoom, x, y) }

// hilbert returns the place of a tile on the curve of its zoom.
func hilbert(zoom int, x, y uint32) (d uint64) {
	for bit := zoom - 1; bit >= 0; bit-- {
		right, down := x>>bit&1, y>>bit&1
		d = d<<2 | uint64(3*right^down)
		if down == 0 { // the curve of this quadrant is turned
			if right == 1 {
				x, y = ^x, ^y
			}
			x, y = y, x
		}
	}
	return d
}

// A tileBox is the tiles of a zoom from a column and row to another, both included.
type tileBox struct{ west, north, east, south uint32 }

// spansOf returns the tiles of the zooms that touch the area, which is the union of boxes. They ascend and are apart.
func spansOf(area []geo.Box, minZoom, maxZoom int) (all []span) {
	for zoom := minZoom; zoom <= maxZoom; zoom++ {
		var boxes []tileBox
		for _, whole := range area {
			for _, b := range whole.Split() {
				boxes = append(boxes, tilesOf(b, zoom))
			}
		}
		first := len(all)
		all = appendSpans(all, boxes, zoom, 0, 0, 0)
		slices.SortFunc(all[first:], func(a, b span) int { return cmp.Compare(a.from, b.from) })
	}
	return joined(all)
}

// tilesOf returns the tiles of a zoom that touch a box.
func tilesOf(b geo.Box, zoom int) tileBox {
	tile := func(lat, lng float64) (x, y uint32) {
		s := geo.Mercator(geo.Fix(lat), geo.Fix(lng))
		return uint32(uint64(s.X) >> (32 - zoom)), uint32(uint64(s.Y) >> (32 - zoom))
	}
	west, north := tile(b.North, b.West)
	east, south := tile(b.South, b.East)
	return tileBox{west, north, east, south}
}

// appendSpans appends the tiles of the boxes that are below a tile of a lower zoom: all of them at once where the tile
// is within a box.
func appendSpans(all []span, boxes []tileBox, zoom, at int, x, y uint32) []span {
	deeper := zoom - at
	west, north := uint64(x)<<deeper, uint64(y)<<deeper
	east, south := west+1<<deeper-1, north+1<<deeper-1
	touched := false
	for _, b := range boxes {
		if uint64(b.west) > east || uint64(b.east) < west || uint64(b.north) > south || uint64(b.south) < north {
			continue
		}
		touched = true
		if uint64(b.west) <= west && uint64(b.east) >= east && uint64(b.north) <= north && uint64(b.south) >= south {
			from := firstOf(zoom) + hilbert(at, x, y)<<(2*deeper)
			return append(all, span{from, from + 1<<(2*deeper)})
		}
	}
	if !touched {
		return all
	}
	for quadrant := range uint32(4) {
		all = appendSpans(all, boxes, zoom, at+1, 2*x+quadrant&1, 2*y+quadrant>>1)
	}
	return all
}

// joined joins spans that follow each other without a gap.
func joined(list []span) []span {
	all := list[:0]
	for _, s := range list {
		if n := len(all); n > 0 && all[n-1].to == s.from {
			all[n-1].to = s.to
		} else {
			all = append(all, s)
		}
	}
	return all
}

// within appends the parts of a run of tiles that spans have. It returns the spans that may have later tiles.
func within(dst []entry, e entry, spans []span) ([]entry, []span) {
	for len(spans) > 0 && spans[0].to <= e.id {
		spans = spans[1:]
	}
	end := e.id + uint64(e.run)
	for _, s := range spans {
		from, to := max(s.from, e.id), min(s.to, end)
		if from >= to {
			break
		}
		dst = append(dst, entry{id: from, offset: e.offset, length: e.length, run: uint32(to - from)})
	}
	return dst, spans
}
